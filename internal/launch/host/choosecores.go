package host

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"gobench/internal/human"
)

// A Placement assigns a core to each rank, with warnings for readers of the results.
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
	// NearNIC is Near on the NUMA node of the fastest NIC. Rails puts ranks in turn on the nodes of
	// all NICs that are as fast. Both are Near if the kernel does not report the nodes.
	NearNIC = "nic"
	Rails   = "rails"
)

// A PolicyError reports a policy that is neither a known one nor a list of cores.
type PolicyError struct{ Policy string }

func (e *PolicyError) Error() string {
	return fmt.Sprintf("%q is not a placement of ranks: want near, far, nic, rails, none or a list of cores such as 2,3", e.Policy)
}

// ChooseCores is Plan without the warnings.
func ChooseCores(n int, policy string) ([]int, error) {
	p, err := Plan(n, policy)
	return p.Cores, err
}

// CheckPolicy returns a *PolicyError if a policy is neither a known one nor a list of cores.
func CheckPolicy(policy string) error {
	switch policy {
	case Near, Far, NearNIC, Rails, None:
		return nil
	}
	if listed, err := ParseCores(policy); err != nil || len(listed) == 0 {
		return &PolicyError{policy}
	}
	return nil
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
	top := readTopology(t)
	if policy == NearNIC || policy == Rails {
		top.NICs = NICNodes(readNICs(t))
	}
	p, err := top.Plan(n, policy, allowed)
	if quota := readLimits(t).CPU; err == nil && quota != nil && *quota < float64(n) {
		p.warn("a CPU quota (cpu.max of the cgroup) allows %.2g cores for %d ranks, which it stops when they have used them: raise it, or start fewer ranks", *quota, n)
	}
	return p, err
}

// Plan places ranks on the cores of a given topology. It does not read that of this machine.
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
	case NearNIC, Rails:
		nodes := top.NICs
		if policy == NearNIC {
			nodes = nodes[:min(len(nodes), 1)]
		}
		if p.Cores = ofNodes(usable, n, nodes); p.Cores == nil {
			p.Cores = wrap(nearest(usable, n), n)
			if len(nodes) > 0 {
				p.warn("%d ranks need more cores than the NUMA nodes of the network interfaces have: some ranks are far from these", n)
			}
		}
	case Far:
		p.Cores = wrap(top.farthest(usable, n, &p), n)
	default:
		if err := CheckPolicy(policy); err != nil {
			return p, err
		}
		listed, _ := ParseCores(policy)
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

// ofNodes returns n physical cores, in turn of each of the NUMA nodes, nil if these have fewer.
func ofNodes(cores []Core, n int, nodes []int) []int {
	if len(nodes) == 0 {
		return nil
	}
	chosen := slices.Repeat([]int{-1}, n)
	used := map[int]bool{} // physical cores
	for i, node := range nodes {
		near := slices.DeleteFunc(slices.Clone(cores), func(c Core) bool { return c.Node != node || used[c.Physical] })
		count := (n - i + len(nodes) - 1) / len(nodes)
		if physical(near) < count {
			return nil
		}
		list := nearest(near, count)
		for k := range count {
			chosen[i+k*len(nodes)] = list[k]
			used[near[slices.IndexFunc(near, func(c Core) bool { return c.ID == list[k] })].Physical] = true
		}
	}
	return chosen
}

// NICNodes returns the NUMA node of each of the fastest NICs whose node and rate are known.
func NICNodes(nics []NIC) (nodes []int) {
	fastest := int64(0)
	for _, n := range nics {
		if n.Node == nil || n.Rate == nil || *n.Rate < fastest {
			continue
		}
		if *n.Rate > fastest {
			fastest, nodes = *n.Rate, nil
		}
		nodes = append(nodes, int(*n.Node))
	}
	return nodes
}

func (p *Placement) warn(format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
}

// share adds a warning that n ranks share fewer cores.
func (p *Placement) share(n, cores int) {
	p.Shared = fmt.Sprintf("%d ranks share %s: times include waiting for a core", n, human.Count(cores, "core", "cores"))
	p.Warnings = append(p.Warnings, p.Shared)
}

// usable returns the allowed cores. Without a topology from the kernel, all are treated as equal.
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

func wrap(cores []int, n int) []int {
	all := make([]int, n)
	for rank := range all {
		all[rank] = cores[rank%len(cores)]
	}
	return all
}

