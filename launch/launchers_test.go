package launch

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/internal/lab"
	"gobench/launch/detect"
)

// abroad is the role of ranks that other launchers start on several hosts: they exchange blobs of
// many lengths, and rank 0 says where they all are.
func abroad(ctx context.Context, r *Rank) int {
	for round := range 6 {
		blob := func(rank int) []byte {
			n := rand.New(rand.NewPCG(uint64(rank), uint64(round))).IntN(4000)
			return bytes.Repeat([]byte{byte(rank)}, n)
		}
		all, err := r.Exchange(ctx, blob(r.Rank()))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		for rank := range all {
			if !bytes.Equal(all[rank], blob(rank)) {
				fmt.Fprintf(os.Stderr, "rank %d: the blob of rank %d is wrong\n", r.Rank(), rank)
				return 3
			}
		}
	}
	if r.Rank() == 0 {
		var names []string
		for rank := range r.Size() {
			names = append(names, r.HostName(rank))
		}
		fmt.Printf("%d ranks on %s, %d on mine\n", r.Size(), strings.Join(names, " "), r.LocalSize())
	}
	return 0
}

// site is a lab with what users of it have in their environment.
type site struct {
	t     *testing.T
	hosts []*lab.Host
	env   []string
}

func newSite(t *testing.T, n int) *site {
	if testing.Short() {
		t.Skip("several hosts take seconds to make")
	}
	hosts := lab.Hosts(t, n)
	return &site{t, hosts, append(detect.CleanEnv(os.Environ()), envRole+"=abroad", "GORACE=atexit_sleep_ms=0")}
}

