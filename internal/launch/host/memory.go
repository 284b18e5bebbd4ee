package host

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Memory describes main memory and its pages.
type Memory struct {
	Total     *int64 `json:"total_B,omitempty"`
	Available *int64 `json:"available_B,omitempty"` // when the facts were collected
	Page      int    `json:"page_B"`
	// THP is the state of transparent huge pages for ordinary memory, ShmemTHP
	// for shared memory: always, madvise, never.
	THP      string     `json:"thp,omitempty"`
	ShmemTHP string     `json:"thp_shmem,omitempty"`
	Huge     []HugePool `json:"hugepages,omitempty"` // sizes of which at least one page is reserved
}

// HugePool describes the reserved huge pages of one size.
type HugePool struct {
	Size  int64 `json:"size_B"`
	Total int64 `json:"total"`
	Free  int64 `json:"free"`
}

func readMemory(t tree) Memory {
	m := Memory{
		Page:     os.Getpagesize(),
		THP:      t.chosen("sys/kernel/mm/transparent_hugepage/enabled"),
		ShmemTHP: t.chosen("sys/kernel/mm/transparent_hugepage/shmem_enabled"),
	}
	for key, value := range fields(t.text("proc/meminfo")) {
		switch key {
		case "MemTotal":
			m.Total = kernelSize(value)
		case "MemAvailable":
			m.Available = kernelSize(value)
		}
	}
	const dir = "sys/kernel/mm/hugepages"
	pools := make(map[int64]HugePool)
	for _, name := range t.names(dir) {
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(name, "hugepages-"), "kB"), 10, 64)
		total, free := t.number(dir+"/"+name+"/nr_hugepages"), t.number(dir+"/"+name+"/free_hugepages")
		if err == nil && total != nil && free != nil && *total > 0 {
			pools[kib] = HugePool{kib << 10, *total, *free}
		}
	}
	for _, kib := range slices.Sorted(maps.Keys(pools)) {
		m.Huge = append(m.Huge, pools[kib])
	}
	return m
}

// AvailableMemory returns how much memory this process can still use, in bytes: the kernel's
// estimate (MemAvailable), or less where a control group sets a limit. It is MaxInt64 if nothing is
// known.
func AvailableMemory() int64 { return availableMemory(tree{os.DirFS("/")}) }

func availableMemory(t tree) int64 {
	available := int64(math.MaxInt64)
	if n := readMemory(t).Available; n != nil {
		available = *n
	}
	for controllers, dir := range t.cgroups() {
		switch controllers {
		case "":
			available = min(available, t.left(path.Join("sys/fs/cgroup", dir), "memory.max", "memory.current", "inactive_file"))
		case "memory":
			available = min(available, t.left(path.Join("sys/fs/cgroup/memory", dir), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"))
		}
	}
	return available
}

// left returns how much memory the limit of a control group leaves, in bytes: pages of files that
// nobody has used for a while are given back when others are needed. It is MaxInt64 without a
// limit.
func (t tree) left(dir, maximum, used, idle string) int64 {
	bound, use := limit(t.text(dir+"/"+maximum)), t.number(dir+"/"+used)
	if bound == nil || use == nil {
		return math.MaxInt64
	}
	return max(0, *bound-*use+count(t.text(dir+"/memory.stat"), idle))
}

// Node is a NUMA node.
type Node struct {
	ID     int    `json:"id"`
	Cores  string `json:"cores,omitempty"`
	Memory *int64 `json:"memory_B,omitempty"`
}

func readNodes(t tree) []Node {
	dirs := t.numbered("sys/devices/system/node", "node")
	var nodes []Node
	for _, id := range slices.Sorted(maps.Keys(dirs)) {
		node := Node{ID: id, Cores: t.text(dirs[id] + "/cpulist")}
		for key, value := range fields(t.text(dirs[id] + "/meminfo")) {
			if strings.HasSuffix(key, "MemTotal") { // "Node 0 MemTotal"
				node.Memory = kernelSize(value)
			}
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// ResidentMemory returns the memory of this process that is in RAM, private and shared, in bytes; 0
// if the kernel does not report it.
func ResidentMemory() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// MemoryKills counts the processes that the kernel has killed because memory was used up.
type MemoryKills struct {
	group int64 // of this process's control group
	all   int64 // of this host
	limit string
}

// CountMemoryKills returns the counts so far.
func CountMemoryKills() MemoryKills { return countMemoryKills(tree{os.DirFS("/")}) }

func countMemoryKills(t tree) (k MemoryKills) {
	k.all = count(t.text("proc/vmstat"), "oom_kill")
	for line := range strings.Lines(t.text("proc/self/cgroup")) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		root, events, maximum := "sys/fs/cgroup", "memory.events", "memory.max" // version 2
		if part[1] == "memory" {
			root, events, maximum = "sys/fs/cgroup/memory", "memory.oom_control", "memory.limit_in_bytes"
		} else if part[0] != "0" {
			continue
		}
		// In a container the path may be that of the host, while the group is mounted at the root.
		group := path.Join(root, part[2])
		if len(t.names(group)) == 0 {
			group = root
		}
		k.group += count(t.text(group+"/"+events), "oom_kill")
		for ; k.limit == "" && strings.HasPrefix(group, root); group = path.Dir(group) {
			// version 1 has a large number for none
			if limit := t.number(group + "/" + maximum); limit != nil && *limit < 1<<60 {
				k.limit = fmt.Sprintf("the limit of its control group is %d MiB (%s)", *limit>>20, maximum)
			}
		}
	}
	return k
}

// count returns the number after a word at the beginning of a line.
func count(text, word string) int64 {
	for line := range strings.Lines(text) {
		if name, number, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == word {
			n, _ := strconv.ParseInt(number, 10, 64)
			return n
		}
	}
	return 0
}

// Since returns the reason why processes were killed after an earlier count, "" if none was.
func (k MemoryKills) Since(before MemoryKills) string {
	switch {
	case k.group > before.group && k.limit != "":
		return "memory was used up: " + k.limit
	case k.group > before.group:
		return "memory of the host was used up"
	case k.all > before.all: // perhaps of others alone
		return "meanwhile memory of the host, or of a control group, was used up"
	}
	return ""
}
