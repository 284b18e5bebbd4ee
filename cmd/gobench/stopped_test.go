package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
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
	"gobench/record"
)

// soon is the limit for the end of a process that was asked to end: more than signals.LastTimeout,
// for a busy machine, and less than it takes if a wait goes on.
const soon = 6 * time.Second

// A stopped rank does not keep the others from ending, over every transport and launcher, with the
// records of the cells that are complete.
func TestStoppedRanks(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"smem", "tcp", "smem+tcp"} {
		for _, level := range []string{"comm", "raw"} {
			t.Run("met/"+transport+"/"+level, func(t *testing.T) {
				if transport == "smem+tcp" && level == "raw" {
					level = "device"
				}
				stopInMeeting(t, "p2p", "--sizes=8", "--transport="+transport, "--level="+level)
			})
		}
	}
	t.Run("met/coll", func(t *testing.T) { stopInMeeting(t, "coll", "--op=allreduce", "--sizes=8", "--transport=smem") })
	t.Run("met/sockets", func(t *testing.T) { stopInMeeting(t, "p2p", "--sizes=8", "--transport=sockets", "--level=socket") })
	t.Run("own", func(t *testing.T) {
		t.Parallel()
		stop(t, nil, 0, "p2p", "--sizes=8")
	})
	t.Run("hydra", func(t *testing.T) {
		t.Parallel()
		lab.Need(t, "mpiexec.hydra")
		stop(t, []string{"mpiexec.hydra", "-n", "2"}, 1, "p2p", "--sizes=8")
	})
}

// A process under test.
type running struct {
	*exec.Cmd
	said bytes.Buffer // to be read after the end
	over chan struct{}
}

// run starts gobench, under a launcher if there is one.
func run(t *testing.T, launcher []string, args ...string) *running {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	line := slices.Concat(launcher, []string{program}, args)
	r := &running{Cmd: exec.Command(line[0], line[1:]...), over: make(chan struct{})}
	r.Env = append(os.Environ(), "GOBENCH_SECRET=0123456789abcdef")
	r.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.Stdout, r.Stderr = &r.said, &r.said
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { r.Wait(); close(r.over) }()
	t.Cleanup(func() {
		syscall.Kill(-r.Process.Pid, syscall.SIGKILL)
		<-r.over
	})
	return r
}

// measured waits until a file holds a point.
func (r *running) measured(t *testing.T, file string) {
	t.Helper()
	for end := time.Now().Add(timeout); ; time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(file)
		if bytes.Contains(b, []byte(`"kind":"point"`)) {
			return
		}
		select {
		case <-r.over:
			t.Fatalf("it has ended: %s", r.said.String())
		default:
		}
		if time.Now().After(end) {
			t.Fatal("nothing is measured")
		}
	}
}

// ends interrupts the process, and fails unless it ends soon and keeps what was measured.
func (r *running) ends(t *testing.T, file string) {
	t.Helper()
	begun := time.Now()
	syscall.Kill(r.Process.Pid, syscall.SIGTERM)
	<-r.over
	if took := time.Since(begun); took > soon {
		t.Errorf("it ended %v after the signal: %s", took, r.said.String())
	}
	all, err := record.Load(file, &record.Repeats{})
	if err != nil || len(all.Points) == 0 {
		t.Errorf("the records hold %d points, %v", len(all.Points), err)
	}
}

// many keeps a command measuring for longer than the test takes.
func many(file string) []string { return []string{"--launches=10000", "-o", file} }

// stopInMeeting stops rank 1 of two ranks that have met by hand, and interrupts rank 0.
func stopInMeeting(t *testing.T, args ...string) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "records.jsonl")
	args = append(slices.Concat(args, many(file)), "--meet="+freeAddress(t))
	zero := run(t, nil, append(args, "--node=0/2")...)
	one := run(t, nil, append(args, "--node=1/2")...)
	zero.measured(t, file)
	syscall.Kill(one.Process.Pid, syscall.SIGSTOP)
	zero.ends(t, file)
	if said := zero.said.String(); !regexp.MustCompile(`interrupted after \d+ of 10000 launches`).MatchString(said) {
		t.Errorf("it says %s", said)
	}
}

// stop stops a rank that a launcher has started, below its daemons, and interrupts the launcher.
func stop(t *testing.T, launcher []string, depth int, args ...string) {
	file := filepath.Join(t.TempDir(), "records.jsonl")
	r := run(t, launcher, slices.Concat(args, many(file))...)
	r.measured(t, file)
	for tries := 0; ; tries++ { // a rank may end, because its launch does
		parent := r.Process.Pid
		for range depth {
			parent = slices.Max(append(children(parent), 0))
		}
		ranks := children(parent)
		if len(ranks) > 0 && syscall.Kill(ranks[len(ranks)-1], syscall.SIGSTOP) == nil {
			break
		}
		if tries > 1000 {
			t.Fatal("there is no rank")
		}
		time.Sleep(time.Millisecond)
	}
	r.ends(t, file)
}

