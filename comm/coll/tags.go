package coll

import (
	"math/bits"

	"gobench/device"
)

// tags divides the tags of a device among the messages of collective operations.
type tags struct {
	last  int32 // the greatest tag of an operation, and a mask
	check int32 // a bit in the tags of an argumentCheck
	agree int32 // the tag of Agree
}

// tagsOf returns a quarter of the tags for operations, one for their checks and one for Agree. The
// greatest tag of the device remains for package shared.
func tagsOf(dev device.Device) tags {
	quarter := int32(1) << (bits.Len32(uint32(dev.Info().Tags())+1) - 3)
	return tags{last: quarter - 1, check: quarter, agree: 2 * quarter}
}
