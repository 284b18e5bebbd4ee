package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gobench/internal/lab"
	"gobench/internal/launch/host"
	"gobench/record"
)

// Processes that mpiexec of MPICH starts on two hosts are the ranks of every verb. Only rank 0
// prints and writes records.
func TestUnderMpiexec(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("SKIPPED: -short leaves out several hosts, which take seconds to make")
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
	for _, test := range []struct{ verb, prints, once string }{
		{"p2p --sizes=8,1K", "# pingpong over tcp", "# ranks 2, launcher pmi"},
		{"coll --op=allreduce,alltoall --sizes=3,8", "# allreduce", "gobench: allreduce leaves out 3 B: "},
		{"npb is --class=S --repeat=1", "is S", "# ranks 2, launcher pmi"},
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
		if n := strings.Count(string(out), test.once); n != 1 || !strings.Contains(string(out), test.prints) {
			t.Errorf("%s: %d ranks print\n%s", test.verb, n, out)
		}
		records, err := record.Load(file, &record.Repeats{})
		if err != nil || len(records.Runs) != 2 || len(records.Points) == 0 {
			t.Errorf("%s: recorded are %+v, %v", test.verb, records, err)
		}
	}
	// A dry run measures nothing, and one rank prints the plan.
	file := filepath.Join(hosts[0].Shared(), "dry.jsonl")
	plan, err := hosts[0].Command("mpiexec.hydra", "-hosts", "h1,h2", "-n", "2", gobench, "p2p", "--transport=tcp", "--dry-run", "-o", file).CombinedOutput()
	if _, e := os.Stat(file); err != nil || e == nil || strings.Count(string(plan), "ranks       2 as processes") != 1 {
		t.Errorf("a dry run: %v, records %v\n%s", err, e, plan)
	}
	// A lost rank ends the job with a sentence, and no process is left.
	out, err := hosts[0].Command("mpiexec.hydra", "-hosts", "h1,h2", "-n", "2", gobench,
		"p2p", "--transport=tcp", "--fault=drop:100", "-o", filepath.Join(hosts[0].Shared(), "drop.jsonl")).CombinedOutput()
	if err == nil || !regexp.MustCompile(`gobench: .*rank 1`).Match(out) {
		t.Errorf("a rank is lost: %v\n%s", err, out)
	}
	// Each rank in its own container: a user namespace, as Apptainer makes it, forbids to read
	// the memory of the other rank, and a PID namespace hides it.
	for _, container := range []struct{ namespaces, want string }{
		{"--user --map-root-user", "messages are copied twice, through a file in /dev/shm, because ranks cannot open each other's memory"},
		{"--pid --fork --mount-proc", "run in different containers; share the PID namespace or use --transport=tcp"},
	} {
		args := slices.Concat([]string{"-hosts", "h1", "-n", "2", "unshare"}, strings.Fields(container.namespaces),
			[]string{gobench, "p2p", "--transport=smem", "--sizes=64K", "--launches=1", "--budget=5ms", "--json=all", "-o", "/dev/null"})
		if out, _ := hosts[0].Command("mpiexec.hydra", args...).CombinedOutput(); !strings.Contains(string(out), container.want) {
			t.Errorf("%s: it does not say %q\n%s", container.namespaces, container.want, out)
		}
	}
	for _, h := range hosts {
		if left := h.Processes(); len(left) > 0 {
			t.Errorf("on %s %q are left", h.Name, left)
		}
	}
}

