package coll

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gobench/comm/schedule"
	"gobench/device"
)

// Ranks with different tables run different algorithms and wait for each other forever, so they
// must learn of it before the first operation.
func TestRanksWithDifferentOptionsDisagree(t *testing.T) {
	mst := mstChoice()
	path := "/etc/" + strings.Repeat("long/", 20) + "coll.toml" // cut off
	for _, wire := range wires {
		for _, ranks := range []int{1, 2, 3, 5} {
			for name, o := range map[string]Options{
				"same":   {Table: Defaults(), Progress: ProgressThread},
				"table":  {Table: &Table{Origin: path, Rules: []Rule{{"", schedule.Bcast, false, 0, 0, mst}}}},
				"forced": {Force: [schedule.Kinds]*Choice{schedule.Bcast: &mst}},
				"strict": {Check: CheckStrict},
				"hosts":  {Hosts: spread(ranks, func(rank int) int { return rank % 2 })},
				"host":   {Hosts: slices.Repeat([]int{7}, ranks)}, // the same as no list
			} {
				t.Run(fmt.Sprintf("%s/%d/%s", wire, ranks, name), func(t *testing.T) {
					run(t, driver(t, wire), ranks, "yield", func(dev device.Device) {
						mine := Options{}
						if dev.Rank() == ranks-1 {
							mine = o
						}
						err := mine.Agree(dev, testContext)
						var differ *OptionsError
						switch {
						case ranks == 1 || name == "same" || name == "host":
							if err != nil {
								t.Errorf("rank %d: %v", dev.Rank(), err)
							}
						case !errors.As(err, &differ) || differ.Ranks != [2]int{0, ranks - 1} || differ.Tables[0] != "defaults":
							t.Errorf("rank %d: %v, want an OptionsError of ranks 0 and %d", dev.Rank(), err, ranks-1)
						case differ.Hosts != (name == "hosts"):
							t.Errorf("rank %d: %v, which blames the wrong option", dev.Rank(), err)
						case name == "table" && !strings.HasPrefix(differ.Tables[1], "/etc/long"):
							t.Errorf("rank %d: table %q", dev.Rank(), differ.Tables[1])
						}
					})
				})
			}
		}
	}
}

// A device whose ranks share memory on some ranks only would make those wait for the others, which
// choose algorithms by messages.
func TestRanksThatShareAndRanksThatDoNot(t *testing.T) {
	for _, ranks := range []int{2, 5} {
		run(t, driver(t, "smem"), ranks, "yield", func(dev device.Device) {
			if dev.Rank() == ranks-1 {
				dev = struct{ device.Device }{dev} // without further abilities
			}
			o := Options{}
			err := o.Agree(dev, testContext)
			var differ *OptionsError
			if !errors.As(err, &differ) || differ.Ranks != [2]int{0, ranks - 1} || !differ.Devices || !strings.Contains(err.Error(), "share memory") {
				t.Errorf("rank %d of %d: %v, want an OptionsError of ranks 0 and %d that blames their devices", dev.Rank(), ranks, err, ranks-1)
			}
		})
	}
}

// Of several ranks with other options the lowest is named, wherever they are in the tree.
func TestLowestRankThatDisagrees(t *testing.T) {
	mst := mstChoice()
	for _, odd := range [][]int{{5, 6}, {4, 5, 6, 7}, {3, 8}, {1, 2, 3, 4, 5, 6, 7, 8}} {
		run(t, driver(t, wires[0]), 9, "yield", func(dev device.Device) {
			mine := Options{}
			if slices.Contains(odd, dev.Rank()) {
				mine.Force[schedule.Bcast] = &mst
			}
			var differ *OptionsError
			if err := mine.Agree(dev, testContext); !errors.As(err, &differ) || differ.Ranks != [2]int{0, odd[0]} {
				t.Errorf("ranks %v differ, rank %d: %v", odd, dev.Rank(), err)
			}
		})
	}
}
