package devicetest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/devicetest/naive"
)

// rogue is a driver whose ranks misbehave as processes do; how, is an option.
type rogue struct{}

func init() { device.Register(rogue{}) }

func (rogue) Name() string  { return "rogue" }
func (rogue) About() string { return "misbehaves: for tests of the suite" }
func (rogue) Probe() error  { return nil }
func (rogue) Options() []device.Option {
	return []device.Option{{Name: "how", Kind: device.Text}, {Name: "file", Kind: device.Text}}
}

func (rogue) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	if _, err := job.Exchange(ctx, []byte{1}); err != nil {
		return nil, err
	}
	switch opts.Word("how") {
	case "exits":
		os.Exit(0)
	case "is killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "hangs":
		select {}
	case "leaves a file":
		os.WriteFile(opts.Word("file"), nil, 0o600)
	case "leaves an open file":
		syscall.Open("/dev/null", syscall.O_RDONLY, 0)
	case "leaves a process":
		syscall.ForkExec("/bin/sleep", []string{"sleep", "60"}, &syscall.ProcAttr{})
	case "cannot open":
		return nil, &device.UnavailableError{Transport: "rogue", Reason: "it was told so"}
	}
	return (&naive.Driver{}).Open(ctx, alone{}, opts)
}

type alone struct{}

func (alone) Rank() int                                                 { return 0 }
func (alone) Size() int                                                 { return 1 }
func (alone) LocalSize() int                                            { return 1 }
func (alone) Hosts() []int                                              { return []int{0} }
func (alone) Exchange(_ context.Context, blob []byte) ([][]byte, error) { return [][]byte{blob}, nil }

// The suite detects what a rank that is a process can do wrong besides breaking a rule, and cleans
// up after it, also where Serve starts the processes.
func TestProcessesAreWatched(t *testing.T) {
	watched(t, nil)
	address := filepath.Join(t.TempDir(), "serve")
	go Serve(address) // until this process ends
	watched(t, func(int) string { return address })
}

func watched(t *testing.T, elsewhere func(int) string) {
	dir := t.TempDir() // /dev/shm belongs to tests that run at the same time
	file := dir + "/devicetest-rogue"
	for how, want := range map[string]string{
		"":                    "",
		"exits":               "ended without an outcome",
		"hangs":               "time limit of 200ms exceeded",
		"leaves a file":       "left behind in " + dir + ": devicetest-rogue",
		"leaves an open file": "file descriptors are open",
		"leaves a process":    "a process of the job was still there",
		"cannot open":         "transport rogue cannot be used here: it was told so",
	} {
		limit := time.Minute
		if how == "hangs" {
			limit = 200 * time.Millisecond
		}
		s := Subject{Driver: rogue{}, Ranks: Processes, Limit: limit, Elsewhere: elsewhere, shared: dir, settle: 100 * time.Millisecond,
			Options: map[string]string{"how": how, "file": file}}
		for _, u := range selfRules() {
			_, err := try(s, u, 1, 1)
			switch {
			case want == "" && err != nil:
				t.Errorf("a good rank: %v", err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("a rank that %s: error is %v, want %q", how, err, want)
			}
		}
	}
}

// The rules of dead ranks fail if a victim lives, or if another rank dies.
func TestVictims(t *testing.T) {
	for how, want := range map[string]string{"": "did not die", "is killed": "ended without an outcome"} {
		u := rule{name: selfRules()[0].name, dies: func([]int, int) bool { return how == "" }}
		_, err := try(Subject{Driver: rogue{}, Ranks: Processes, Limit: time.Second, Options: map[string]string{"how": how}}, u, 1, 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a rank that %s: error is %v, want %q", how, err, want)
		}
	}
}

// Time in which processes wait for a processor does not count against the limit of a death.
func TestMissedProcessors(t *testing.T) {
	death := moment{time.Unix(100, 0), 3 * time.Second}
	notice := moment{time.Unix(105, 0), 7 * time.Second}
	if got := notice.since(death); got != time.Second {
		t.Errorf("5 s after the death, 4 s of them without processors: %v, want 1s", got)
	}
	notice = moment{time.Unix(115, 0), 18 * time.Second}
	if got := notice.since(death); got != 5*time.Second {
		t.Errorf("15 s after the death, all of them without some processor: %v, want 5s", got)
	}
}
