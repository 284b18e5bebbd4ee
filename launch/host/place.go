package host

import (
	"fmt"
	"os"
	"slices"
)

// A Placement assigns a core to each rank, and has what a reader of the
// results should know about that.
type Placement struct {
	Cores    []int  // by rank; nil: ranks are not pinned
	Shared   string // "4 ranks share 2 cores: ..." where there are more ranks than cores, "" elsewhere
	Warnings []string
}

// Policies of Plan beside a list of cores such as "2,3".
const (
	Near = "near" // consecutive ranks as close together as possible: one last-level cache, one package
	Far  = "far"  // consecutive ranks as far apart as possible: other NUMA nodes, other caches
	None = "none" // not pinned
)

// A PolicyError reports a policy that is neither a known one nor a list of cores
// either.
type PolicyError struct{ Policy string }

func (e *PolicyError) Error() string {
	return fmt.Sprintf("%q says not where to put ranks: want near, far, none or a list of cores such as 2,3", e.Policy)
}

// Place is Plan without the warnings.
func Place(n int, policy string) ([]int, error) {
	p, err := Plan(n, policy)
	return p.Cores, err
}

// Plan puts n ranks on the cores that this process may use. With fewer cores than
// ranks it starts again with the first core, and warns. A list may be longer than
// needed. The error is a *CoreError for a listed core that may not be used, or a
// *PolicyError. n is 1 or more.
func Plan(n int, policy string) (Placement, error) {
	allowed, err := AllowedCores()
	if err != nil {
		return Placement{}, err
	}
	t := tree{os.DirFS("/")}
	p, err := readTopology(t).Plan(n, policy, allowed)
	if quota := readLimits(t).CPU; err == nil && quota != nil && *quota < float64(n) {
		p.warn("the cgroup of this process grants %.2g cores for %d ranks: times include being stopped", *quota, n)
	}
	return p, err
}

// Plan is the same for any machine. It does not look at this one.
func (top Topology) Plan(n int, policy string, allowed []int) (Placement, error) {
	var p Placement
	usable := top.usable(allowed)
	switch policy {
	case None:
		if n > len(usable) {
			p.share(n, len(usable))
		}
		return p, nil
	case Near:
		p.Cores = wrap(nearest(usable, n), n)
	case Far:
		p.Cores = wrap(top.farthest(usable, n, &p), n)
	default:
		listed, err := ParseCores(policy)
		if err != nil || len(listed) == 0 {
			return p, &PolicyError{policy}
		}
		for _, core := range listed {
			if !slices.Contains(allowed, core) {
				return p, &CoreError{core, allowed}
			}
		}
		p.Cores = wrap(listed, n)
	}
	top.warnSharing(&p)
	return p, nil
}

func (p *Placement) warn(format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
}

// share notes that n ranks have fewer cores: they take time from each other.
func (p *Placement) share(n, cores int) {
	p.Shared = fmt.Sprintf("%d ranks share %s: times include waiting for a core", n, counted(cores, "core"))
	p.Warnings = append(p.Warnings, p.Shared)
}

// usable returns the allowed cores. Where the kernel tells nothing of the
// topology they are all alike.
func (top Topology) usable(allowed []int) []Core {
	var cores []Core
	for _, id := range allowed {
		i := slices.IndexFunc(top.Cores, func(c Core) bool { return c.ID == id })
		if i < 0 {
			cores = append(cores, Core{ID: id, Physical: id, LLC: -1, Package: -1, Node: -1})
		} else {
			cores = append(cores, top.Cores[i])
		}
	}
	return cores
}

// warnSharing warns if two ranks share a core or a physical core.
func (top Topology) warnSharing(p *Placement) {
	logical, physical := make(map[int]bool), make(map[int]bool)
	for _, c := range top.usable(p.Cores) {
		logical[c.ID], physical[c.Physical] = true, true
	}
	switch n := len(p.Cores); {
	case len(logical) < n:
		p.share(n, len(logical))
	case len(physical) < n:
		p.warn("%d ranks share %d physical cores (SMT): they slow each other down", n, len(physical))
	}
}

// counted is a number of things as people say it.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func wrap(cores []int, n int) []int {
	all := make([]int, n)
	for rank := range all {
		all[rank] = cores[rank%len(cores)]
	}
	return all
}

// mostUsual is the number of ranks that shows what a collective or an application does, and that
// a machine of any size can start.
const mostUsual = 4

// UsualRanks is the number of ranks where nobody asks for one: 4, 2 or 1, not more than there are
// cores that this process may use, because ranks that share a core measure its scheduler. It is a
// power of two, as many kernels need.
func UsualRanks() int {
	allowed, err := AllowedCores()
	if err != nil {
		return mostUsual
	}
	return usualRanks(len(allowed))
}

func usualRanks(cores int) int {
	n := mostUsual
	for n > max(cores, 1) {
		n /= 2
	}
	return n
}
