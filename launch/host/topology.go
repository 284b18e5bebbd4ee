package host

import (
	"cmp"
	"maps"
	"path"
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
}

// Core is one logical processor: what the kernel calls a CPU and what a thread is
// pinned to. Cores of one group have the same number for it, which has no other meaning; -1 if the
// kernel does not report it.
type Core struct {
	ID       int
	Physical int // the first logical processor of its physical core
	LLC      int // the first logical processor that shares its last-level cache
	Package  int
	Node     int // NUMA node
}

func readTopology(t tree) Topology {
	const dir = "sys/devices/system/cpu"
	top := Topology{Distance: make(map[int]map[int]int)}
	nodeOf := make(map[int]int)
	for node, path := range t.numbered("sys/devices/system/node", "node") {
		for _, core := range t.cores(path + "/cpulist") {
			nodeOf[core] = node
		}
		top.Distance[node] = readDistances(t, path)
	}
	for _, id := range t.cores(dir + "/online") {
		cpu := path.Join(dir, "cpu"+strconv.Itoa(id))
		core := Core{ID: id, Physical: id, LLC: -1, Package: -1, Node: -1}
		siblings := t.cores(cpu + "/topology/core_cpus_list")
		if siblings == nil {
			siblings = t.cores(cpu + "/topology/thread_siblings_list") // the name before Linux 5.3
		}
		if len(siblings) > 0 {
			core.Physical = slices.Min(siblings)
		}
		if n := t.number(cpu + "/topology/physical_package_id"); n != nil && *n >= 0 {
			core.Package = int(*n)
		}
		if node, ok := nodeOf[id]; ok {
			core.Node = node
		}
		level := int64(0)
		for _, index := range t.numbered(cpu+"/cache", "index") {
			shared := t.cores(index + "/shared_cpu_list")
			if n := t.number(index + "/level"); n != nil && *n > level && len(shared) > 0 {
				level, core.LLC = *n, slices.Min(shared)
			}
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

// count returns how many packages (0 if that is not told) and physical cores are
// online.
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