// Without srun in a job of Slurm, by salloc or in the script of sbatch, gobench uses the hosts of
// the job.
func TestAllocationOfSlurm(t *testing.T) {
	t.Parallel()
	s := newSite(t, 3)
	lab.Need(t, "slurmctld", "slurmd", "salloc", "sbatch")
	env := lab.Slurm(s.hosts)
	shared := s.hosts[0].Shared()
	for i, test := range []struct {
		nodes int
		args  []string // before the command
	}{
		{2, []string{"salloc", "-Q", "-N2", "-n4", "sh", "-c"}},
		{3, []string{"sbatch", "-Q", "-W", "-N3", "-n6", "-o", filepath.Join(shared, "batch.txt"), "--wrap"}},
		{1, []string{"salloc", "-Q", "-N1", "-n2", "sh", "-c"}},
	} {
		records := filepath.Join(shared, fmt.Sprintf("job%d.jsonl", i))
		cmd := s.hosts[0].Command(test.args[0], append(test.args[1:], s.gobench+" coll --op=barrier --launches=1 --budget=5ms --copy=never -o "+records)...)
		cmd.Env = append(os.Environ(), env...)
		b, err := cmd.CombinedOutput()
		if printed, e := os.ReadFile(filepath.Join(shared, "batch.txt")); e == nil && test.args[0] == "sbatch" {
			b = append(b, printed...)
		}
		out := strings.ReplaceAll(string(b), "\n#       ", " ")
		if err != nil {
			t.Errorf("%q: %v\n%s", test.args, err, out)
			continue
		}
		said := fmt.Sprintf("ranks run on the hosts of job %d of slurm (SLURM_JOB_NODELIST=h[1-%d])", i+1, test.nodes)
		if strings.Contains(out, said) != (test.nodes > 1) {
			t.Errorf("%q: want %q where there are several hosts:\n%s", test.args, said, out)
		}
		all, err := record.Load(records, &record.Repeats{})
		if err != nil || len(all.Runs) != 1 {
			t.Fatalf("%q: %v", test.args, err)
		}
		if run := all.Runs[0]; len(run.Hosts) != test.nodes || run.Job.Scheduler != "slurm" || run.Job.ID != fmt.Sprint(i+1) {
			t.Errorf("%q: recorded are %d hosts, job %+v", test.args, len(run.Hosts), run.Job)
		}
	}
}

// Ranks that were started over ssh end with the allocation of their hosts.
func TestAllocationEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t, 2)
	lab.Need(t, "slurmctld", "slurmd", "salloc", "scancel")
	env := lab.Slurm(s.hosts)
	c := s.measure(0, env, "salloc", "-Q", "-N2", "-n2", s.gobench, "coll", "--op=barrier", "--launches=10000", "--copy=never")
	c.await("a point", func() bool {
		b, _ := os.ReadFile(c.Args[len(c.Args)-1])
		return strings.Contains(string(b), `"kind":"point"`)
	})
	cancel := s.hosts[0].Command("scancel", "1")
	cancel.Env = append(os.Environ(), env...)
	if out, err := cancel.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	<-c.ended
	if said := c.said.String(); !strings.Contains(said, "gobench: job 1 of slurm has ended, and with it the allocation of the hosts") || !strings.Contains(said, "gobench: interrupted") { // on a busy machine by the last resort
		t.Errorf("it says %s", said)
	}
	for _, h := range s.hosts {
		if left := h.Left(timeout, "slurm", ": slurm"); len(left) > 0 {
			t.Errorf("on %s %q are left", h.Name, left)
		}
	}
}

// The remaining ranks name a lost host under every launcher.
func TestAHostVanishesUnderOtherLaunchers(t *testing.T) {
	t.Parallel()
	s := newSite(t, 6)
	lab.Need(t, "mpiexec.hydra", "mpirun.openmpi")
	measure := []string{s.gobench, "p2p", "--transport=tcp", "--sizes=1", "--iterations=3000000", "--launches=1000", "--set=wait=yield", "--set=peer_timeout=2000"}
	secret := []string{"GOBENCH_SECRET=0123456789abcdef"}
	hydra := s.measure(0, nil, slices.Concat([]string{"mpiexec.hydra", "-hosts", "h1,h2", "-n", "2"}, measure)...)
	mpirun := s.measure(2, secret, slices.Concat([]string{"mpirun.openmpi", "--allow-run-as-root", "--host", "h3,h4", "-n", "2",
		"-x", "GOBENCH_SECRET", "-x", "GOBENCH_MEET=h3:7001"}, measure)...)
	hand := s.measure(4, secret, append(measure, "--node=0/2", "--meet=h5:7575")...)
	other := s.measure(5, secret, append(measure, "--node=1/2", "--meet=h5:7575")...)
	// Rank 1 has one by which ranks have met, or which it has inherited from the daemon of Hydra.
	for i, c := range []*command{hydra, mpirun, hand} {
		c.await("a connection between ranks", func() bool { return len(connectionsOf(s.hosts[2*i+1], "gobench")) > 1 })
	}
	for _, h := range []int{1, 3, 5} {
		s.hosts[h].Cut()
	}
	for i, c := range []*command{hydra, mpirun, hand} {
		want := fmt.Sprintf("rank 1 on h%d is lost: its host 10.77.0.%d does not answer any more", 2*i+2, 2*i+2)
		c.await(want, func() bool { return strings.Contains(c.said.String(), want) })
	}
	hand.end(1)
	other.end(1, "rank 0 on h5 is lost")
	for _, c := range []*command{hydra, mpirun} { // which may wait for their daemon there
		lab.Signal(c.Cmd, syscall.SIGKILL)
	}
}

