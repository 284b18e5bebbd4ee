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
	cmd := exec.Command("sh", "-c", `"$@"; exit`, "TOKEN=secret", program, "-test.run=^TestStartedBy$")
	cmd.Env = append(os.Environ(), wanted+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := `sh|-c|"$@"; exit|TOKEN=|` + program + "|-test.run=^TestStartedBy$|\n"; !strings.HasPrefix(string(out), want) {
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

// A recorded command line has no value of an environment variable.
func TestStartedByHasNoSecrets(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"mpirun|-n|2|--map-by|node:PE=2|-x|TOKEN=a=b,c|-x|OMPI_MCA_btl|gobench", "mpirun|-n|2|--map-by|node:PE=2|-x|TOKEN=|-x|OMPI_MCA_btl|gobench"},
		{"mpirun|-mca|mca_base_env_list|TOKEN=a;B=c|gobench", "mpirun|-mca|mca_base_env_list|TOKEN=|gobench"},
		{"mpirun|-mca|mca_base_env_list|HOME;TOKEN=a|gobench", "mpirun|-mca|mca_base_env_list|HOME;TOKEN=|gobench"},
		{"mpiexec.hydra|-genv|TOKEN|a=b|-env|B|-c|-genvlist|HOME|-n|2|gobench", "mpiexec.hydra|-genv|TOKEN||-env|B||-genvlist|HOME|-n|2|gobench"},
		{"mpiexec|--genv|TOKEN=a|-n|2|gobench", "mpiexec|--genv|TOKEN=|-n|2|gobench"},
		{"mpiexec|--bind-to=core|--env|TOKEN=a|-n|2|gobench", "mpiexec|--bind-to=core|--env|TOKEN=|-n|2|gobench"},
		{"srun|--export=ALL,GOBENCH_SECRET=a,b|-n2|gobench", "srun|--export=ALL,GOBENCH_SECRET=|-n2|gobench"},
		{"srun|--export=TOKEN=a,B=c|gobench", "srun|--export=TOKEN=|gobench"},
		{`sh|-c|[ a = b ] && TOKEN="a" "$@"|x|gobench`, "sh|-c|[ a = b ] && TOKEN=|x|gobench"},
		{"srun|--export|ALL,TOKEN=a|gobench", "srun|--export|ALL,TOKEN=|gobench"},
		{"flux|run|--env=TOKEN=a|-n2|gobench", "flux|run|--env=TOKEN=|-n2|gobench"},
		{"sudo|TOKEN=a|gobench", "sudo|TOKEN=|gobench"},
		{`sh|-c|export TOKEN=a; "$@"; exit|launcher|gobench`, "sh|-c|export TOKEN=|launcher|gobench"},
		{"sudo|/usr/bin/sshpass|-p|secret|gobench", ""},
	} {
		words := append(strings.Split(c.line, "|"), "p2p", "--tag", "fabric=roce")
		n := len(words) - 4
		want := c.want
		if want != "" {
			want += "|p2p|--tag|fabric=roce"
		}
		if got := strings.Join(public(words, n), "|"); got != want {
			t.Errorf("%s: %s, want %s", c.line, got, want)
		}
	}
}