// file writes a file that all hosts see.
func (s *site) file(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.hosts[0].Shared(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// command is one on h1, with these words more in its environment.
func (s *site) command(env []string, args ...string) *exec.Cmd {
	cmd := s.hosts[0].Command(args[0], args[1:]...)
	cmd.Env = slices.Concat(s.env, env)
	return cmd
}

// A child of Open MPI's launcher that has started ssh before its parent made it leader of a process
// group causes this warning, after which all goes on.
var ompiWarning = regexp.MustCompile(`(?m)^\[.*\] plm:rsh: Warning: setpgid.*\n`)

// expect runs a command that prints a line with want, and nothing else.
func (s *site) expect(want string, env []string, args ...string) {
	s.t.Helper()
	cmd := s.command(env, args...)
	timer := time.AfterFunc(watchdog, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(ompiWarning.ReplaceAllString(string(out), "")) != want {
		s.t.Errorf("%s:\n%v, printed %q\nwant %q", strings.Join(args, " "), err, out, want)
	}
}

// refused runs a command that fails and says so.
func (s *site) refused(want string, env []string, args ...string) {
	s.t.Helper()
	out, err := s.command(env, args...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), want) {
		s.t.Errorf("%s:\n%v, printed %q\nwant %q", strings.Join(args, " "), err, out, want)
	}
}

func testBinary(t *testing.T) string {
	t.Helper()
	p, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const secretWord = detect.EnvSecret + "=0123456789abcdef"

func TestHydraOverSSH(t *testing.T) {
	t.Parallel()
	lab.Need(t, "mpiexec.hydra", "sshd")
	s := newSite(t, 2)
	file := s.file("machines", "h1:2\nh2:2\n")
	s.expect("4 ranks on h1 h1 h2 h2, 2 on mine", nil, "mpiexec.hydra", "-f", file, "-n", "4", testBinary(t))
	s.expect("2 ranks on h1 h2, 1 on mine", nil, "mpiexec.hydra", "-hosts", "h1,h2", "-ppn", "1", "-n", "2", testBinary(t))
	s.refused("is no socket of this process", []string{}, "mpiexec.hydra", "-f", file, "-n", "2", "bash", "-c", "exec {PMI_FD}>&-; exec "+testBinary(t))
}

func TestOpenMPIOverSSH(t *testing.T) {
	t.Parallel()
	lab.Need(t, "mpirun.openmpi", "sshd")
	s := newSite(t, 2)
	mpirun := func(n string, words ...string) []string {
		return slices.Concat([]string{"mpirun.openmpi", "--allow-run-as-root", "--hostfile", s.file("hosts.ompi", "h1 slots=2\nh2 slots=2\n"), "-n", n,
			"-x", envRole, "-x", "GORACE"}, words, []string{testBinary(t)})
	}
	// By a folder that both hosts share, as home folders usually are; by an address; by the file on
	// one host.
	shared := filepath.Join(s.hosts[0].Shared(), "cache")
	s.expect("4 ranks on h1 h1 h2 h2, 2 on mine", []string{"XDG_CACHE_HOME=" + shared}, mpirun("4", "-x", "XDG_CACHE_HOME")...)
	if left, err := os.ReadDir(filepath.Join(shared, "gobench", "meet")); err != nil || len(left) > 0 {
		t.Errorf("in the folder by which ranks met %v are left, %v", left, err)
	}
	s.expect("4 ranks on h1 h1 h2 h2, 2 on mine", nil, mpirun("4", "-x", "GOBENCH_MEET=file:"+s.hosts[0].Shared())...)
	s.expect("4 ranks on h1 h1 h2 h2, 2 on mine", []string{secretWord}, mpirun("4", "-x", "GOBENCH_MEET=h1:7001", "-x", detect.EnvSecret)...)
	s.expect("2 ranks on h1 h1, 2 on mine", nil, mpirun("2")...)
	s.refused("anybody could join there without a secret", nil, mpirun("4", "-x", "GOBENCH_MEET=h1:7001")...)
	s.expect("4 ranks on h1 h1 h2 h2, 2 on mine", nil, mpirun("4", "-x", "GOBENCH_MEET=h1:7002", "-x", detect.EnvInsecure+"=1")...)
}

// Every host has a bridge with the same address, as those with Docker do, before the right one.
func TestAWrongAddressOnAllHosts(t *testing.T) {
	t.Parallel()
	lab.Need(t, "mpirun.openmpi", "sshd")
	s := newSite(t, 2)
	for _, h := range s.hosts {
		h.Run("sh", "-c", "ip link add docker0 type bridge && ip addr add 172.17.0.1/16 dev docker0 && ip link set docker0 up")
	}
	s.expect("2 ranks on h1 h2, 1 on mine", nil, "mpirun.openmpi", "--allow-run-as-root", "--host", "h1,h2", "-n", "2", "-x", envRole,
		"-x", "GOBENCH_MEET=file:"+s.hosts[0].Shared(), testBinary(t))
}

// The ranks are started one by one, by hand, or by whoever sets a few variables.
func TestStartedByHand(t *testing.T) {
	t.Parallel()
	s := newSite(t, 3)
	start := func(h *lab.Host, env ...string) (*exec.Cmd, *bytes.Buffer) {
		t.Helper()
		cmd, out := h.Command(testBinary(t)), &bytes.Buffer{}
		cmd.Env = slices.Concat(s.env, env)
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
				env = append(env, "AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS="+s.hosts[0].Address)
			}
			return env
		}},
	} {
		var cmds []*exec.Cmd
		var outs []*bytes.Buffer
		for rank, h := range s.hosts {
			cmd, out := start(h, job.env(rank)...)
			cmds, outs = append(cmds, cmd), append(outs, out)
		}
		if job.name == "kubernetes" {
			s.hosts[0].Named("job-0.gobench") // names of pods appear when they are up
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
	s := newSite(t, 2)
	s.env = append(s.env, lab.Slurm(s.hosts)...)
	shared := "XDG_CACHE_HOME=" + filepath.Join(s.hosts[0].Shared(), "cache")
	srun := func(mpi string, more ...string) []string {
		return slices.Concat([]string{"srun", "-Q", "--mpi=" + mpi, "-N2", "-n4"}, more, []string{testBinary(t)})
	}
	const want = "4 ranks on h1 h1 h2 h2, 2 on mine"
	s.expect(want, nil, srun("pmi2")...)
	s.expect(want, []string{shared}, srun("none")...)
	s.expect(want, []string{secretWord}, srun("none")...)
	s.expect(want, []string{detect.EnvInsecure + "=1", "GOBENCH_MEET=h1:7003"}, srun("none")...)
	s.expect(want, []string{shared}, srun("pmix")...)
	s.expect(want, []string{secretWord}, srun("cray_shasta")...)
	// Slurm does not end a step with a killed task: the other ranks, which wait in an exchange,
	// must notice that and name it.
	for role, says := range map[string]string{"killed abroad": "rank 1 on h1 is lost", "root killed abroad": "rank 0 on h1 is lost"} {
		cmd := s.command([]string{envRole + "=" + role}, srun("pmi2")...)
		timer := time.AfterFunc(watchdog, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		out, err := cmd.CombinedOutput()
		timer.Stop()
		if n := strings.Count(string(out), says); err == nil || n != 3 {
			t.Errorf("%s: %v, %d of 3 ranks say %q: %s", role, err, n, says, out)
		}
	}
	// A step is a part of its allocation, and its ranks need not begin on the first host.
	s.expect("2 ranks on h2 h1, 1 on mine", []string{secretWord, "SLURM_HOSTFILE=" + s.file("order", "h2\nh1\n")},
		"srun", "-Q", "--mpi=none", "-n2", "--distribution=arbitrary", testBinary(t))
	// In an allocation, other launchers start ranks below Slurm's daemons, whose variables they
	// inherit.
	lab.Need(t, "mpiexec.hydra", "mpirun.openmpi", "sshd")
	s.expect(want, nil, "salloc", "-Q", "-N2", "-n4", "mpiexec.hydra", "-bootstrap", "slurm", "-n", "4", testBinary(t))
	s.expect(want, []string{shared}, "salloc", "-Q", "-N2", "-n4", "mpirun.openmpi", "--allow-run-as-root", "-n", "4", testBinary(t))
}
