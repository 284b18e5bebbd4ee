package host

import (
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// machine reads a machine of testdata: a description, then files, each a line "==
// path" and its content. Of a path with a list of numbers in braces there is one
// file per number, and {} in its content is the number. "== path -> target" is a
// symbolic link.
func machine(t *testing.T, name string) tree {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	m := make(fstest.MapFS)
	for _, file := range strings.Split("\n"+string(text), "\n== ")[1:] {
		path, content, _ := strings.Cut(file, "\n")
		if path, target, ok := strings.Cut(path, " -> "); ok {
			m[path] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
			continue
		}
		before, rest, many := strings.Cut(path, "{")
		if !many {
			m[path] = &fstest.MapFile{Data: []byte(content)}
			continue
		}
		list, after, _ := strings.Cut(rest, "}")
		numbers, err := ParseCores(list)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, n := range numbers {
			number := strconv.Itoa(n)
			m[before+number+after] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(content, "{}", number))}
		}
	}
	return tree{m}
}

// files is a machine of a few files.
func files(content map[string]string) tree {
	m := make(fstest.MapFS)
	for path, text := range content {
		m[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree{m}
}

// The limit of a control group counts where it leaves less than the kernel's estimate.
func TestAvailableMemory(t *testing.T) {
	const meminfo = "MemTotal: 10 kB\nMemAvailable:    5 kB\n"
	for _, c := range []struct {
		what  string
		files map[string]string
		want  int64
	}{
		{"nothing known", nil, math.MaxInt64},
		{"no limit", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max", "sys/fs/cgroup/a/memory.current": "1000"}, 5 << 10},
		{"a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "4096", "sys/fs/cgroup/memory.current": "1000",
		}, 3096},
		{"a limit above the own group, and idle pages of files", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/job/step\n", "sys/fs/cgroup/job/step/memory.max": "max", "sys/fs/cgroup/job/step/memory.current": "10",
			"sys/fs/cgroup/job/memory.max": "4096", "sys/fs/cgroup/job/memory.current": "4000", "sys/fs/cgroup/job/memory.stat": "anon 1000\ninactive_file 2500\nfile 3000\n",
		}, 2596},
		{"a limit that is overdrawn", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "100", "sys/fs/cgroup/a/memory.current": "200",
		}, 0},
		{"version 1", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/job\n", "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "4096",
			"sys/fs/cgroup/memory/job/memory.usage_in_bytes": "4096", "sys/fs/cgroup/memory/job/memory.stat": "inactive_file 7\ntotal_inactive_file 100\n",
		}, 100},
	} {
		if got := availableMemory(files(c.files)); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
	if AvailableMemory() <= 0 {
		t.Error("this host has no memory")
	}
}
