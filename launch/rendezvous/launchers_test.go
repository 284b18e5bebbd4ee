package rendezvous_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/internal/lab"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/launchtest"
)

const secretWord = detect.EnvSecret + "=0123456789abcdef"

func TestHydraOverSSH(t *testing.T) {
	t.Parallel()
	lab.Need(t, "mpiexec.hydra", "sshd")
	s := launchtest.NewSite(t, 2)
	file := s.File("machines", "h1:2\nh2:2\n")
	s.Expect("4 ranks on h1 h1 h2 h2, 2 on mine", nil, "mpiexec.hydra", "-f", file, "-n", "4", launchtest.Binary(t))
	s.Expect("2 ranks on h1 h2, 1 on mine", nil, "mpiexec.hydra", "-hosts", "h1,h2", "-ppn", "1", "-n", "2", launchtest.Binary(t))
	s.Refuse("is no socket of this process", []string{}, "mpiexec.hydra", "-f", file, "-n", "2", "bash", "-c", "exec {PMI_FD}>&-; exec "+launchtest.Binary(t))
}

func TestOpenMPIOverSSH(t *testing.T) {
	t.Parallel()
	lab.Need(t, "mpirun.openmpi", "sshd")
	s := launchtest.NewSite(t, 2)
	mpirun := func(n string, words ...string) []string {
		return slices.Concat([]string{"mpirun.openmpi", "--allow-run-as-root", "--hostfile", s.File("hosts.ompi", "h1 slots=2\nh2 slots=2\n"), "-n", n,
			"-x", launchtest.EnvRole, "-x", "GORACE"}, words, []string{launchtest.Binary(t)})
	}
	// By a directory that both hosts share, as home directories usually are; by an address; by the
	// file on one host.
	shared := filepath.Join(s.Hosts[0].Shared(), "cache")
	s.Expect("4 ranks on h1 h1 h2 h2, 2 on mine", []string{"XDG_CACHE_HOME=" + shared}, mpirun("4", "-x", "XDG_CACHE_HOME")...)
	if left, err := os.ReadDir(filepath.Join(shared, "gobench", "meet")); err != nil || len(left) > 0 {
		t.Errorf("in the directory by which ranks met %v are left, %v", left, err)
	}
	s.Expect("4 ranks on h1 h1 h2 h2, 2 on mine", nil, mpirun("4", "-x", "GOBENCH_MEET=file:"+s.Hosts[0].Shared())...)
	s.Expect("4 ranks on h1 h1 h2 h2, 2 on mine", []string{secretWord}, mpirun("4", "-x", "GOBENCH_MEET=h1:7001", "-x", detect.EnvSecret)...)
	s.Expect("2 ranks on h1 h1, 2 on mine", nil, mpirun("2")...)
	s.Refuse("anybody could join there without a secret", nil, mpirun("4", "-x", "GOBENCH_MEET=h1:7001")...)
	s.Expect("4 ranks on h1 h1 h2 h2, 2 on mine", nil, mpirun("4", "-x", "GOBENCH_MEET=h1:7002", "-x", detect.EnvInsecure+"=1")...)
}

// Every host has a bridge with the same address, as those with Docker do, before the right one.
func TestAWrongAddressOnAllHosts(t *testing.T) {
	t.Parallel()
	lab.Need(t, "mpirun.openmpi", "sshd")
	s := launchtest.NewSite(t, 2)
	for _, h := range s.Hosts {
		h.Run("sh", "-c", "ip link add docker0 type bridge && ip addr add 172.17.0.1/16 dev docker0 && ip link set docker0 up")
	}
	s.Expect("2 ranks on h1 h2, 1 on mine", nil, "mpirun.openmpi", "--allow-run-as-root", "--host", "h1,h2", "-n", "2", "-x", launchtest.EnvRole,
		"-x", "GOBENCH_MEET=file:"+s.Hosts[0].Shared(), launchtest.Binary(t))
}

