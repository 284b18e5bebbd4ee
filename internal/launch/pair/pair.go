// Package pair measures the core-to-core latency between ranks of one host, for transports that
// share no memory and for applications. The latency shows the state of the cores, which affects
// every transport.
package pair

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/blocking"
	"gobench/internal/release"
)

// line is the part of the shared memory in which one rank leads, a cache line of its own.
type line struct {
	turn   uint64 // even: the leader's to raise; odd: the follower's
	rounds uint64 // how many rounds the leader will play
	_      [112]byte
}

// A Meter passes cache lines between ranks of one host to measure core-to-core latencies. It
// implements device.CoreLatencyMeter. A Meter belongs to one rank, and is used by one goroutine.
type Meter struct {
	job    device.Job
	lines  []line // two sets of device.CoreLines for each leader (see set); nil if ranks share no memory
	mapped []byte

	interrupt atomic.Pointer[device.InterruptedError] // nil until Interrupt
}

// Interrupt ends the waits of CoreLatency for other ranks, as device.Interrupter does.
func (m *Meter) Interrupt(cause error) {
	m.interrupt.CompareAndSwap(nil, &device.InterruptedError{Rank: -1, Cause: cause})
}

// offer describes the memory of rank 0 for the other ranks.
type offer struct {
	PID   int    `json:"pid"`
	FD    int    `json:"fd"` // -1 = none
	Nonce uint64 `json:"nonce"`
}