// measure starts a command on a host with its own file of records.
func (s *site) measure(at int, env []string, args ...string) *command {
	s.t.Helper()
	c := &command{site: s, ended: make(chan struct{})}
	c.Cmd = s.hosts[at].Command(args[0], append(args[1:], "-o", filepath.Join(s.hosts[0].Shared(), fmt.Sprintf("run%d.jsonl", at)))...)
	c.Env = append(c.Env, env...)
	c.Stdout, c.Stderr = &c.said, &c.said
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() { c.err = c.Wait(); close(c.ended) }()
	return c
}

// If another launcher is killed during a measurement, its ranks end on all hosts.
func TestOtherLaunchersAreKilled(t *testing.T) {
	t.Parallel()
	s := newSite(t, 6)
	lab.Need(t, "mpiexec.hydra", "mpirun.openmpi", "slurmctld", "slurmd", "srun")
	slurm := lab.Slurm(s.hosts[:2])
	secret := "GOBENCH_SECRET=0123456789abcdef"
	measure := []string{s.gobench, "p2p", "--transport=tcp", "--sizes=1", "--iterations=3000000", "--launches=1000", "--set=wait=yield"}
	for i, c := range []*command{
		s.measure(0, append(slurm, secret), slices.Concat([]string{"srun", "-Q", "-N2", "-n2"}, measure)...),
		s.measure(2, nil, slices.Concat([]string{"mpiexec.hydra", "-hosts", "h3,h4", "-n", "2"}, measure)...),
		s.measure(4, []string{secret}, slices.Concat([]string{"mpirun.openmpi", "--allow-run-as-root", "--host", "h5,h6", "-n", "2",
			"-x", "GOBENCH_SECRET", "-x", "GOBENCH_MEET=h5:7001"}, measure)...),
	} {
		hosts := s.hosts[2*i : 2*i+2]
		// As above, and that to the launcher of Slurm.
		c.await("a connection between ranks", func() bool { return len(connectionsOf(hosts[1], "gobench")) > 1 })
		lab.Signal(c.Cmd, syscall.SIGKILL)
		<-c.ended
		for _, h := range hosts {
			if left := h.Left(timeout, "slurm", ": slurm"); len(left) > 0 {
				t.Errorf("%q was killed: on %s %q are left", c.Args, h.Name, left)
			}
		}
	}
}

// Ranks that a launcher has bound to a core each do not count as more than there are processors,
// though each sees one.
func TestRanksBoundByALauncher(t *testing.T) {
	t.Parallel()
	lab.Need(t, "mpiexec.hydra")
	program, err := os.Executable()
	cores, failed := host.AllowedCores()
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	each, same := fmt.Sprintf("user:%d,%d", cores[0], cores[len(cores)-1]), fmt.Sprintf("user:%d,%d", cores[0], cores[0])
	for binding, want := range map[string]string{same: "yield", each: map[bool]string{true: "yield", false: "spin"}[each == same]} {
		for _, transport := range []string{"smem", "tcp"} {
			records := filepath.Join(t.TempDir(), "x.jsonl")
			out, err := exec.Command("mpiexec.hydra", "-bind-to", binding, "-n", "2", program, "p2p", "--transport="+transport, "--launches=1", "--sizes=8", "--budget=5ms", "-o", records).CombinedOutput()
			file, unread := record.ReadFile(records)
			if err = errors.Join(err, unread); err != nil || len(file.Points) == 0 || file.Points[0].Options["wait"] != want {
				t.Errorf("%s, bound to %s: not waiting by %q: %v\n%s", transport, binding, want, err, out)
			}
		}
	}
}
