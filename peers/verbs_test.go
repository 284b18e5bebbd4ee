package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The targets of verbs are judged by the median of the rounds' ratios, and what has a target is
// to be measured.
func TestVerbsAreJudged(t *testing.T) {
	fine := "what the machine says\n1 raw_native 11 10 400\n2 raw_native 30 10 400\n3 raw_native 10 10 400\n1 device 13 10 400\n1 bandwidth 96 100 160\n"
	for _, c := range []struct {
		rows, want string
		code       int
	}{
		{fine, "1.10 (1.00 to 3.00, n=3), target at most 1.15: held", 0},
		{fine + "1 write_go 15 10 400\n", "1.50 (1.50 to 1.50, n=1)\n", 0}, // has no target
		{fine + "2 raw_native 30 10 400\n1 raw_native 20 10 400\n", "2.00 (1.00 to 3.00, n=3), target at most 1.15: MISSED", 1},
		{"1 raw_native 11 10 400\n1 device 13 10 400\n", "bandwidth, 1 MiB: not measured", 1},
	} {
		rows := filepath.Join(t.TempDir(), "rows")
		if err := os.WriteFile(rows, []byte(c.rows), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("awk", "-f", "../scripts/compare-verbs.awk", rows).Output()
		code := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("exit code %d, want %d and %q in\n%s", code, c.code, c.want, out)
		}
	}
}
