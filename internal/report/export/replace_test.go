package export

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A file is the earlier one until it is complete, and keeps its mode. Links and devices stay what
// they are.
func TestReplace(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	broken := errors.New("broken")
	for _, c := range []struct {
		name, earlier string
		link          bool
		fails         error
		want          string
		mode          fs.FileMode
	}{
		{"new", "", false, nil, "new", 0o640},
		{"earlier", "old", false, nil, "new", 0o600},
		{"a link", "old", true, nil, "new", fs.ModeSymlink | 0o777},
		{"an error", "old", false, broken, "old", 0o600},
		{"an error of a new one", "", false, broken, "", 0},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.prom")
		if c.earlier != "" {
			os.WriteFile(path, []byte(c.earlier), 0o600)
		}
		target := path
		if c.link {
			path = filepath.Join(dir, "link")
			os.Symlink("x.prom", path)
		}
		err := Replace(path, func(w io.Writer) error {
			io.WriteString(w, "new")
			if during, _ := os.ReadFile(path); !c.link && string(during) != c.earlier {
				t.Errorf("%s: %q while it is written", c.name, during)
			}
			return c.fails
		})
		got, _ := os.ReadFile(target)
		info, _ := os.Lstat(path)
		left, _ := filepath.Glob(filepath.Join(dir, ".*"))
		mode := fs.FileMode(0)
		if info != nil {
			mode = info.Mode()
		}
		if err != c.fails || string(got) != c.want || len(left) > 0 || mode != c.mode {
			t.Errorf("%s: %v, %q of mode %v, left %v", c.name, err, got, mode, left)
		}
	}
	full := func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }
	for path, want := range map[string]string{"/dev/full": "write /dev/full: ", "/dev/null/x": "open /dev/null/x: ", "missing/x": "open missing/x: "} {
		if err := Replace(path, full); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
