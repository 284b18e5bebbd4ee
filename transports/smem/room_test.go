package smem

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAvailable(t *testing.T) {
	if n := available([]byte("MemTotal: 5 kB\nMemAvailable:   1000 kB\nSwap: 1 kB\n")); n != 1000<<10 {
		t.Errorf("available is %d", n)
	}
	for _, text := range []string{"", "MemAvailable:", "MemAvailable: x kB"} {
		if n := available([]byte(text)); n != 0 {
			t.Errorf("%q: available is %d", text, n)
		}
	}
	if err := fits(1<<60, 24<<30); err == nil || !strings.Contains(err.Error(), "are available") {
		t.Errorf("an exabyte in 24 GiB: %v", err)
	}
	if err := fits(1<<20, 1<<30); err != nil {
		t.Error(err)
	}
	if err := checkRoom(pageSize); err != nil {
		t.Errorf("no room for a page: %v", err)
	}
}

func TestGroupRoom(t *testing.T) {
	root := t.TempDir()
	write := func(group, file, text string) {
		if err := os.MkdirAll(filepath.Join(root, group), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, group, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n := groupRoom(root, "0::/a/b\n"); n != int(^uint(0)>>1) {
		t.Errorf("without limits: %d", n)
	}
	write("a", "memory.max", "1000\n")
	write("a", "memory.current", "300\n")
	write("a/b", "memory.max", "max\n")
	write("a/b", "memory.current", "200\n")
	if n := groupRoom(root, "1:cpu:/x\n0::/a/b\n"); n != 700 {
		t.Errorf("a limit of the parent: %d", n)
	}
	write("a/b", "memory.max", "100\n")
	if n := groupRoom(root, "0::/a/b\n"); n != 0 {
		t.Errorf("a limit that is overdrawn: %d", n)
	}
}