// The ranks are started one by one, by hand, or by whoever sets a few variables.
func TestStartedByHand(t *testing.T) {
	t.Parallel()
	s := launchtest.NewSite(t, 3)
	start := func(h *lab.Host, env ...string) (*exec.Cmd, *bytes.Buffer) {
		t.Helper()
		cmd, out := h.Command(launchtest.Binary(t)), &bytes.Buffer{}
		cmd.Env = slices.Concat(s.Env, env)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out
	}
	for _, job := range []struct {
		name string
		env  func(rank int) []string
	}{
		{"by hand", func(rank int) []string {
			return []string{fmt.Sprintf("GOBENCH_NODE=%d/3", rank), "GOBENCH_MEET=h1:7575", secretWord}
		}},
		{"torchrun", func(rank int) []string {
			return []string{fmt.Sprintf("RANK=%d", rank), "WORLD_SIZE=3", "MASTER_ADDR=h1", "MASTER_PORT=29500", "LOCAL_RANK=0", secretWord}
		}},
		{"lws", func(rank int) []string {
			return []string{fmt.Sprintf("LWS_WORKER_INDEX=%d", rank), "LWS_GROUP_SIZE=3", "LWS_LEADER_ADDRESS=h1", secretWord}
		}},
		{"kubernetes", func(rank int) []string {
			return []string{fmt.Sprintf("JOB_COMPLETION_INDEX=%d", rank), "GOBENCH_NODES=3", "GOBENCH_MEET=job-0.gobench:7575", secretWord}
		}},
		{"batch", func(rank int) []string {
			env := []string{fmt.Sprintf("AWS_BATCH_JOB_NODE_INDEX=%d", rank), "AWS_BATCH_JOB_NUM_NODES=3", "AWS_BATCH_JOB_MAIN_NODE_INDEX=0", "AWS_BATCH_JOB_ID=7#0", secretWord}
			if rank > 0 {
				env = append(env, "AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS="+s.Hosts[0].Address)
			}
			return env
		}},
	} {
		var cmds []*exec.Cmd
		var outs []*bytes.Buffer
		for rank, h := range s.Hosts {
			cmd, out := start(h, job.env(rank)...)
			cmds, outs = append(cmds, cmd), append(outs, out)
		}
		if job.name == "kubernetes" {
			s.Hosts[0].Named("job-0.gobench") // names of pods appear when they are up
		}
		for rank, cmd := range cmds {
			err := cmd.Wait()
			want := ""
			if rank == 0 {
				want = "3 ranks on h1 h2 h3, 1 on mine\n"
			}
			if err != nil || outs[rank].String() != want {
				t.Errorf("%s: rank %d: %v, printed %q, want %q", job.name, rank, err, outs[rank], want)
			}
		}
	}
}

func TestSlurm(t *testing.T) {
	t.Parallel()
	lab.Need(t, "slurmctld", "slurmd", "srun")
	s := launchtest.NewSite(t, 2)
	s.Env = append(s.Env, lab.Slurm(s.Hosts)...)
	shared := "XDG_CACHE_HOME=" + filepath.Join(s.Hosts[0].Shared(), "cache")
	srun := func(mpi string, more ...string) []string {
		return slices.Concat([]string{"srun", "-Q", "--mpi=" + mpi, "-N2", "-n4"}, more, []string{launchtest.Binary(t)})
	}
	const want = "4 ranks on h1 h1 h2 h2, 2 on mine"
	s.Expect(want, nil, srun("pmi2")...)
	s.Expect(want, []string{shared}, srun("none")...)
	s.Expect(want, []string{secretWord}, srun("none")...)
	s.Expect(want, []string{detect.EnvInsecure + "=1", "GOBENCH_MEET=h1:7003"}, srun("none")...)
	s.Expect(want, []string{shared}, srun("pmix")...)
	s.Expect(want, []string{secretWord}, srun("cray_shasta")...)
	// Slurm does not end a step with a killed task: the other ranks, which wait in an exchange,
	// must notice that and name it.
	for role, says := range map[string]string{"killed abroad": "rank 1 on h1 is lost", "root killed abroad": "rank 0 on h1 is lost"} {
		cmd := s.Command([]string{launchtest.EnvRole + "=" + role}, srun("pmi2")...)
		timer := time.AfterFunc(launchtest.Watchdog, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		out, err := cmd.CombinedOutput()
		timer.Stop()
		if n := strings.Count(string(out), says); err == nil || n != 3 {
			t.Errorf("%s: %v, %d of 3 ranks say %q: %s", role, err, n, says, out)
		}
	}
	// A step is a part of its allocation, and its ranks need not begin on the first host.
	s.Expect("2 ranks on h2 h1, 1 on mine", []string{secretWord, "SLURM_HOSTFILE=" + s.File("order", "h2\nh1\n")},
		"srun", "-Q", "--mpi=none", "-n2", "--distribution=arbitrary", launchtest.Binary(t))
	// In an allocation, other launchers start ranks below Slurm's daemons, whose variables they
	// inherit.
	lab.Need(t, "mpiexec.hydra", "mpirun.openmpi", "sshd")
	s.Expect(want, nil, "salloc", "-Q", "-N2", "-n4", "mpiexec.hydra", "-bootstrap", "slurm", "-n", "4", launchtest.Binary(t))
	s.Expect(want, []string{shared}, "salloc", "-Q", "-N2", "-n4", "mpirun.openmpi", "--allow-run-as-root", "-n", "4", launchtest.Binary(t))
}
