package tcp

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"gobench/device"
)

// room connects the ranks of a test, which are goroutines of this process.
type room struct {
	size  int
	mu    sync.Mutex
	round *round
}

type round struct {
	blobs   [][]byte
	arrived int
	full    chan struct{}
}

type seat struct {
	*room
	rank int
}

func (s seat) Rank() int      { return s.rank }
func (s seat) Size() int      { return s.size }
func (s seat) LocalSize() int { return s.size }
func (s seat) Hosts() []int   { return make([]int, s.size) }

func (s seat) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	s.mu.Lock()
	if s.round == nil {
		s.round = &round{blobs: make([][]byte, s.size), full: make(chan struct{})}
	}
	r := s.round
	r.blobs[s.rank] = blob
	if r.arrived++; r.arrived == s.size {
		close(r.full)
		s.room.round = nil
	}
	s.mu.Unlock()
	select {
	case <-r.full:
		return r.blobs, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// ranks runs fn once for each rank and returns their errors.
func ranks(t *testing.T, n int, fn func(ctx context.Context, job device.Job) error) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	r := &room{size: n}
	errs := make([]error, n)
	var all sync.WaitGroup
	for rank := range n {
		all.Go(func() {
			errs[rank] = fn(ctx, seat{r, rank})
		})
	}
	all.Wait()
	return errs
}

// must runs ranks and fails the test on any error.
func must(t *testing.T, n int, fn func(ctx context.Context, job device.Job) error) {
	t.Helper()
	for rank, err := range ranks(t, n, fn) {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

func options(t *testing.T, set ...string) device.Options {
	t.Helper()
	m := map[string]string{}
	for i := 0; i < len(set); i += 2 {
		m[set[i]] = set[i+1]
	}
	o, err := device.ParseOptions(driver{}.Options(), m)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// onAll runs a test over every engine and number of connections.
func onAll(t *testing.T, test func(t *testing.T, set ...string)) {
	for _, engine := range []string{"poll", "net", "stream"} {
		for _, connections := range []string{"1", "2"} {
			t.Run(fmt.Sprintf("%s-%s", engine, connections), func(t *testing.T) {
				test(t, "engine", engine, "connections", connections)
			})
		}
	}
}
