package devicetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"gobench/device"
	"gobench/launch"
)

// rankEnv carries the orders of a forked rank.
const rankEnv = "GOBENCH_DEVICETEST"

// orders are the instructions for a forked rank. A rank whose rule shares its device gets more of
// them, of which Rule and Limit count, until Rule is empty.
type orders struct {
	Driver     string
	Options    map[string]string
	Rule       string
	Rank, Size int
	LocalSize  int // ranks on the machine of this one
	Seed       uint64
	Hosts      []int // of all ranks
	Threads    int   // if not 0, this is not a rank but a process with this number of ranks
	Limit      time.Duration
	Timeout    time.Duration

	// Of RunLaunched.
	Rules []string
	Dir   string // for the outcomes
}

// traceEvents is the number of operations in the trace of a rank.
const traceEvents = 64

// Main runs the tests, or, in a process that Run has forked, one rank, or, where
// GOBENCH_DEVICETEST_SERVE is an address, Serve.
func Main(m *testing.M) int {
	text := os.Getenv(rankEnv)
	if address := os.Getenv(serveEnv); text == "" && address != "" {
		fmt.Fprintln(os.Stderr, "devicetest:", Serve(address))
		return 1
	}
	if text == "" {
		return m.Run()
	}
	var o orders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		fmt.Fprintln(os.Stderr, "devicetest:", err)
		return 2
	}
	if o.Dir != "" {
		if err := o.joined(); err != nil {
			fmt.Fprintln(os.Stderr, "devicetest:", err)
			return 1
		}
		return 0
	}
	syscall.CloseOnExec(3) // what a rank starts must not keep the link open
	link := newLink(os.NewFile(3, "hub"))
	if err := o.run(link); err != nil {
		link.write(frameResult, []byte(err.Error()))
	} else {
		link.write(frameResult, nil)
	}
	return 0
}

// run executes one rule as a rank.
func (o orders) run(link *link) error {
	runtime.LockOSThread()
	driver, err := device.Lookup(o.Driver)
	if err != nil {
		return err
	}
	before := resources()
	r := &rank{trace: newTrace(traceEvents), forked: true, seed: o.Seed}
	r.die = func() {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	r.dying = func() { link.write(frameKill, nil) }
	watchdog := time.AfterFunc(o.Limit, func() {
		text := fmt.Sprintf("time limit of %v exceeded; last operations:\n%s", o.Limit, r.trace.last(8))
		if os.Getenv("GOBENCH_STACKS") != "" {
			text += stacks()
		}
		link.write(frameResult, []byte(text))
		os.Exit(3)
	})
	defer watchdog.Stop()
	u, ok := named(o.Rule)
	if !ok {
		return fmt.Errorf("no rule is named %q", o.Rule)
	}
	s := Subject{Driver: driver, Options: o.Options, Ranks: Processes, Threads: o.Threads}
	var next func() *rule
	if u.shares(s) {
		next = func() *rule {
			watchdog.Stop()
			link.write(frameResult, nil)
			kind, data, err := link.read()
			var more orders
			if err != nil || kind != frameOrders || json.Unmarshal(data, &more) != nil {
				return nil
			}
			// Also where the device is closed next.
			o.Limit = more.Limit
			watchdog.Reset(o.Limit)
			if u, ok := named(more.Rule); ok {
				return &u
			}
			return nil
		}
	}
	execute := func() error { return r.run(s, u, linkJob{link, o}, next) }
	if o.Threads > 0 {
		execute = func() error {
			return launch.Nested(context.Background(), linkJob{link, o}, o.Threads, func(_ context.Context, job device.Job) error {
				return (&rank{trace: newTrace(traceEvents), seed: o.Seed}).run(s, u, job, nil)
			})
		}
	}
	if err := execute(); err != nil {
		return err
	}
	watchdog.Stop()
	return before.returned(o.Timeout)
}

// linkJob is the device.Job of a rank that is a process.
type linkJob struct {
	link   *link
	orders orders
}

func (j linkJob) Rank() int      { return j.orders.Rank }
func (j linkJob) Size() int      { return j.orders.Size }
func (j linkJob) LocalSize() int { return j.orders.LocalSize }
func (j linkJob) Hosts() []int   { return j.orders.Hosts }

func (j linkJob) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j.link.write(frameBlob, blob)
	var blobs [][]byte
	for len(blobs) < j.orders.Size {
		kind, data, err := j.link.read()
		if err != nil || kind != frameBlob {
			return nil, errors.Join(errRankGone, err)
		}
		blobs = append(blobs, data)
	}
	return blobs, nil
}
