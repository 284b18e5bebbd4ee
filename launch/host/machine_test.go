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
		{"no limit", map[string]string{"proc/meminfo": meminfo, "sys/fs/cgroup/memory.max": "max"}, 5 << 10},
		{"a limit", map[string]string{
			"proc/meminfo": meminfo, "sys/fs/cgroup/memory.max": "4096", "sys/fs/cgroup/memory.current": "1000",
		}, 3096},
	} {
		if got := availableMemory(files(c.files)); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
	if AvailableMemory() <= 0 {
		t.Error("this host has no memory")
	}
}
