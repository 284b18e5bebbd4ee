package host

import (
	"io/fs"
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
