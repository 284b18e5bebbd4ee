package pairwise

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"gobench/launch/hostlist"
)

// ReadLocations reads the places of hosts from a file: a topology.conf of Slurm with lines such as
//
//	SwitchName=leaf1 Nodes=h[1-8]
//	SwitchName=spine1 Switches=leaf[1-2]
//
// or lines of a host and its places from the widest to the narrowest: h1 spine1 leaf1. All hosts
// must have equally many. Empty lines and those that begin with # are skipped.
func ReadLocations(file string) (map[string][]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	locations, above := map[string][]string{}, map[string]string{}
	lines := bufio.NewScanner(f)
	for number := 1; lines.Scan(); number++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		name, isSwitch := strings.CutPrefix(words[0], "SwitchName=")
		if !isSwitch {
			locations[words[0]] = words[1:]
			continue
		}
		for _, word := range words[1:] {
			key, list, _ := strings.Cut(word, "=")
			if key != "Nodes" && key != "Switches" {
				continue
			}
			members, err := hostlist.ExpandNodes(list)
			if err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", file, number, err)
			}
			for _, m := range members {
				if key == "Nodes" {
					locations[m] = []string{name}
				} else {
					above[m] = name
				}
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	depth := -1
	for host, location := range locations {
		if len(location) == 0 {
			return nil, fmt.Errorf("%s: %s has no place: write the names of its switches after it", file, host)
		}
		for range len(above) { // a switch above itself ends this, too
			up, ok := above[location[0]]
			if !ok {
				break
			}
			location = slices.Insert(location, 0, up)
		}
		locations[host] = location
		if depth >= 0 && len(location) != depth {
			return nil, fmt.Errorf("%s: %s has %d places, and other hosts have %d: give all hosts equally many", file, host, len(location), depth)
		}
		depth = len(location)
	}
	return locations, nil
}
