package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// tree is the file system with proc and sys at its root. Facts from missing or unreadable files are
// absent; this is not an error, because containers and virtual machines hide many files.
type tree struct{ fs.FS }

// text returns a file without surrounding white space, "" if there is none.
func (t tree) text(name string) string {
	b, err := fs.ReadFile(t, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// number returns the integer in a file, nil if there is none.
func (t tree) number(name string) *int64 {
	n, err := strconv.ParseInt(t.text(name), 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// cores returns a list such as "0-3,8", nil if there is none.
func (t tree) cores(name string) []int {
	list, err := ParseCores(t.text(name))
	if err != nil {
		return nil
	}
	return list
}

// chosen returns the word in brackets: "madvise" of "always [madvise] never".
func (t tree) chosen(name string) string {
	_, rest, _ := strings.Cut(t.text(name), "[")
	word, _, found := strings.Cut(rest, "]")
	if !found {
		return ""
	}
	return word
}

// numbered returns the paths in a dir whose last element is prefix and a
// number, by that number.
func (t tree) numbered(dir, prefix string) map[int]string {
	entries, _ := fs.ReadDir(t, dir)
	found := make(map[int]string)
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), prefix)
		if n, err := strconv.Atoi(digits); ok && err == nil && n >= 0 {
			found[n] = path.Join(dir, e.Name())
		}
	}
	return found
}

// fields splits lines of "key : value".
func fields(text string) func(yield func(key, value string) bool) {
	return func(yield func(string, string) bool) {
		for line := range strings.Lines(text) {
			key, value, ok := strings.Cut(line, ":")
			if ok && !yield(strings.TrimSpace(key), strings.TrimSpace(value)) {
				return
			}
		}
	}
}

// names lists a dir, sorted; empty if there is none.
func (t tree) names(dir string) []string {
	entries, _ := fs.ReadDir(t, dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// NoProc adds the remedy to the error of a file of /proc that cannot be found.
func NoProc(err error) error {
	if _, e := os.Stat("/proc/self/exe"); e != nil && errors.Is(err, syscall.ENOENT) {
		return fmt.Errorf("%w: /proc is not mounted, or is that of another PID namespace (mount -t proc proc /proc)", err)
	}
	return err
}
