package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gobench/internal/lab"
	"gobench/record"
)

// reproduced measures and draws a report in one directory, and pastes what the report states under
// "How to reproduce" into a shell in another, empty one. Both directories must then have the same
// cells, from as many runs, and a report. run makes a command in a directory; measure is a line of
// the shell that writes records to x.jsonl.
func reproduced(t *testing.T, run func(dir, script string) *exec.Cmd, dir, measure string) {
	t.Helper()
	first, again := filepath.Join(dir, "first"), filepath.Join(dir, "again")
	for _, dir := range []string{first, again} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	sh := func(dir, script string) {
		t.Helper()
		if out, err := run(dir, script).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, script, out)
		}
	}
	sh(first, measure+" && gobench report x.jsonl -o r.md")
	page, err := os.ReadFile(filepath.Join(first, "r.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, how, _ := strings.Cut(string(page), "## How to reproduce")
	_, how, _ = strings.Cut(how, "```sh\n")
	script, _, found := strings.Cut(how, "```\n")
	if !found {
		t.Fatalf("the report has no commands:\n%s", page)
	}
	sh(again, script)
	cells := func(dir string) (runs int, keys map[string]bool) {
		t.Helper()
		file, err := record.ReadFile(filepath.Join(dir, "x.jsonl"))
		if err != nil {
			t.Fatalf("%v, after\n%s", err, script)
		}
		keys = map[string]bool{}
		for _, p := range file.Points {
			keys[p.CellKey()] = true
		}
		return len(file.Runs), keys
	}
	runs, want := cells(first)
	if n, got := cells(again); n != runs || !maps.Equal(got, want) || len(want) == 0 {
		t.Errorf("%d runs of the cells %q, want %d of %q, by\n%s", n, slices.Collect(maps.Keys(got)), runs, slices.Collect(maps.Keys(want)), script)
	}
	if _, err := os.Stat(filepath.Join(again, "r.md")); err != nil {
		t.Errorf("%v, after\n%s", err, script)
	}
}

const quick = " --launches=2 --sizes=8 --budget=2ms -o x.jsonl"

// What a report states under "How to reproduce" repeats the measurements when it is pasted.
func TestPastedCommandsRepeatTheMeasurements(t *testing.T) {
	t.Parallel()
	bin := programCalled(t, t.TempDir(), "gobench")
	run := func(dir, script string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+filepath.Join(dir, ".cache"))
		return cmd
	}
	for name, measure := range map[string]string{
		"p2p":     "gobench p2p" + quick,
		"coll":    "gobench coll --op=bcast -n 2" + quick + " && gobench coll --op=bcast -n 2" + quick,
		"sweep":   "printf 'name = \"two\"\\n# it'\\''s\\n[[p2p]]\\ntransport = [\"smem\", \"tcp\"]\\nsizes = \"8\"\\nbudget = \"2ms\"\\n' > 'a plan!.toml' && gobench sweep 'a plan!.toml' --launches=2 -o x.jsonl",
		"mpi":     "mpiexec.hydra -n 2 gobench p2p" + quick,
		"by hand": "mkdir meet; { gobench p2p --node=1/2 --meet=file:meet" + quick + " & gobench p2p --node=0/2 --meet=file:meet" + quick + " && wait; }",
	} {
		t.Run(name, func(t *testing.T) {
			if name == "mpi" {
				lab.Need(t, "mpiexec.hydra")
			}
			reproduced(t, run, t.TempDir(), measure)
		})
	}
}

// The same between hosts: the block names them.
func TestPastedCommandsRepeatMeasurementsOnHosts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("SKIPPED: -short leaves out several hosts, which take seconds to make")
	}
	lab.Need(t, "sshd")
	hosts := lab.Hosts(t, 2)
	bin := programCalled(t, hosts[0].Shared(), "gobench")
	run := func(dir, script string) *exec.Cmd {
		return hosts[0].Command("sh", "-c", "cd '"+dir+"' && PATH='"+bin+"':$PATH && "+script)
	}
	for name, measure := range map[string]string{
		"hosts":    "gobench p2p --hosts=h1,h2" + quick,
		"hostfile": "printf 'h1 slots=1\\nh2 slots=1\\n' > nodes && gobench coll --op=bcast --hostfile=nodes" + quick,
	} {
		dir := filepath.Join(hosts[0].Shared(), "repeat-"+name)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		reproduced(t, run, dir, measure)
		// The policy of placement is in the records: p2p spreads its ranks, coll fills the hosts.
		file, err := record.ReadFile(filepath.Join(dir, "first", "x.jsonl"))
		if want := map[string]string{"hosts": "spread"}[name]; err != nil || file.Points[0].Placement != want {
			t.Errorf("%s: placed %q, want %q (%v)", name, file.Points[0].Placement, want, err)
		}
	}
}

// programCalled makes the program of this test available under a name, and returns its directory.
func programCalled(t *testing.T, dir, name string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	return dir
}