// children returns the processes that a process has started.
func children(pid int) (list []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		b, err := os.ReadFile(task)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		for _, word := range strings.Fields(string(b)) {
			child := 0
			fmt.Sscan(word, &child)
			list = append(list, child)
		}
	}
	return list
}

// Ranks whose commands differ refuse each other immediately, and rank 0 says what differs. They
// also end when it cannot write an export.
func TestRanksOfDifferentCommands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zero, one, want string }{
		{"p2p --sizes=8", "coll --sizes=8", `the verb is "p2p" on rank 0 and "coll" on rank 1`},
		{"p2p --sizes=8 --level=device", "p2p --sizes=8 --level=comm", `--level is "device" on rank 0 and "comm" on rank 1`},
		{"p2p --sizes=8 --transport=smem", "p2p --sizes=8 --transport=tcp", `--transport is "smem" on rank 0 and "tcp" on rank 1`},
		{"p2p --sizes=8", "p2p --sizes=16", `the list of sizes is "8" on rank 0 and "16" on rank 1`},
		{"p2p --sizes=8", "p2p --sizes=8 --bench=uniband", `the list of benchmarks is "pingpong" on rank 0 and "uniband" on rank 1`},
		{"p2p --sizes=8 --bench=uniband --window=4", "p2p --sizes=8 --bench=uniband", `the hash of the plan is "`},
		{"p2p --sizes=8 --set=eager_limit=2K", "p2p --sizes=8", `option eager_limit of smem is "2K" on rank 0 and not set on rank 1`},
		{"npb cg --class=S", "npb cg --class=W", `the list of programs is "cg class S" on rank 0 and "cg class W" on rank 1`},
		{"p2p --sizes=8 --export=missing/x.csv", "p2p --sizes=8", "the results cannot be exported: open missing/x.csv: "},
		{"coll --op=bcast --sizes=8 --transport=tcp", "fdtd --grid=64x64 --transport=tcp", `the verb is "coll" on rank 0 and "fdtd" on rank 1`},
	} {
		t.Run(c.zero+" and "+c.one, func(t *testing.T) {
			t.Parallel()
			meet := "--meet=" + freeAddress(t)
			zero := run(t, nil, append(strings.Fields(c.zero), meet, "--node=0/2", "-o", filepath.Join(t.TempDir(), "records.jsonl"))...)
			one := run(t, nil, append(strings.Fields(c.one), meet, "--node=1/2")...)
			<-zero.over
			<-one.over
			if code := zero.ProcessState.ExitCode(); code != 2 || !strings.Contains(zero.said.String(), ": "+c.want) {
				t.Errorf("rank 0 ends with %d, and says %s", code, zero.said.String())
			}
			if code := one.ProcessState.ExitCode(); code != 2 || one.said.Len() > 0 {
				t.Errorf("rank 1 ends with %d, and says %s", code, one.said.String())
			}
		})
	}
}

// Verbs that start ranks themselves refuse to be ranks, in one sentence.
func TestSweepUnderALauncher(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"sweep", "plan.toml"}, {"tune"}} {
		r := run(t, []string{"env", "PMIX_RANK=0", "OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=0", "PMIX_NAMESPACE=job"}, args...)
		<-r.over
		want := "gobench: gobench " + args[0] + " starts the ranks of its launches itself, and this process is one of several of another launcher (mpirun of Open MPI, prterun, by PMIX_RANK=0): start gobench " + args[0] + " without it\n"
		if code := r.ProcessState.ExitCode(); code != 2 || r.said.String() != want {
			t.Errorf("it ends with %d, and says %s", code, r.said.String())
		}
	}
}

// Ranks of other launchers write no control characters, even to a terminal: Open MPI gives them one
// whose text it copies to files.
func TestNoControlCharactersUnderALauncher(t *testing.T) {
	t.Parallel()
	lab.Need(t, "script")
	meet := "--meet=" + freeAddress(t)
	args := []string{"p2p", "--sizes=8", "--launches=2", "--budget=20ms", meet}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("%s %s --node=0/2 -o %s", program, strings.Join(args, " "), filepath.Join(t.TempDir(), "records.jsonl"))
	zero := exec.Command("script", "-qec", line, "/dev/null")
	zero.Env = append(os.Environ(), "GOBENCH_SECRET=0123456789abcdef", "TERM=xterm")
	run(t, nil, append(args, "--node=1/2")...)
	out, err := zero.CombinedOutput()
	if err != nil || bytes.ContainsRune(out, '\x1b') || !bytes.Contains(out, []byte("# pingpong over")) {
		t.Errorf("%v, it prints %q", err, out)
	}
}

// freeAddress returns an address at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
