package launch

import (
	"context"
	"encoding/binary"
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

// OwnThreads reports whether each of n ranks as goroutines has its own thread that can be
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

// Nested runs n ranks as goroutines of this process. All processes of a job call it; goroutine i of
// process p is rank p*n+i of the combined job. For a transport each process is a host
// (device.Job.Hosts) whose ranks share memory. Threads, errors and the end of ctx are handled as by
// Goroutines. processes is the job of the processes; nothing else may use it until Nested returns.
func Nested(ctx context.Context, processes device.Job, n int, fn func(ctx context.Context, job device.Job) error) error {
	if err := errors.Join(checkRanks(n), checkRanks(n*processes.Size())); err != nil {
		return err
	}
	t := &trunk{processes: processes, n: n}
	defer t.exchanges.Wait()
	var cancel context.CancelFunc
	t.ctx, cancel = context.WithCancel(ctx)
	defer cancel()
	ranks := exchange.AllRanks(n)
	for i := range ranks {
		ranks[i] += processes.Rank() * n
	}
	t.meeting = exchange.NewMeeting(ranks, t)
	return gather(ctx, t.meeting, ranks, fn, func(rank int) device.Job { return &nested{t, rank} })
}

// trunk connects the meeting of the goroutines of a process to the job of the processes. It
// implements relay.
type trunk struct {
	ctx       context.Context // ends before Nested returns
	exchanges sync.WaitGroup
	processes device.Job
	meeting   *exchange.Meeting
	n         int // ranks of each process
}

// Gather exchanges the blobs of this process for those of all processes.
func (t *trunk) Gather(blobs [][]byte) bool {
	parcel := make([]byte, parcelHeader)
	for _, b := range blobs {
		parcel = binary.LittleEndian.AppendUint32(parcel, uint32(len(b)))
		parcel = append(parcel, b...)
	}
	binary.LittleEndian.PutUint64(parcel, uint64(len(parcel)))
	t.exchanges.Go(func() {
		parcels, err := t.swap(parcel)
		var all [][]byte
		for process := 0; process < len(parcels) && err == nil; process++ {
			var list [][]byte
			list, err = t.unpack(process, parcels[process])
			all = append(all, list...)
		}
		lost := (*device.PeerError)(nil)
		switch {
		case errors.As(err, &lost):
			t.meeting.Leave(lost.Rank*t.n, lost.Cause)
		case err != nil:
			t.meeting.Leave(t.processes.Rank()*t.n, err.Error())
		default:
			t.meeting.Complete(all)
		}
	})
	return false
}

// parcelHeader is the length in bytes of the length of a parcel, with which it begins.
const parcelHeader = 8

// swap exchanges parcels, without their headers, in pieces that an exchange carries.
func (t *trunk) swap(parcel []byte) (parcels [][]byte, err error) {
	for from, longest := 0, 1; from < longest; from += exchange.MaxBlob {
		end := min(from+exchange.MaxBlob, len(parcel))
		pieces, err := t.processes.Exchange(t.ctx, parcel[min(from, end):end])
		if err != nil {
			return nil, err
		}
		if parcels == nil {
			parcels = make([][]byte, len(pieces))
		}
		for process, piece := range pieces {
			whole := append(parcels[process], piece...)
			length := uint64(0)
			if parcels[process] = whole; len(whole) >= parcelHeader {
				length = binary.LittleEndian.Uint64(whole)
			}
			if length < parcelHeader || length > uint64(parcelHeader+t.n*(4+exchange.MaxBlob)) {
				return nil, fmt.Errorf("process %d sent a parcel of %d bytes", process, length)
			}
			longest = max(longest, int(length))
		}
	}
	for process := range parcels {
		parcels[process] = parcels[process][parcelHeader:]
	}
	return parcels, nil
}

// unpack returns the blobs of the ranks of one process.
func (t *trunk) unpack(process int, parcel []byte) ([][]byte, error) {
	var list [][]byte
	for range t.n {
		if len(parcel) < 4 || uint64(len(parcel)-4) < uint64(binary.LittleEndian.Uint32(parcel)) {
			return nil, fmt.Errorf("process %d sent no blobs of %d ranks", process, t.n)
		}
		end := 4 + int(binary.LittleEndian.Uint32(parcel))
		list, parcel = append(list, parcel[4:end]), parcel[end:]
	}
	if len(parcel) > 0 {
		return nil, fmt.Errorf("process %d sent blobs of more than %d ranks", process, t.n)
	}
	return list, nil
}

// Other processes notice that a rank has left by the end of its process.
func (t *trunk) Left(*device.PeerError)   {}
func (t *trunk) Failed(*device.PeerError) {}

// nested is the device.Job of a rank of Nested.
type nested struct {
	trunk *trunk
	rank  int
}

func (j *nested) Rank() int      { return j.rank }
func (j *nested) Size() int      { return j.trunk.n * j.trunk.processes.Size() }
func (j *nested) LocalSize() int { return j.trunk.n * j.trunk.processes.LocalSize() }

// Processors returns those of the ranks of this host, as the job of the processes has it.
func (j *nested) Processors() int { return device.Processors(j.trunk.processes) }

// Hosts returns the number of each rank's process.
func (j *nested) Hosts() []int {
	hosts := exchange.AllRanks(j.Size())
	for rank := range hosts {
		hosts[rank] /= j.trunk.n
	}
	return hosts
}

// Machines returns the number of the host of each rank's process, as the job of the processes has
// it.
func (j *nested) Machines() []int {
	machines := j.Hosts()
	for rank, process := range machines {
		machines[rank] = j.trunk.processes.Hosts()[process]
	}
	return machines
}

// HostName returns the name of the host of a rank's process, "" if all are on one host.
func (j *nested) HostName(rank int) string { return device.HostName(j.trunk.processes, rank/j.trunk.n) }

// Exchange implements device.Job.
func (j *nested) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	return j.trunk.meeting.ExchangeCopies(ctx, j.rank, blob)
}
