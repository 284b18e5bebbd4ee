package host

import (
	"testing"
	"testing/fstest"
)

// The kernel's counts of processes that it killed for want of memory are found in both versions of
// control groups, in a container, and where there is none.
func TestMemoryKills(t *testing.T) {
	for name, c := range map[string]struct {
		groups, events, limit, bytes string
		want                         string
	}{
		"version 2": {"0::/a/b\n", "sys/fs/cgroup/a/b/memory.events", "sys/fs/cgroup/a/memory.max", "67108864",
			"memory was used up: the limit of its control group is 64 MiB (memory.max)"},
		"version 1": {"5:cpu:/\n4:memory:/a\n0::/\n", "sys/fs/cgroup/memory/a/memory.oom_control", "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "67108864",
			"memory was used up: the limit of its control group is 64 MiB (memory.limit_in_bytes)"},
		"container": {"0::/elsewhere\n", "sys/fs/cgroup/memory.events", "sys/fs/cgroup/memory.max", "67108864",
			"memory was used up: the limit of its control group is 64 MiB (memory.max)"},
		"no limit":  {"4:memory:/a\n", "sys/fs/cgroup/memory/a/memory.oom_control", "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712", "memory of the host was used up"},
		"no groups": {"", "proc/vmstat", "x", "1", "meanwhile memory of the host, or of a control group, was used up"},
	} {
		files := func(kills string) tree {
			return tree{fstest.MapFS{
				"proc/self/cgroup": {Data: []byte(c.groups)},
				c.events:           {Data: []byte("oom_kill_disable 0\nunder_oom 0\noom_kill " + kills + "\n")},
				c.limit:            {Data: []byte(c.bytes + "\n")},
			}}
		}
		before := countMemoryKills(files("3"))
		if got := countMemoryKills(files("4")).Since(before); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := before.Since(before); got != "" {
			t.Errorf("%s: %q where nothing was killed", name, got)
		}
	}
}
