package host

import (
	"os"
	"path"
	"slices"
	"strconv"
)

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
