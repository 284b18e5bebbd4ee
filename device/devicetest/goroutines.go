package devicetest

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// dead is the value with which a rank that is a goroutine panics to simulate its death.
type dead struct{}

// runGoroutines runs a rule with ranks as goroutines. A rank that fails closes
// its device, which ends the waiting of the others in a correct transport.
func runGoroutines(s Subject, u rule, n int, seed uint64) (joined bool, err error) {
	before := resources()
	h := newHub(s.hosts(n))
	ranks := make([]*rank, n)
	if u.together != nil {
		u.run = gathered(ranks, h, u.together)
	}
	type result struct {
		rank int
		err  error
	}
	results := make(chan result, n)
	for i := range n {
		r := &rank{trace: newTrace(traceEvents), seed: seed}
		r.kill = func() { s.Kill(r.bare) }
		r.die = func() { r.kill(); panic(dead{}) }
		r.dying = r.die
		ranks[i] = r
		go func() {
			results <- result{i, r.run(s, u, hubJob{h, i}, nil)}
		}()
	}
	var failed []error
	limit := time.NewTimer(u.limit(s))
	defer limit.Stop()
	for range n {
		select {
		case res := <-results:
			if res.err != nil {
				failed = append(failed, fmt.Errorf("rank %d: %w", res.rank, res.err))
				h.abandon()
				limit.Reset(min(3*time.Second, u.limit(s)))
			}
		case <-limit.C:
			if len(failed) == 0 {
				failed = append(failed, fmt.Errorf("time limit of %v exceeded", u.limit(s)))
			}
			failed = append(failed, errors.New(whoWaits(ranks)))
			if os.Getenv("GOBENCH_STACKS") != "" {
				failed = append(failed, errors.New(stacks()))
			}
			return false, errors.Join(failed...)
		}
	}
	if len(failed) > 0 {
		return true, errors.Join(failed...)
	}
	if u.dies != nil {
		return true, nil // a rank that simulates its death cannot free its resources
	}
	return true, before.returned(s.timeout())
}

// gathered returns the part of one rank in a rule that one goroutine runs for all: rank 0 runs it
// once all ranks are there, and the others wait until it has ended.
func gathered(all []*rank, h *hub, run func([]*rank)) func(*rank) {
	var here sync.WaitGroup
	here.Add(len(all))
	ready, ended := make(chan struct{}), make(chan struct{})
	go func() { here.Wait(); close(ready) }()
	return func(r *rank) {
		here.Done()
		wait := ended
		if r.Rank() == 0 {
			defer close(ended)
			wait = ready
		}
		select {
		case <-wait:
		case <-h.gone:
			return
		}
		if r.Rank() == 0 {
			run(all)
		}
	}
}

// whoWaits shows the last operations of every rank.
func whoWaits(ranks []*rank) string {
	var b strings.Builder
	for i, r := range ranks {
		fmt.Fprintf(&b, "rank %d, last operations:\n%s", i, r.trace.last(8))
	}
	return b.String()
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}
