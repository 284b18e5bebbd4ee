package exchange

import (
	"fmt"

	"gobench/device"
)

// MaxBlob is the maximum size of one blob of Exchange, in bytes.
const MaxBlob = 1 << 20

// CheckBlob returns an error for a blob that is larger than MaxBlob.
func CheckBlob(blob []byte) error {
	if len(blob) > MaxBlob {
		return &device.ArgumentError{Name: "size of the blob", Value: len(blob), Want: fmt.Sprintf("at most %d bytes", MaxBlob)}
	}
	return nil
}
