package detect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// environments as launchers make them; each file belongs to one rank, and begins with what is to be
// read from it.
func TestRecordedEnvironments(t *testing.T) {
	files, err := filepath.Glob("testdata/env-*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no environments", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, rest, _ := strings.Cut(string(text), "\n")
			env := environment(strings.Split(strings.TrimSpace(rest), "\n")...)
			b, _ := FindBootstrap(env)
			if b == nil {
				t.Fatal("no launcher is found")
			}
			got := b.Name
			if b.Read != nil {
				p, err := b.Read(env)
				got += fmt.Sprintf(" rank %d of %d at %v", p.Rank, p.Size, p.Roots)
				if err != nil {
					got = b.Name + " " + err.Error()
				}
			} else if p, err := env.Numbered("PMI_RANK", "PMI_SIZE"); err == nil {
				got += fmt.Sprintf(" rank %d of %d", p.Rank, p.Size)
			}
			if want := strings.TrimPrefix(head, "# "); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// Pods of a PyTorchJob are one job, although older operators tell the first that the master is
// localhost; those with masters on other hosts are not.
func TestJobOfPyTorch(t *testing.T) {
	own, _ := os.Hostname()
	job := func(rank int, master, port string) string {
		p, err := readTorchrun(environment(fmt.Sprintf("RANK=%d", rank), "WORLD_SIZE=2", "MASTER_ADDR="+master, "MASTER_PORT="+port))
		if err != nil {
			t.Fatal(err)
		}
		return p.Job
	}
	if first, second := job(0, "localhost", "1"), job(1, own, "1"); first != second {
		t.Errorf("the first pod is of job %q, the second of %q", first, second)
	}
	if job(0, "localhost", "1") == job(0, "another", "1") || job(0, own, "1") == job(0, own, "2") {
		t.Error("two jobs have one name")
	}
}
