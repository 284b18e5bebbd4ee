package sweep

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"gobench/internal/exit"
)

// besideLaunched returns the options of a sweep of the substitute for gobench, without and with
// launchers, which are shell scripts by their names.
func besideLaunched(t *testing.T, table string, scripts map[string]string) Options {
	t.Helper()
	a := beside(t, "[[p2p]]\n"+table, scripts)
	a.Verbs[0].Flags = append(a.Verbs[0].Flags, "np", "pin")
	return a
}

// launcherScript counts its calls and starts one rank.
const launcherScript = `echo "$0 $COLOUR $GOBENCH_LAUNCH: $*" >> calls; while [ "$1" != -- ]; do shift; done; shift; exec "$@"`

// A launcher starts the ranks, alternates with other launches, and is recorded with the command.
func TestLaunchersStartRanks(t *testing.T) {
	a := besideLaunched(t, `transport = "mpi"
launcher = ["./one -n {np} --cpus={cores} --", "COLOUR=red ./two --"]
`, map[string]string{"one": launcherScript, "two": launcherScript})
	swept(t, a)
	var commands []string
	for _, l := range launched(t, a.File) {
		commands = append(commands, strings.Join(l.Command, " "))
	}
	slices.Sort(commands)
	want := []string{"p2p --transport=mpi --launcher=./one -n {np} --cpus={cores} --", "p2p --transport=mpi --launcher=COLOUR=red ./two --", "p2p --transport=smem"}
	if got := slices.Compact(slices.Clone(commands)); len(commands) != 6 || !slices.Equal(got, want) {
		t.Errorf("launched are %q", commands)
	}
	calls, _ := os.ReadFile("calls")
	program, _ := os.Getwd()
	for _, want := range []string{
		"./one  1: -n 2 --cpus=", " -- " + program + "/gobench p2p --transport=mpi --json --output=x.jsonl\n",
		"./two red 2: -- " + program + "/gobench p2p --transport=mpi --json --output=x.jsonl\n",
	} {
		if !strings.Contains(string(calls), want) {
			t.Errorf("no %q in\n%s", want, calls)
		}
	}
	if n := bytes.Count(calls, []byte("\n")); n != 4 {
		t.Errorf("%d calls, want two launches of each\n%s", n, calls)
	}
	// What is in the file is not launched again.
	if out, err := attempt(t, a); err != nil || !strings.Contains(out, "already contains all launches") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A dry run of a sweep starts no launcher.
func TestADryRunStartsNoLauncher(t *testing.T) {
	a := besideLaunched(t, "transport = \"mpi\"\nlauncher = \"./one --\"\n", map[string]string{"one": launcherScript})
	t.Setenv(standIn, "1")
	a.DryRun = true
	if out, err := attempt(t, a); err != nil || !strings.Contains(out, "--launcher=./one --") {
		t.Errorf("%v\n%s", err, out)
	}
	if calls, err := os.ReadFile("calls"); err == nil {
		t.Errorf("it was started: %s", calls)
	}
}

// A launcher that is not installed, fails or is invalid is reported.
func TestLaunchersThatDoNotWork(t *testing.T) {
	for name, c := range map[string]struct {
		table, want string
		usage       bool
	}{
		"is not there":            {`launcher = "./none -n {np}"`, "gobench p2p --transport=mpi --launcher=./none -n {np}: it needs ./none: no such file or directory; skip-unavailable = true leaves it out", true},
		"fails":                   {`launcher = "./bad"`, "p2p --transport=mpi --launcher=./bad failed with exit code 1 and is left out from now on", false},
		"hangs":                   {"limit = \"50ms\"\nlauncher = \"./hangs\"", "it did not end within 50ms", false},
		"has a wrong limit":       {"limit = \"soon\"\nlauncher = \"./bad\"", `limit is "soon", want a time`, true},
		"has a limit alone":       {`limit = "1s"`, "limit is a key of tables with a launcher", true},
		"has a wrong placeholder": {`launcher = "./bad {nb}"`, `unknown placeholder "nb"`, true},
		"has several numbers":     {"np = \"1,2\"\nlauncher = \"./bad -n {np}\"", "a launcher starts one number of ranks", true},
		"is empty":                {`launcher = "A=1"`, "launcher names no program", true},
	} {
		t.Run(name, func(t *testing.T) {
			a := besideLaunched(t, "transport = \"mpi\"\n"+c.table+"\n", map[string]string{
				"bad":   "echo no slots >&2; exit 1",
				"hangs": "sleep 1000 & exec sleep 1000",
			})
			out, err := attempt(t, a)
			_, usage := errors.AsType[*exit.UsageError](err)
			if err == nil || usage != c.usage || !strings.Contains(err.Error()+out, c.want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// If the file allows it, commands without their launcher are left out and reported.
func TestLaunchersAreLeftOut(t *testing.T) {
	a := besideLaunched(t, "transport = \"mpi\"\nlauncher = \"./none -n {np}\"\n", nil)
	text, _ := os.ReadFile(a.Path)
	os.WriteFile(a.Path, append([]byte("skip-unavailable = true\n"), text...), 0o644)
	out, err := attempt(t, a)
	if n := len(launched(t, a.File)); err != nil || n != 2 || !strings.Contains(out, "# left out gobench p2p --transport=mpi --launcher=./none -n {np}: it needs ./none") {
		t.Errorf("%v, %d launches\n%s", err, n, out)
	}
}
