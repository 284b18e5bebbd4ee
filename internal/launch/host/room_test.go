package host

import (
	"testing"
	"testing/fstest"
)

// The tightest of the control groups counts, of both versions; a group without a limit does not.
func TestProcessRoom(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text + "\n")} }
	for name, c := range map[string]struct {
		groups, base string
		want         Room
	}{
		"version 2": {"0::/a/b", "sys/fs/cgroup", Room{5, 16, "/a"}},
		"version 1": {"9:memory:/x\n4:pids:/a/b", "sys/fs/cgroup/pids", Room{5, 16, "/a"}},
		"others":    {"9:memory:/a/b", "sys/fs/cgroup", Room{}},
	} {
		m := fstest.MapFS{
			"proc/self/cgroup":             file(c.groups),
			c.base + "/a/b/pids.max":       file("max"),
			c.base + "/a/b/pids.current":   file("3"),
			c.base + "/a/pids.max":         file("16"),
			c.base + "/a/pids.current":     file("11"),
			c.base + "/pids.max":           file("100"),
			c.base + "/pids.current":       file("20"),
			c.base + "/other/pids.max":     file("1"),
			c.base + "/other/pids.current": file("1"),
		}
		got, limited := processRoom(tree{m})
		if limited != (c.want != Room{}) || limited && got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, limited, c.want)
		}
	}
}
