package host

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A process finds the command line of its launcher among its ancestors. Here the launcher is a
// shell that does not end before its child.
func TestStartedBy(t *testing.T) {
	const wanted = "GOBENCH_TEST_STARTED_BY"
	if os.Getenv(wanted) != "" {
		os.Stdout.WriteString(strings.Join(StartedBy([]string{"host.test", "-test.run=^TestStartedBy$"}), "|") + "|\n")
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `"$@"; exit`, "launcher", program, "-test.run=^TestStartedBy$")
	cmd.Env = append(os.Environ(), wanted+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := `sh|-c|"$@"; exit|launcher|` + program + "|-test.run=^TestStartedBy$|\n"; !strings.HasPrefix(string(out), want) {
		t.Errorf("%q, want %q", out, want)
	}
	if by := StartedBy([]string{"gobench", "p2p"}); by != nil {
		t.Errorf("this test was started by %q", by)
	}
}

func TestLaunchersEndWithTheCommand(t *testing.T) {
	command := []string{"gobench-mpi", "p2p", "--sizes=8"}
	for line, want := range map[string]bool{
		"mpirun -n 2 bin/gobench-mpi p2p --sizes=8": true,
		"gobench-mpi p2p --sizes=8":                 false,
		"sh -c gobench-mpi p2p":                     false,
		"mpirun -n 2 gobench p2p --sizes=8":         false,
		"mpirun -n 2 gobench-mpi p2p --sizes=16":    false,
	} {
		if got := launches(strings.Fields(line), command); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
