package devicetest

import (
	"context"
	"errors"
	"slices"
	"sync"

	"gobench/device"
)

// errRankGone ends an exchange that a lost rank will never join.
var errRankGone = errors.New("a rank of the job is gone")

// hub lets the ranks of a job exchange blobs, inside of one process.
type hub struct {
	sync.Mutex
	hosts []int // of the ranks
	blobs [][]byte
	here  int
	full  chan struct{} // closed when all blobs are here; a new one for every exchange
	last  *[][]byte     // result of the exchange that full belongs to
	gone  chan struct{}
	once  sync.Once
}

func newHub(hosts []int) *hub {
	n := len(hosts)
	return &hub{hosts: hosts, blobs: make([][]byte, n), full: make(chan struct{}), last: new([][]byte), gone: make(chan struct{})}
}

// abandon makes all exchanges fail, now and later.
func (h *hub) abandon() { h.once.Do(func() { close(h.gone) }) }

func (h *hub) exchange(ctx context.Context, rank int, blob []byte) ([][]byte, error) {
	h.Lock()
	h.blobs[rank] = slices.Clone(blob)
	h.here++
	full, result := h.full, h.last
	if h.here == len(h.blobs) {
		*result = h.blobs
		h.blobs, h.here = make([][]byte, len(h.blobs)), 0
		h.full, h.last = make(chan struct{}), new([][]byte)
		close(full)
	}
	h.Unlock()
	select {
	case <-full:
		return *result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-h.gone:
		return nil, errRankGone
	}
}

// hubJob is the device.Job of a rank that is a goroutine.
type hubJob struct {
	hub  *hub
	rank int
}

func (j hubJob) Rank() int      { return j.rank }
func (j hubJob) Size() int      { return len(j.hub.blobs) }
func (j hubJob) LocalSize() int { return len(j.hub.blobs) }
func (j hubJob) Hosts() []int   { return j.hub.hosts }
func (j hubJob) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	return j.hub.exchange(ctx, j.rank, blob)
}

// Jobs returns the jobs of n ranks that are goroutines of one process, for tests of
// what is above a device.
func Jobs(n int) []device.Job {
	h := newHub(make([]int, n))
	jobs := make([]device.Job, n)
	for rank := range jobs {
		jobs[rank] = hubJob{h, rank}
	}
	return jobs
}
