package launch

import (
	"fmt"
	"strconv"
	"strings"
)

// Host is one line of a list of hosts.
type Host struct {
	Name  string // as ssh takes it, with user@ where that was written
	Slots int    // ranks that it takes before the next host does; 1 or more
}

// ParseHosts reads hosts separated by commas, each with an optional number of slots after a colon:
// a,b:4,user@c.
func ParseHosts(list string) ([]Host, error) {
	var hosts []Host
	for part := range strings.SplitSeq(list, ",") {
		name, slots, given := strings.Cut(strings.TrimSpace(part), ":")
		h := Host{name, 1}
		if given {
			n, err := strconv.Atoi(slots)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("%q: want a number of ranks of 1 or more after the colon, such as %s:4", part, name)
			}
			h.Slots = n
		}
		if err := checkHost(name); err != nil {
			return nil, err
		}
		hosts = append(hosts, h)
	}
	return hosts, nil
}

// checkHost refuses what ssh would take for an option, or a shell for more than a name.
func checkHost(name string) error {
	if name == "" {
		return fmt.Errorf("a host without a name")
	}
	if name[0] == '-' || strings.ContainsAny(name, " \t\n=/'\"\\$`;&|<>(){}*?!#") {
		return fmt.Errorf("%q is no name of a host", name)
	}
	return nil
}

// Place returns the host of each of n ranks, by its number in hosts. A policy is
//
//	fill    each host takes as many ranks as it has slots, then the next; the default
//	spread  one rank on each host in turn, as long as they have slots
//
// Where there are more ranks than slots it starts again.
func Place(policy string, hosts []Host, n int) ([]int, error) {
	on := make([]int, 0, n)
	free := make([]int, len(hosts))
	for len(on) < n {
		for i, h := range hosts {
			free[i] = max(1, h.Slots)
		}
		switch policy {
		case "", "fill":
			for i := range hosts {
				for ; free[i] > 0 && len(on) < n; free[i]-- {
					on = append(on, i)
				}
			}
		case "spread":
			for left := true; left && len(on) < n; {
				left = false
				for i := range hosts {
					if free[i] > 0 && len(on) < n {
						on = append(on, i)
						free[i]--
						left = true
					}
				}
			}
		default:
			return nil, fmt.Errorf("%q says not how to put ranks on hosts: want fill or spread", policy)
		}
	}
	return on, nil
}
