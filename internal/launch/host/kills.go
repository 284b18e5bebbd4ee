package host

import (
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
)

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
	case k.group > before.group || k.all > before.all:
		return "memory of the host was used up"
	}
	return ""
}
