package launch_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gobench/internal/launch/detect"
	"gobench/internal/launch/launchtest"
	"gobench/launch"
)

// say runs a job and returns what its ranks print.
func say(t *testing.T, spec launch.Spec) string {
	t.Helper()
	var out bytes.Buffer
	spec.Stdout = &out
	if r := launchtest.Run(t, spec); r.ExitCode != 0 {
		t.Errorf("job failed: %v", r.Err())
	}
	return out.String()
}

// A rank gets its own socket and nothing else, however many there are, keeps it
// to itself, and is not told that it is a rank of somebody else.
func TestRankInheritsLittle(t *testing.T) {
	spec := launchtest.Spec("inherit", 16)
	spec.Env = append(spec.Env, "PMI_FD=9", "PMIX_RANK=3", "SLURM_PROCID=3", "SLURM_JOB_ID=44", "OMPI_COMM_WORLD_RANK=3",
		detect.EnvSize+"=99", "TWICE=1", "TWICE=2")
	var want []string
	for rank := range spec.Ranks {
		// What this test itself has inherited from elsewhere is passed on.
		want = append(want, fmt.Sprintf("1 sockets to keep, %d for children, SLURM_JOB_ID=44 %s=rank %d of 16 TWICE=2\n", len(launchtest.Sockets(false)), detect.EnvInside, rank))
	}
	slices.Sort(want)
	if got := slices.Sorted(strings.Lines(say(t, spec))); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestNestedLaunchIsRefused(t *testing.T) {
	const refusal = "this process already belongs to a job (as rank 0 of 1 or a child of it): a rank cannot launch ranks\n"
	if got, want := say(t, launchtest.Spec("nested", 1)), "child: "+refusal+"again: "+refusal+"launch: "+refusal; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	if got := say(t, launchtest.Spec("forgetful", 1)); !strings.Contains(got, "(as rank 0 or a child of it)") {
		t.Errorf("got %s", got)
	}
}

// The output of the job ends only when the child is gone too.
func TestChildOfRankIsEnded(t *testing.T) {
	pid, err := strconv.Atoi(strings.TrimSpace(say(t, launchtest.Spec("litter", 1))))
	if err != nil {
		t.Fatal(err)
	}
	launchtest.WantGone(t, pid)
}

func TestInputGoesToRank0(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		io.WriteString(w, "input\n")
		w.Close()
	}()
	spec := launchtest.Spec("patient", 3)
	spec.Stdin = r
	if got := say(t, spec); got != "input\n" {
		t.Errorf("ranks have read %q", got)
	}
}

// The kernel kills a process when the thread that forked it ends. Threads of a Go
// program end with goroutines that are locked to them, at any time; the threads
// that fork must not be among those.
func TestRanksOutliveThreads(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		defer w.Close() // lets the ranks go on
		for range 20 {
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() {
					runtime.LockOSThread() // and ends it
				})
			}
			wg.Wait()
		}
	}()
	spec := launchtest.Spec("patient", 4)
	spec.Stdin = r
	say(t, spec)
}

func TestOutputOfOneWriter(t *testing.T) {
	var both bytes.Buffer // written without a lock: one goroutine must do it
	spec := launchtest.Spec("garbage", 2)
	spec.Stdout, spec.Stderr, spec.Linger = &both, &both, -1
	launchtest.Run(t, spec)
	if both.Len() != 0 {
		t.Errorf("output %q", &both)
	}
	full := launchtest.Spec("hello", 2)
	full.Stdout = writerFunc(func([]byte) (int, error) { return 0, io.ErrShortWrite })
	if _, err := launch.Local(t.Context(), full); err == nil || !strings.Contains(err.Error(), "output of the ranks is lost") {
		t.Errorf("a full disk gives %v", err)
	}
}
