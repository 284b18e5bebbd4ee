package rendezvous_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"gobench/internal/lab"
	"gobench/internal/launch/bridge"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/launchtest"
)

// A gather that returns the blocks in another order than that of the ranks, as Cray's libpmi may,
// is the emulator's.
func TestBridgeUnderALPS(t *testing.T) {
	t.Parallel()
	if !bridge.Built {
		t.Skip("SKIPPED: this build has no libpmi; scripts/test-mpi.sh runs this test with the tag pmix")
	}
	directory := t.TempDir()
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", filepath.Join(directory, "libpmi.so.0"), "../../transports/native/pmi/testdata/libpmi.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const ranks = 3
	var wait sync.WaitGroup
	for rank := range ranks {
		wait.Go(func() {
			cmd := exec.Command(launchtest.Binary(t))
			cmd.Env = append(detect.CleanEnv(os.Environ()), launchtest.EnvRole+"=abroad", fmt.Sprintf("ALPS_APP_PE=%d", rank), fmt.Sprintf("EMULATED_SIZE=%d", ranks),
				"EMULATED_FOLDER="+directory, "LD_LIBRARY_PATH="+directory)
			out, err := cmd.CombinedOutput()
			name, _ := os.Hostname()
			want := ""
			if rank == 0 {
				want = fmt.Sprintf("3 ranks on %s %[1]s %[1]s, 3 on mine\n", name)
			}
			if err != nil || string(out) != want {
				t.Errorf("rank %d: %v, it prints %q, want %q", rank, err, out, want)
			}
		})
	}
	wait.Wait()
}

// Between hosts that share no directory, and with no secret, ranks meet by libpmix, which this
// test's program has with the tag pmix.
func TestBridgeUnderRealLaunchers(t *testing.T) {
	t.Parallel()
	if !bridge.Built {
		t.Skip("SKIPPED: this build has no libpmix; scripts/test-mpi.sh runs this test with the tag pmix")
	}
	lab.Need(t, "mpirun.openmpi", "sshd")
	s := launchtest.NewSite(t, 2)
	const want = "4 ranks on h1 h1 h2 h2, 2 on mine"
	mpirun := func(words ...string) []string {
		return slices.Concat([]string{"mpirun.openmpi", "--allow-run-as-root", "--hostfile", s.File("hosts.ompi", "h1 slots=2\nh2 slots=2\n"), "-n", "4",
			"-x", launchtest.EnvRole, "-x", "GORACE"}, words, []string{launchtest.Binary(t)})
	}
	s.Expect(want, nil, mpirun()...)
	// A rank that fails ends the job with its code, although its bridge is the process that has
	// joined.
	s.Refuse("Exit code:    7", []string{launchtest.EnvRole + "=exit7 abroad"}, mpirun()...)
	s.Clean()
	lab.Need(t, "slurmctld", "slurmd", "srun")
	s.Env = append(s.Env, lab.Slurm(s.Hosts)...)
	s.Expect(want, nil, "srun", "-Q", "--mpi=pmix", "-N2", "-n4", launchtest.Binary(t))
	s.Clean("slurm", ": slurm")
}
