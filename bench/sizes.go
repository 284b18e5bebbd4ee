package bench

import (
	"fmt"
	"slices"
	"strings"

	"gobench/device"
)

// AllSizes are the sizes of IMB and OSU: zero, then every power of two from 1 byte to 4 MiB. A list
// of sizes names them EverySize.
const (
	AllSizes  = "0:4MiB"
	EverySize = "all"
)

// DefaultSizes are a dozen of AllSizes, which fit on one screen: the ends, and those between at
// which most protocols change.
const DefaultSizes = "0,1,8,64,512,1K,4K,16K,64K,256K,1M,4M"

// ParseSizes reads a list of message sizes, in bytes: single sizes (8, 64K, 1MiB) and ranges
// (1:4MiB), separated by commas, or EverySize. A range contains its two ends and all powers of two
// between them. The result is ascending and contains no size twice.
func ParseSizes(list string) ([]int, error) {
	var sizes []int
	if strings.EqualFold(strings.TrimSpace(list), EverySize) {
		list = AllSizes
	}
	for _, item := range strings.Split(list, ",") {
		item = strings.TrimSpace(item)
		low, high, isRange := strings.Cut(item, ":")
		switch {
		case item == "":
			return nil, fmt.Errorf("size list %q has an empty entry: write sizes such as 8,64K,1MiB or a range such as 0:4MiB", list)
		case isRange:
			span, err := parseRange(low, high)
			if err != nil {
				return nil, err
			}
			sizes = append(sizes, span...)
		default:
			n, err := device.ParseBytes(item)
			if err != nil {
				return nil, err
			}
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes), nil
}

func parseRange(low, high string) ([]int, error) {
	from, err := device.ParseBytes(low)
	if err != nil {
		return nil, err
	}
	to, err := device.ParseBytes(high)
	if err != nil {
		return nil, err
	}
	if from > to {
		return nil, fmt.Errorf("size range %s:%s runs backwards: write %s:%s", low, high, high, low)
	}
	sizes := []int{from}
	for n := 1; n > 0 && n < to; n *= 2 { // n becomes negative past the largest power of two
		if n > from {
			sizes = append(sizes, n)
		}
	}
	return append(sizes, to), nil
}
