package pairwise

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"gobench/internal/launch/host"
	"gobench/internal/launch/hostlist"
	"gobench/pairs"
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

// lldpTimeout is the time-out of lldpctl.
const lldpTimeout = 2 * time.Second

// ownLocation returns the places of this host from the widest to the narrowest, as Slurm states
// them for this process, else the switch at the other end of the cable of a NIC, as lldpd has heard
// it; nil if neither is known.
func ownLocation(ctx context.Context, nics []host.NIC) []string {
	if l := slurmLocation(os.Getenv("SLURM_TOPOLOGY_ADDR"), os.Getenv("SLURM_TOPOLOGY_ADDR_PATTERN")); l != nil {
		return l
	}
	ctx, stop := context.WithTimeout(ctx, lldpTimeout)
	defer stop()
	text, err := exec.CommandContext(ctx, "lldpctl", "-f", "json0").Output()
	if err != nil {
		return nil
	}
	return lldpLocation(text, nics)
}

// slurmLocation returns the switches in an address such as spine1.leaf2.h1, whose pattern is
// switch.switch.node.
func slurmLocation(address, pattern string) []string {
	levels := strings.Count(pattern, "switch")
	parts := strings.SplitN(address, ".", levels+1)
	if levels == 0 || len(parts) <= levels {
		return nil
	}
	return parts[:levels]
}

// lldpLocation returns the name of the switch of the first NIC that has one in the output of
// lldpctl -f json0.
func lldpLocation(text []byte, nics []host.NIC) []string {
	type values []struct{ Value string }
	var all struct {
		LLDP []struct {
			Interface []struct {
				Name    string
				Chassis []struct{ ID, Name values }
			}
		}
	}
	if json.Unmarshal(text, &all) != nil || len(all.LLDP) == 0 {
		return nil
	}
	for _, n := range nics {
		for _, i := range all.LLDP[0].Interface {
			if i.Name != n.Name {
				continue
			}
			for _, c := range i.Chassis {
				for _, v := range slices.Concat(c.Name, c.ID) {
					if v.Value != "" {
						return []string{v.Value}
					}
				}
			}
		}
	}
	return nil
}

// found returns the locations that the hosts state themselves. It is nil if one states none, if
// they have not equally many levels, or if all are the same.
func found(facts []pairs.Facts, hosts int) map[string][]string {
	locations := map[string][]string{}
	differ := false
	for _, f := range facts {
		first := facts[0].Location
		if len(f.Location) == 0 || len(f.Location) != len(first) {
			return nil
		}
		differ = differ || !slices.Equal(f.Location, first)
		locations[f.Host] = f.Location
	}
	if !differ || len(facts) != hosts {
		return nil
	}
	return locations
}
