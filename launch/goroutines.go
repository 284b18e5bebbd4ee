package launch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"gobench/device"
	"gobench/internal/launch/exchange"
)

// Goroutines runs n ranks as goroutines of this process and returns when all of them have returned.
// Each is locked to its own thread, which ends with it, so that a rank may pin itself. If ranks
// outnumber GOMAXPROCS, they are not locked (OwnThreads), because switching between locked
// goroutines takes ten times as long.
//
// The first error is returned as a *RankError; a panic counts as an error (*PanicError), and so
// does runtime.Goexit. It also cancels ctx, as its cause. Exchange fails with a *device.PeerError
// on all ranks as soon as one rank has returned.
func Goroutines(ctx context.Context, n int, fn func(ctx context.Context, job device.Job) error) error {
	if err := checkRanks(n); err != nil {
		return err
	}
	ranks := exchange.AllRanks(n)
	m := exchange.NewMeeting(ranks, nil)
	return gather(ctx, m, ranks, fn, func(rank int) device.Job { return &member{m, rank, n} })
}

// gather runs the ranks that meet in m as goroutines, for Goroutines.
func gather(ctx context.Context, m *exchange.Meeting, ranks []int, fn func(ctx context.Context, job device.Job) error, job func(rank int) device.Job) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
	)
	for _, rank := range ranks {
		wg.Go(func() {
			if OwnThreads(len(ranks)) {
				runtime.LockOSThread() // and never unlocked: the thread and its affinity end here
			}
			err := errGoexit
			defer func() {
				if err == nil {
					m.Leave(rank, "it has returned")
					return
				}
				// The cause is stored before other ranks can see that this rank has left, so that
				// errors which they return because of it come second.
				once.Do(func() { first = &RankError{rank, err} })
				m.Leave(rank, fmt.Sprintf("it has failed: %v", err))
				cancel(first)
			}()
			err = guard(ctx, job(rank), fn)
		})
	}
	wg.Wait()
	return first
}

// OwnThreads reports whether each of n ranks as goroutines has a thread of its own that can be
// pinned.
func OwnThreads(n int) bool { return n <= runtime.GOMAXPROCS(0) }

var errGoexit = errors.New("the rank ended its goroutine without returning")

func guard(ctx context.Context, job device.Job, fn func(context.Context, device.Job) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
	}()
	return fn(ctx, job)
}

// A member is the device.Job of a rank that shares its address space with the others.
type member struct {
	meeting    *exchange.Meeting
	rank, size int
}

func (j *member) Rank() int      { return j.rank }
func (j *member) Size() int      { return j.size }
func (j *member) LocalSize() int { return j.size }
func (j *member) Hosts() []int   { return make([]int, j.size) }

// Exchange implements device.Job.
func (j *member) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	return j.meeting.ExchangeCopies(ctx, j.rank, blob)
}
