// Package renamed maps names that earlier versions of gobench used to the current ones, for command
// lines, tuning files and records.
package renamed

import (
	"slices"
	"strings"
)

// Retired reports whether a transport once had an option that its profile has replaced.
func Retired(transport, option string) bool {
	return transport == "smem" && slices.Contains([]string{"near_copy", "far_copy", "near_fetch", "far_fetch",
		"near_eager", "far_eager", "near_rndv", "far_rndv", "direct", "split"}, option)
}

// Algorithm returns the name of an algorithm of a collective operation. BDE, bidirectional
// exchange, was F-MPJ's name for both recursive doubling and recursive halving.
func Algorithm(operation, name string) string {
	switch {
	case strings.HasPrefix(name, "shm-"):
		return "smem-" + strings.TrimPrefix(name, "shm-")
	case name == "bde" || name == "bde-nb" || name == "scatter-bde":
		if strings.Contains(operation, "reduce_scatter") { // records have ireduce_scatter, too
			return strings.Replace(name, "bde", "recursive-halving", 1)
		}
		return strings.Replace(name, "bde", "recursive-doubling", 1)
	}
	return name
}
