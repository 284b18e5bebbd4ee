package detect

import (
	"fmt"
	"slices"
	"strings"

	"gobench/internal/launch/host"
)

// HostRanks lists the ranks on one host.
type HostRanks struct {
	Name  string // as it was asked for
	Ranks []int  // in ascending order
}

// FormatHosts encodes the ranks of each host for the environment of a rank: "h1=0-3 h2=4,5".
func FormatHosts(list []HostRanks) string {
	var parts []string
	for _, h := range list {
		parts = append(parts, h.Name+"="+host.FormatCores(h.Ranks))
	}
	return strings.Join(parts, " ")
}

// ParseHosts returns the number of each rank's host, and the names of the hosts.
func ParseHosts(text string, size int) (on []int, names []string, err error) {
	on = slices.Repeat([]int{-1}, size)
	for i, part := range strings.Fields(text) {
		name, list, _ := strings.Cut(part, "=")
		ranks, err := host.ParseCores(list)
		if err != nil {
			return nil, nil, err
		}
		names = append(names, name)
		for _, rank := range ranks {
			if rank < 0 || rank >= size || on[rank] >= 0 {
				return nil, nil, fmt.Errorf("rank %d of %d is there twice, or is none", rank, size)
			}
			on[rank] = i
		}
	}
	if missing := slices.Index(on, -1); missing >= 0 {
		return nil, nil, fmt.Errorf("rank %d is on no host", missing)
	}
	return on, names, nil
}