// Open maps memory that all ranks share. It is collective: all ranks of job call it. Where the
// ranks are on several hosts, may not reach each other's memory, or outnumber the processors that
// they may use together, the Meter measures nothing: its distances are 0. It returns the error of
// the exchange.
func Open(ctx context.Context, job device.Job, processors int) (*Meter, error) {
	m := &Meter{job: job}
	mine := offer{FD: -1}
	fd := -1
	if job.Rank() == 0 && job.Size() > 1 && job.Size() <= processors {
		fd = m.create()
		mine = offer{PID: os.Getpid(), FD: fd, Nonce: uint64(time.Now().UnixNano())}
		if m.mapped != nil {
			m.view()
			atomic.StoreUint64(&m.lines[len(m.lines)-1].turn, mine.Nonce)
		}
	}
	offers, err := device.Exchange(ctx, job, mine)
	if err != nil {
		if fd >= 0 {
			unix.Close(fd)
		}
		m.Close()
		return nil, err
	}
	if job.Rank() > 0 && offers[0].FD >= 0 {
		m.attach(offers[0])
	}
	sharing, err := device.Exchange(ctx, job, m.lines != nil)
	if fd >= 0 {
		unix.Close(fd) // everybody has mapped it
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	if slices.Contains(sharing, false) {
		m.Close()
	}
	return m, nil
}

// count returns the number of lines: those of each rank, and one for the nonce.
func (m *Meter) count() int { return 2*m.job.Size()*device.CoreLines + 1 }

// size returns the size of the memory in bytes.
func (m *Meter) size() int { return m.count() * int(unsafe.Sizeof(line{})) }

func (m *Meter) view() {
	m.lines = unsafe.Slice((*line)(unsafe.Pointer(unsafe.SliceData(m.mapped))), m.count())
}

// create makes the memory, and returns its descriptor or -1.
func (m *Meter) create() int {
	fd, err := unix.MemfdCreate("gobench-pair", unix.MFD_CLOEXEC)
	if err != nil {
		return -1
	}
	if unix.Ftruncate(fd, int64(m.size())) == nil {
		m.mapped, err = unix.Mmap(fd, 0, m.size(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	}
	if err != nil || m.mapped == nil {
		unix.Close(fd)
		return -1
	}
	return fd
}

// attach maps the memory of rank 0. The nonce in it shows whether both are on the same host.
func (m *Meter) attach(o offer) {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/fd/%d", o.PID, o.FD), unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) != nil || stat.Size < int64(m.size()) {
		return
	}
	if m.mapped, err = unix.Mmap(fd, 0, m.size(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		return
	}
	m.view()
	if atomic.LoadUint64(&m.lines[len(m.lines)-1].turn) != o.Nonce {
		m.Close()
	}
}

// Close unmaps the memory. Nothing is measured afterwards.
func (m *Meter) Close() {
	if m.mapped != nil {
		unix.Munmap(m.mapped)
	}
	m.mapped, m.lines = nil, nil
}

// Measures reports whether the ranks share memory, which is the same on all of them.
func (m *Meter) Measures() bool { return m.lines != nil }

const (
	warmUp = 16  // rounds before the clock is started
	pauses = 500 // looks before the processor is yielded

	// For the other rank. The launcher reports one that is gone long before; a program of higher
	// priority on the core of the other rank can keep it waiting for some ten seconds.
	timeout = time.Minute

	longestLook = 10 * time.Millisecond // between two looks, of a process that runs
)

// CoreLatency implements device.CoreLatencyMeter: half of the mean round trip of a cache line
// between this rank and peer, in seconds, 0 where they share no memory. Both ranks call it at the
// same time. It returns a *device.PeerError where peer does not come.
func (m *Meter) CoreLatency(peer, which, rounds int) (float64, error) {
	if m.lines == nil {
		return 0, nil
	}
	rank := m.job.Rank()
	if peer < 0 || peer >= m.job.Size() || peer == rank {
		return 0, &device.ArgumentError{Name: "peer", Value: peer, Want: fmt.Sprintf("another rank of 0..%d", m.job.Size()-1)}
	}
	if which < 0 {
		return 0, &device.ArgumentError{Name: "line", Value: which, Want: "0 or more"}
	}
	l := &m.lines[set(rank, peer)*device.CoreLines+which%device.CoreLines]
	if rank < peer {
		return m.lead(l, peer, rounds)
	}
	return m.follow(l, peer)
}

// set returns the number of the set of lines of two ranks. In a ring, rank 0 leads the next rank
// and the last one, of which either may come while it measures with the other.
func set(rank, peer int) int {
	leader, follower := min(rank, peer), max(rank, peer)
	if follower == leader+1 {
		return 2 * leader
	}
	return 2*leader + 1
}

func (m *Meter) lead(l *line, peer, rounds int) (float64, error) {
	turn := atomic.LoadUint64(&l.turn)
	atomic.StoreUint64(&l.rounds, uint64(rounds))
	var start time.Time
	for i := range warmUp + rounds {
		if i == warmUp {
			start = time.Now()
		}
		release.Store(&l.turn, turn+1)
		turn += 2
		if err := m.await(l, turn, peer); err != nil {
			return 0, err
		}
	}
	return time.Since(start).Seconds() / float64(2*rounds), nil
}

func (m *Meter) follow(l *line, peer int) (float64, error) {
	turn := atomic.LoadUint64(&l.turn)&^1 + 1 // the leader may have raised it already
	rounds := 0
	var start time.Time
	for i := 0; i < warmUp+rounds || i == 0; i++ {
		if i == warmUp {
			start = time.Now()
		}
		if err := m.await(l, turn, peer); err != nil {
			return 0, err
		}
		rounds = int(atomic.LoadUint64(&l.rounds)) // written before the first turn
		release.Store(&l.turn, turn+1)
		turn += 2
	}
	return time.Since(start).Seconds() / float64(2*rounds), nil
}

// await waits until the line has the given turn.
func (m *Meter) await(l *line, turn uint64, peer int) error {
	if release.Await(&l.turn, turn, pauses) {
		return nil
	}
	// Time in which this process itself was stopped does not count as the peer's silence.
	waited, last := time.Duration(0), time.Now()
	for atomic.LoadUint64(&l.turn) != turn {
		blocking.Yield(true)
		now := time.Now()
		waited, last = waited+min(now.Sub(last), longestLook), now
		if e := m.interrupt.Load(); e != nil {
			return &device.InterruptedError{Rank: peer, Host: device.HostName(m.job, peer), Cause: e.Cause}
		}
		if waited > timeout {
			return &device.PeerError{Rank: peer, Cause: fmt.Sprintf("it did not answer on shared memory for %v", timeout)}
		}
	}
	return nil
}

// ringRounds is the number of rounds of one measurement of Ring.
const ringRounds = 100

// Ring measures the distances of all neighbours in the ring of ranks and returns the least and the
// greatest in seconds, the same on all ranks; 0 where nothing can be measured. It is collective.
func (m *Meter) Ring(ctx context.Context) (lowest, highest float64, err error) {
	if m.lines == nil {
		return 0, 0, nil
	}
	rank, size := m.job.Rank(), m.job.Size()
	right, left := (rank+1)%size, (rank+size-1)%size
	// Even ranks begin with their right neighbour, odd ones with their left one. In a ring of an
	// odd number the last and the first are both even: they meet in their own turn.
	turns := []int{right, left}
	if rank%2 == 1 {
		turns = []int{left, right}
	}
	lone := size%2 == 1 && size > 1
	var mine []float64 // of the pairs whose lower rank this is
	for i, peer := range turns {
		if size == 2 && i == 1 || lone && (rank == 0 && peer == size-1 || rank == size-1 && peer == 0) {
			continue
		}
		d, err := m.median(peer)
		if err != nil {
			return 0, 0, err
		}
		if rank < peer {
			mine = append(mine, d)
		}
	}
	if lone && (rank == 0 || rank == size-1) {
		d, err := m.median(size - 1 - rank)
		if err != nil {
			return 0, 0, err
		}
		mine = append(mine, d)
	}
	all, err := device.Exchange(ctx, m.job, mine)
	if err != nil {
		return 0, 0, err
	}
	for _, d := range slices.Concat(all...) {
		if d > 0 && (lowest == 0 || d < lowest) {
			lowest = d
		}
		highest = max(highest, d)
	}
	return lowest, highest, nil
}

// median returns the median latency of the lines between this rank and peer. A disturbance, which
// can only increase the latency of a line, hardly moves it.
func (m *Meter) median(peer int) (float64, error) {
	var seen [device.CoreLines]float64
	for line := range seen {
		var err error
		if seen[line], err = m.CoreLatency(peer, line, ringRounds); err != nil {
			return 0, err
		}
	}
	slices.Sort(seen[:])
	return seen[device.CoreLines/2], nil
}