// maxUsualRanks is the maximum of UsualRanks: enough for collectives and applications, and
// available on most machines.
const maxUsualRanks = 4

// UsualRanks returns the default number of ranks: 4, 2 or 1, at most the number of cores that this
// process may use, because the times of ranks that share a core include the scheduler. Many kernels
// need a power of two.
func UsualRanks() int {
	allowed, err := AllowedCores()
	if err != nil {
		return maxUsualRanks
	}
	return usualRanks(len(allowed))
}

func usualRanks(cores int) int {
	n := maxUsualRanks
	for n > max(cores, 1) {
		n /= 2
	}
	return n
}

// nearest orders cores so that the first n are close together: within one last-level cache, NUMA
// node or package, the first of these that has n physical cores. The second threads of physical
// cores come last.
func nearest(cores []Core, n int) []int {
	for _, group := range []func(Core) int{
		func(c Core) int { return c.LLC },
		func(c Core) int { return c.Node },
		func(c Core) int { return c.Package },
	} {
		for _, members := range groups(cores, group) {
			if group(members[0]) >= 0 && physical(members) >= n {
				return ids(compactly(members))
			}
		}
	}
	return ids(compactly(cores))
}

// farthest orders cores so that consecutive ones are in different NUMA nodes, or else packages, or
// else under different last-level caches. If all cores are in one group, it spreads n over the
// sorted cores, and warns.
func (top Topology) farthest(cores []Core, n int, p *Placement) []int {
	for _, group := range []func(Core) int{
		func(c Core) int { return c.Node },
		func(c Core) int { return c.Package },
		func(c Core) int { return c.LLC },
	} {
		domains := groups(cores, group)
		if len(domains) > 1 {
			return ids(deal(top.byDistance(domains)))
		}
	}
	p.warn("all cores of this process share one NUMA node and one last-level cache, or the system does not report them: far only means other cores")
	flat := compactly(cores)
	if count := physical(flat); count >= n && n > 1 {
		spread := make([]Core, n)
		for i := range spread {
			spread[i] = flat[i*(count-1)/(n-1)]
		}
		return ids(spread)
	}
	return ids(flat)
}

// byDistance orders domains so that each is the one farthest from its predecessor
// among those that are left.
func (top Topology) byDistance(domains [][]Core) [][]Core {
	order := domains[:1:1]
	left := slices.Clone(domains[1:])
	for len(left) > 0 {
		from := order[len(order)-1][0].Node
		far := slices.MaxFunc(left, func(a, b []Core) int {
			return cmp.Compare(top.Distance[from][a[0].Node], top.Distance[from][b[0].Node])
		})
		order = append(order, far)
		left = slices.DeleteFunc(left, func(d []Core) bool { return d[0].ID == far[0].ID })
	}
	return order
}

// deal takes one core of each domain in turn.
func deal(domains [][]Core) []Core {
	var dealt []Core
	for i := range domains {
		domains[i] = compactly(domains[i])
	}
	for round := 0; ; round++ {
		before := len(dealt)
		for _, d := range domains {
			if round < len(d) {
				dealt = append(dealt, d[round])
			}
		}
		if len(dealt) == before {
			return dealt
		}
	}
}

// compactly sorts cores: first threads of physical cores before second ones, then
// neighbours together.
func compactly(cores []Core) []Core {
	thread := make(map[int]int) // of its physical core, by core
	seen := make(map[int]int)
	for _, c := range cores {
		thread[c.ID] = seen[c.Physical]
		seen[c.Physical]++
	}
	return slices.SortedStableFunc(slices.Values(cores), func(a, b Core) int {
		return cmp.Or(cmp.Compare(thread[a.ID], thread[b.ID]), cmp.Compare(a.Node, b.Node),
			cmp.Compare(a.Package, b.Package), cmp.Compare(a.LLC, b.LLC), cmp.Compare(a.ID, b.ID))
	})
}

// groups splits cores by a number, in the order of first occurrence.
func groups(cores []Core, number func(Core) int) [][]Core {
	var list [][]Core
	index := make(map[int]int)
	for _, c := range cores {
		i, ok := index[number(c)]
		if !ok {
			i = len(list)
			index[number(c)] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], c)
	}
	return list
}

func physical(cores []Core) int {
	seen := make(map[int]bool)
	for _, c := range cores {
		seen[c.Physical] = true
	}
	return len(seen)
}

func ids(cores []Core) []int {
	list := make([]int, len(cores))
	for i, c := range cores {
		list[i] = c.ID
	}
	return list
}
