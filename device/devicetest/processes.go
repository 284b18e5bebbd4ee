package devicetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"context"
)

// noticed bounds the time in which a survivor must report a dead peer.
const noticed = 2 * time.Second

// forked is a rank as the test sees it.
type forked struct {
	cmd  *exec.Cmd
	link *link
}

// news is a report of a rank to the test.
type news struct {
	rank   int
	result *string   // the rank's verdict
	ended  error     // the process's end; ok
	at     time.Time // when it was heard
}

// runProcesses runs a rule with ranks as copies of this test binary. Whatever
// happens, all of them have ended when it returns.
func runProcesses(s Subject, u rule, n int, seed uint64) (joined bool, err error) {
	runtime.LockOSThread() // a rank dies with the thread that forked it
	defer runtime.UnlockOSThread()
	h := newHub(s.hosts(n))
	defer h.abandon()
	heard := make(chan news, 3*n)
	ranks := make([]*forked, n)
	started := 0
	defer func() {
		for _, f := range ranks[:started] {
			f.cmd.Process.Kill() // an error only where it has ended
		}
	}()
	group := 0
	for i := range n {
		f, err := fork(s, u, orders{Driver: s.Driver.Name(), Options: s.Options, Rule: u.name, Rank: i, Size: n, Seed: seed,
			Hosts: s.hosts(n), Limit: u.limit(s), Patience: s.patience()}, group)
		if err != nil {
			return true, fmt.Errorf("start of rank %d: %w", i, err)
		}
		ranks[i], started = f, i+1
		if i == 0 {
			group = f.cmd.Process.Pid
		}
		go f.listen(h, i, heard, rand.New(rand.NewPCG(seed, uint64(i))))
	}
	err = gather(s, u, ranks, heard, h)
	// All ranks have been waited for, so the group is empty unless a rank has
	// left a process of its own.
	if syscall.Kill(-group, syscall.SIGKILL) == nil {
		err = errors.Join(err, errors.New("a process of the job was still there"))
	}
	return true, err
}

// gather waits for every rank's verdict and end.
func gather(s Subject, u rule, ranks []*forked, heard chan news, h *hub) error {
	limit := time.NewTimer(u.limit(s) + 5*time.Second)
	defer limit.Stop()
	var failed []error
	verdicts := make([]*news, len(ranks))
	var death time.Time
	fail := func(rank int, what string) {
		failed = append(failed, fmt.Errorf("rank %d: %s", rank, what))
		h.abandon()
		limit.Reset(3 * time.Second)
	}
	for running := len(ranks); running > 0; {
		select {
		case x := <-heard:
			switch {
			case x.result != nil:
				verdicts[x.rank] = &x
				if *x.result != "" {
					fail(x.rank, *x.result)
				}
			case verdicts[x.rank] != nil:
				running--
			default:
				running--
				if u.dies && killedBySelf(x.ended) {
					death = x.at
				} else {
					fail(x.rank, fmt.Sprintf("ended without a verdict: %v", x.ended))
				}
			}
		case <-limit.C:
			for i, f := range ranks {
				if verdicts[i] == nil {
					fail(i, "does not end; it was killed")
				}
				f.cmd.Process.Kill()
			}
		}
	}
	if u.dies && len(failed) == 0 && death.IsZero() {
		return errors.New("no rank died, though the rule wants it")
	}
	for i, v := range verdicts {
		if u.dies && v != nil && !death.IsZero() && v.at.Sub(death) > noticed {
			fail(i, fmt.Sprintf("noticed the death after %v, limit %v", v.at.Sub(death), noticed))
		}
	}
	return errors.Join(failed...)
}

func killedBySelf(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// fork starts one rank. All ranks of a job are one process group.
func fork(s Subject, u rule, o orders, group int) (*forked, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "rank")
	defer theirs.Close()
	ours := os.NewFile(uintptr(pair[0]), "hub")
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), rankEnv+"="+string(text))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: group, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		ours.Close()
		return nil, err
	}
	return &forked{cmd: cmd, link: newLink(ours)}, nil
}

// listen serves a rank until it ends.
func (f *forked) listen(h *hub, rank int, heard chan<- news, rnd *rand.Rand) {
	defer f.link.file.Close()
	blobs := make(chan []byte, 1)
	defer close(blobs)
	go func() { // apart, because an exchange waits for other ranks
		for blob := range blobs {
			all, err := h.exchange(context.Background(), rank, blob)
			if err != nil {
				f.link.write(frameResult, nil)
			}
			for _, b := range all {
				f.link.write(frameBlob, b)
			}
		}
	}()
	for {
		kind, data, err := f.link.read()
		if err != nil {
			break
		}
		switch kind {
		case frameBlob:
			blobs <- data
		case frameKill:
			// Anywhere in the transfers of the next milliseconds.
			time.AfterFunc(time.Duration(rnd.Int64N(int64(5*time.Millisecond))), func() { f.cmd.Process.Kill() })
		case frameResult:
			text := string(data)
			heard <- news{rank: rank, result: &text, at: time.Now()}
		}
	}
	err := f.cmd.Wait()
	heard <- news{rank: rank, ended: err, at: time.Now()}
}
