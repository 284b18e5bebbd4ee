package launch

import (
	"fmt"
	"os"
	"slices"
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

// checkHost returns an error for names that ssh would read as an option or a shell would interpret.
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
//	ppr:N   each host takes N ranks, whatever its slots, then the next
//	FILE    each host of a list in any spelling of ReadHostfile takes its ranks there, in the order of
//	        the list, in which a host may occur again
//
// With fill and spread it starts again where there are more ranks than slots; with the others that
// is an error.
func Place(policy string, hosts []Host, n int) ([]int, error) {
	switch policy {
	case "", "fill":
		return repeat(fill(hosts), n), nil
	case "spread":
		return repeat(spread(hosts), n), nil
	}
	if count, ok := strings.CutPrefix(policy, "ppr:"); ok {
		each, err := strconv.Atoi(count)
		if err != nil || each < 1 {
			return nil, fmt.Errorf("%q: want a number of ranks of 1 or more for each host, such as ppr:4", policy)
		}
		if (n-1)/each >= len(hosts) {
			return nil, fmt.Errorf("%s puts %d ranks on %d hosts, and there are %d ranks", policy, each*len(hosts), len(hosts), n)
		}
		on := make([]int, n)
		for rank := range on {
			on[rank] = rank / each
		}
		return on, nil
	}
	return placeByFile(policy, hosts, n)
}

// fill returns the host of each slot.
func fill(hosts []Host) []int {
	var on []int
	for i, h := range hosts {
		on = append(on, slices.Repeat([]int{i}, max(1, h.Slots))...)
	}
	return on
}

// spread returns the host of each slot: the first of every host, then the second ones.
func spread(hosts []Host) []int {
	var on []int
	for slot, before := 0, -1; len(on) > before; slot++ {
		before = len(on)
		for i, h := range hosts {
			if slot < max(1, h.Slots) {
				on = append(on, i)
			}
		}
	}
	return on
}

// repeat returns the first n of the elements of slots, again and again.
func repeat(slots []int, n int) []int {
	on := make([]int, n)
	for rank := range on {
		on[rank] = slots[rank%len(slots)]
	}
	return on
}

func placeByFile(path string, hosts []Host, n int) ([]int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%q is not fill, spread or ppr:N, and no file that can be read: %w", path, err)
	}
	var on []int
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		found, err := parseHostline(line)
		if err != nil {
			return nil, &HostfileError{path, number, err.Error()}
		}
		for _, f := range found {
			i := slices.IndexFunc(hosts, func(h Host) bool { return h.Name == f.Name })
			if i < 0 {
				return nil, &HostfileError{path, number, fmt.Sprintf("host %s is not one of those that run ranks", f.Name)}
			}
			on = append(on, slices.Repeat([]int{i}, f.Slots)...)
		}
	}
	if len(on) < n {
		return nil, fmt.Errorf("%s places %d ranks, and there are %d", path, len(on), n)
	}
	return on[:n], nil
}
