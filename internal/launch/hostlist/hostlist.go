// Package hostlist reads the hosts of a job as people, launchers and schedulers write them, and
// assigns ranks to them.
package hostlist

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Host is one entry of a list of hosts.
type Host struct {
	Name  string // as given to ssh, with user@ if specified
	Slots int    // number of ranks before the next host gets any; 1 or more
}

// Parse reads hosts separated by commas, each with an optional number of slots after a colon:
// a,b:4,user@c,h[1-4]:2,[fe80::1]:8. A host that occurs again gets more slots.
func Parse(list string) ([]Host, error) {
	var hosts []Host
	for rest, more := list, true; more; {
		word, after, err := cutWord(rest)
		if err != nil {
			return nil, fmt.Errorf("%q %w", list, err)
		}
		more, rest = len(word) < len(rest), after
		found, err := parseHost(strings.TrimSpace(word), 1)
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, found...)
	}
	return Merged(hosts), nil
}

// parseHost reads one word of a list of hosts: a name, names as Slurm abbreviates them, or an IPv6
// address in brackets. slots is the number of ranks of each, unless the word ends in one: name:4.
func parseHost(word string, slots int) ([]Host, error) {
	name := word
	if i := strings.LastIndexByte(word, ':'); i > strings.LastIndexByte(word, ']') {
		name = word[:i]
		n, err := strconv.Atoi(word[i+1:])
		switch {
		case strings.Contains(name, ":") && !strings.HasSuffix(name, "]"): // IPv6 without brackets
			return nil, addressError(word)
		case err != nil || n < 1 || n > MaxRanks:
			return nil, fmt.Errorf("%q: want a number of ranks from 1 to %d after the colon, such as %s:4", word, MaxRanks, name)
		}
		slots = n
	}
	if slots < 1 || slots > MaxRanks {
		return nil, fmt.Errorf("%q has %d ranks, want 1 to %d", word, slots, MaxRanks)
	}
	names := []string{name}
	switch user, address, _ := strings.Cut(name, "["); {
	case strings.Contains(name, ":"):
		address, closed := strings.CutSuffix(address, "]")
		if _, err := netip.ParseAddr(address); err != nil || !closed || user != "" && !strings.HasSuffix(user, "@") {
			return nil, addressError(word)
		}
		names[0] = user + address // as ssh takes it
	case address != "":
		var err error
		if names, err = ExpandNodes(name); err != nil {
			return nil, fmt.Errorf("%q %w", word, err)
		}
	}
	var hosts []Host
	for _, name := range names {
		if err := CheckHost(name); err != nil {
			return nil, err
		}
		hosts = append(hosts, Host{name, slots})
	}
	return hosts, nil
}

func addressError(word string) error {
	return fmt.Errorf("%q: want a name and a number of ranks such as a:4, or an IPv6 address in brackets, such as [fe80::1]:4", word)
}

// CheckHost returns an error for names that ssh would read as an option or a shell would interpret.
func CheckHost(name string) error {
	if name == "" {
		return fmt.Errorf("a host without a name")
	}
	if name[0] == '-' || strings.ContainsAny(name, " \t\n,=/'\"\\$`;&|<>(){}*?!#") {
		return fmt.Errorf("%q is no name of a host", name)
	}
	return nil
}

// Assign returns the host of each of n ranks, by its number in hosts. A policy is
//
//	fill    each host takes as many ranks as it has slots, then the next; the default
//	spread  one rank on each host in turn, as long as they have slots
//	ppr:N   each host takes N ranks, whatever its slots, then the next
//	FILE a file in a format of ReadHostfile: each host takes its ranks there, in the order of
//	        the list, in which a host may occur again
//
// With fill and spread, ranks beyond the slots start again at the first host; with the others they
// are a *RoomError.
func Assign(policy string, hosts []Host, n int) ([]int, error) {
	switch policy {
	case "", "fill":
		return fill(hosts, n), nil
	case "spread":
		return spread(hosts, n), nil
	}
	if count, ok := strings.CutPrefix(policy, "ppr:"); ok {
		each, err := strconv.Atoi(count)
		if err != nil || each < 1 {
			return nil, fmt.Errorf("%q: want a number of ranks of 1 or more for each host, such as ppr:4", policy)
		}
		if (n-1)/each >= len(hosts) {
			return nil, &RoomError{fmt.Sprintf("%s puts %d ranks on %d hosts, and there are %d ranks", policy, each*len(hosts), len(hosts), n)}
		}
		on := make([]int, n)
		for rank := range on {
			on[rank] = rank / each
		}
		return on, nil
	}
	return assignByFile(policy, hosts, n)
}

// fill takes the slots of one host after the other, and begins again behind the last.
func fill(hosts []Host, n int) []int {
	on := make([]int, 0, n)
	for i := 0; len(on) < n; i = (i + 1) % len(hosts) {
		on = append(on, slices.Repeat([]int{i}, min(max(1, hosts[i].Slots), n-len(on)))...)
	}
	return on
}

// spread takes the first slot of every host, then the second ones, and begins again behind the
// last.
func spread(hosts []Host, n int) []int {
	on := make([]int, 0, n)
	for slot := 0; len(on) < n; slot++ {
		before := len(on)
		for i, h := range hosts {
			if slot < max(1, h.Slots) && len(on) < n {
				on = append(on, i)
			}
		}
		if len(on) == before {
			slot = -1
		}
	}
	return on
}

func assignByFile(path string, hosts []Host, n int) ([]int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%q is not fill, spread or ppr:N, and no file that can be read: %w", path, err)
	}
	var on []int
	err = eachHostline(path, string(text), func(line hostline) error {
		for _, f := range line.hosts {
			i := slices.IndexFunc(hosts, func(h Host) bool { return h.Name == f.Name })
			if i < 0 {
				return fmt.Errorf("host %s is not one of those that run ranks", f.Name)
			}
			on = append(on, slices.Repeat([]int{i}, min(f.Slots, n-len(on)))...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(on) < n {
		return nil, &RoomError{fmt.Sprintf("%s places %d ranks, and there are %d", path, len(on), n)}
	}
	return on, nil
}

// A RoomError reports more ranks than a policy places on the hosts.
type RoomError struct{ Reason string }

func (e *RoomError) Error() string { return e.Reason }

// Misfit implements exit.Misfit.
func (e *RoomError) Misfit() {}

// OfSSH returns the names of hosts in the user's configuration of ssh, without patterns.
func OfSSH() (list []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	text, _ := os.ReadFile(filepath.Join(home, ".ssh", "config"))
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 2 || !strings.EqualFold(words[0], "host") {
			continue
		}
		for _, name := range words[1:] {
			if !strings.ContainsAny(name, "*?!") {
				list = append(list, name)
			}
		}
	}
	return list
}
