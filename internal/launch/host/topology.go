package host

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Topology describes the cores of a host as the kernel reports them.
type Topology struct {
	Cores []Core // online, by ID
	// Distance is the kernel's relative cost of memory access between NUMA nodes,
	// by the ids of two nodes; 10 is a node's own. Empty if the kernel does not report it.
	Distance map[int]map[int]int
	NICs     []int // NICNodes, for the policies NearNIC and Rails
}

// Core is one logical processor: a CPU of the kernel, to which a thread is pinned. Cores of one
// group have the same number of the group, which has no other meaning; it is -1 if the kernel does
// not report it.
type Core struct {
	ID       int
	Physical int // the first logical processor of its physical core
	LLC      int // the first logical processor that shares its last-level cache
	Package  int
	Node     int // NUMA node
}

func readTopology(t tree) Topology {
	top := Topology{Distance: make(map[int]map[int]int)}
	nodeOf := make(map[int]int)
	for node, path := range t.numbered("sys/devices/system/node", "node") {
		for _, core := range t.cores(path + "/cpulist") {
			nodeOf[core] = node
		}
		top.Distance[node] = readDistances(t, path)
	}
	for _, id := range t.cores("sys/devices/system/cpu/online") {
		core := readCore(t, id)
		if node, ok := nodeOf[id]; ok {
			core.Node = node
		}
		top.Cores = append(top.Cores, core)
	}
	return top
}

// readDistances reads one line of the table; its columns are the online nodes in
// order.
func readDistances(t tree, node string) map[int]int {
	row := make(map[int]int)
	online := t.cores("sys/devices/system/node/online")
	for i, word := range strings.Fields(t.text(node + "/distance")) {
		if d, err := strconv.Atoi(word); err == nil && i < len(online) {
			row[online[i]] = d
		}
	}
	return row
}

// count returns the number of packages (0 if unknown) and physical cores that are online.
func (top Topology) count() (packages, physical int) {
	p, c := make(map[int]bool), make(map[int]bool)
	for _, core := range top.Cores {
		c[core.Physical] = true
		if core.Package >= 0 {
			p[core.Package] = true
		}
	}
	return len(p), len(c)
}

// sorted returns the values of m in the order of its keys.
func sorted[K cmp.Ordered, V any](m map[K]V) []V {
	var list []V
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[k])
	}
	return list
}
