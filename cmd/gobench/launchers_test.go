package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gobench/bench/record"
	"gobench/internal/lab"
)

// Where mpiexec of MPICH starts a process on each of two hosts, these are the ranks, whatever is
// measured: rank 0 alone prints and writes records.
func TestUnderMpiexec(t *testing.T) {
	if testing.Short() {
		t.Skip("several hosts take seconds to make")
	}
	lab.Need(t, "mpiexec.hydra", "sshd")
	hosts := lab.Hosts(t, 2)
	// The test's program acts as gobench under that name.
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	gobench := filepath.Join(hosts[0].Shared(), "gobench")
	if err := os.Symlink(program, gobench); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ verb, prints string }{
		{"p2p --sizes=8,1K", "# pingpong over tcp"},
		{"coll --op=allreduce --sizes=8", "# allreduce"},
		{"npb is --class=S --repeat=1", "is S"},
	} {
		words := strings.Fields(test.verb)
		file := filepath.Join(hosts[0].Shared(), words[0]+".jsonl")
		args := append([]string{"-hosts", "h1,h2", "-n", "2", gobench}, words...)
		cmd := hosts[0].Command("mpiexec.hydra", append(args, "--transport=tcp", "--launches=2", "-o", file)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", test.verb, err, out)
			continue
		}
		if n := strings.Count(string(out), "# ranks 2, launcher pmi"); n != 1 || !strings.Contains(string(out), test.prints) {
			t.Errorf("%s: %d ranks print\n%s", test.verb, n, out)
		}
		records, err := record.Load(file)
		if err != nil || len(records.Runs) != 2 || len(records.Points) == 0 {
			t.Errorf("%s: recorded are %+v, %v", test.verb, records, err)
		}
	}
	// A rank that is lost ends the job, with a sentence and without a process that stays.
	out, err := hosts[0].Command("mpiexec.hydra", "-hosts", "h1,h2", "-n", "2", gobench,
		"p2p", "--transport=tcp", "--fault=drop:100", "-o", filepath.Join(hosts[0].Shared(), "drop.jsonl")).CombinedOutput()
	if err == nil || !regexp.MustCompile(`gobench: .*rank 1`).Match(out) {
		t.Errorf("a rank is lost: %v\n%s", err, out)
	}
	for _, h := range hosts {
		if left := h.Processes(); len(left) > 0 {
			t.Errorf("on %s %q are left", h.Name, left)
		}
	}
}
