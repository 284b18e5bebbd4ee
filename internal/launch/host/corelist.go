package host

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseCores reads a list of cores as the kernel and taskset write it:
// "0-3,8,10". The order is kept. An empty string is an empty list.
func ParseCores(s string) ([]int, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil, nil
	}
	var cores []int
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		lo, err := strconv.ParseUint(from, 10, 16)
		hi := lo
		if err == nil && isRange {
			hi, err = strconv.ParseUint(to, 10, 16)
		}
		if err != nil || hi < lo {
			return nil, fmt.Errorf("%q is not a list of cores such as 2,3 or 0-3", s)
		}
		for c := lo; c <= hi; c++ {
			cores = append(cores, int(c))
		}
	}
	return cores, nil
}

// ListCores writes cores as ParseCores reads them, in their order.
func ListCores(cores []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(cores), " ", ","), "[]")
}

// FormatCores writes cores as ParseCores reads them, sorted, ranges joined.
func FormatCores(cores []int) string {
	if len(cores) == 0 {
		return "none"
	}
	list := slices.Compact(slices.Sorted(slices.Values(cores)))
	var b strings.Builder
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(list[i]))
		if j > i {
			fmt.Fprintf(&b, "-%d", list[j])
		}
		i = j + 1
	}
	return b.String()
}
