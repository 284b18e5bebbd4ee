package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// make build must not lose the vector loops unnoticed. A go command that ignores the experiment is
// a toolchain later than 1.26.
func TestBuildsWithoutVectorLoopsAreRefused(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("SKIPPED: vector loops exist for amd64 only")
	}
	later := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(later, []byte("#!/bin/sh\nGOEXPERIMENT= exec go \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		simd, command string
		refused       bool
	}{
		{"on", "go", false},
		{"on", later, true},
		{"off", later, false},
	} {
		cmd := exec.Command(filepath.Join(root, "scripts", "vectors.sh"))
		cmd.Env = append(os.Environ(), "SIMD="+c.simd, "GO="+c.command)
		out, err := cmd.CombinedOutput()
		if (err != nil) != c.refused || strings.Contains(string(out), "SIMD=off") != c.refused {
			t.Errorf("SIMD=%s with %s: %v, %s, want it refused: %v", c.simd, filepath.Base(c.command), err, out, c.refused)
		}
	}
}
