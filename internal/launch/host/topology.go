package host

import (
	"cmp"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// Distances of two ranks, nearest first.
const (
	SameCore    = "same core"
	Threads     = "threads of a core"
	SharedCache = "shared cache"
	SameSocket  = "same socket"
	SameHost    = "same host" // further apart, not pinned, or not known
	OtherHost   = "other host"
)

// Distance returns the distance of two cores of one host.
func Distance(a, b Core) string {
	same := func(x, y int) bool { return x >= 0 && x == y }
	switch {
	case same(a.ID, b.ID):
		return SameCore
	case same(a.Physical, b.Physical):
		return Threads
	case same(a.LLC, b.LLC):
		return SharedCache
	case same(a.Package, b.Package):
		return SameSocket
	}
	return SameHost
}

// Unpinned stands for the core of a thread that is not pinned.
var Unpinned = Core{ID: -1, Physical: -1, LLC: -1, Package: -1, Node: -1}

// CoreOf returns one core of this machine as the kernel describes it, without its NUMA node.
func CoreOf(id int) Core { return readCore(tree{os.DirFS("/")}, id) }

// readCore returns a core without its NUMA node, which readTopology reads.
func readCore(t tree, id int) Core {
	cpu := path.Join("sys/devices/system/cpu", "cpu"+strconv.Itoa(id))
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
	level := int64(0)
	for _, index := range t.numbered(cpu+"/cache", "index") {
		shared := t.cores(index + "/shared_cpu_list")
		if n := t.number(index + "/level"); n != nil && *n > level && len(shared) > 0 {
			level, core.LLC = *n, slices.Min(shared)
		}
	}
	return core
}

// Cache describes one cache of the first core and the cores that share it.
type Cache struct {
	Level  int    `json:"level"`
	Type   string `json:"type,omitempty"` // Data, Instruction, Unified
	Size   *int64 `json:"size_B,omitempty"`
	Line   *int64 `json:"line_B,omitempty"`
	Shared string `json:"shared_by,omitempty"` // cores, such as 0-3
}

// LLC returns the size of the last-level cache in bytes, 0 if it is unknown.
func (f Facts) LLC() int64 {
	level, size := 0, int64(0)
	for _, c := range f.Caches {
		if c.Size != nil && c.Level > level && c.Type != "Instruction" {
			level, size = c.Level, *c.Size
		}
	}
	return size
}

// readCaches returns the caches of the first core that is online.
func readCaches(t tree) []Cache {
	online := t.cores("sys/devices/system/cpu/online")
	if len(online) == 0 {
		return nil
	}
	cpu := path.Join("sys/devices/system/cpu", "cpu"+strconv.Itoa(online[0]), "cache")
	var caches []Cache
	for _, index := range sorted(t.numbered(cpu, "index")) {
		level := t.number(index + "/level")
		if level == nil {
			continue
		}
		caches = append(caches, Cache{
			Level:  int(*level),
			Type:   t.text(index + "/type"),
			Size:   kernelSize(t.text(index + "/size")),
			Line:   t.number(index + "/coherency_line_size"),
			Shared: t.text(index + "/shared_cpu_list"),
		})
	}
	return caches
}

// kernelSize reads "32768K", "32M" or "1024 kB" as bytes; K is binary here.
func kernelSize(s string) *int64 {
	digits := strings.TrimRight(s, " kKMGB")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return nil
	}
	switch unit := strings.TrimSpace(s[len(digits):]); {
	case strings.HasPrefix(strings.ToUpper(unit), "K"):
		n <<= 10
	case strings.HasPrefix(unit, "M"):
		n <<= 20
	case strings.HasPrefix(unit, "G"):
		n <<= 30
	}
	return &n
}

// LastCache returns the size of the last-level cache of this machine in bytes, 0 if it is unknown.
func LastCache() int64 { return lastCache() }

var lastCache = sync.OnceValue(func() int64 { return Facts{Caches: readCaches(tree{os.DirFS("/")})}.LLC() })
