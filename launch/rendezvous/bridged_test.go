package rendezvous

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/launch/bridge"
)

// pmixJob is a PMIx server in memory, of a library that gets values of other ranks after a fence
// only.
type pmixJob struct {
	size   int
	mu     sync.Mutex
	fenced *sync.Cond
	put    map[string]string
	seen   map[string]string
	inside int
	fences int
	closed int
}

type pmixRank struct {
	*pmixJob
	rank int
}

func (r pmixRank) Rank() int { return r.rank }
func (r pmixRank) Size() int { return r.size }

func (r pmixRank) Put(key, value string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put[fmt.Sprint(r.rank, key)] = value
	return nil
}

func (r pmixRank) Fence() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inside++; r.inside == r.size {
		for key, value := range r.put {
			r.seen[key] = value
		}
		r.inside = 0
		r.fences++
		r.fenced.Broadcast()
		return nil
	}
	for before := r.fences; r.fences == before; {
		r.fenced.Wait()
	}
	return nil
}

func (r pmixRank) Get(rank int, key string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	value, ok := r.seen[fmt.Sprint(rank, key)]
	if !ok {
		return "", errors.New("rc=-46\nnot found")
	}
	return value, nil
}

func (r pmixRank) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed++
	return nil
}

// bridged returns the two ends of a socket, of which a bridge serves one.
func bridged(t *testing.T, open func() (bridge.Store, error)) (*pmi, <-chan error) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	conn := func(fd int) net.Conn {
		f := os.NewFile(uintptr(fd), "")
		defer f.Close()
		c, err := net.FileConn(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	served := make(chan error, 1)
	theirs := conn(pair[1])
	go func() { served <- bridge.Serve(theirs, open) }()
	p := &pmi{}
	p.use(conn(pair[0]))
	return p, served
}

func TestRanksExchangeByBridges(t *testing.T) {
	job := &pmixJob{size: 3, put: map[string]string{}, seen: map[string]string{}}
	job.fenced = sync.NewCond(&job.mu)
	var ranks sync.WaitGroup
	for rank := range job.size {
		p, served := bridged(t, func() (bridge.Store, error) { return pmixRank{job, rank}, nil })
		ranks.Go(func() {
			if err := errors.Join(p.introduce(""), p.init()); err != nil || p.rank != rank || p.size != job.size {
				t.Errorf("rank %d of %d: %v", p.rank, p.size, err)
				return
			}
			for _, length := range []int{0, 10, 5000} {
				blobs, err := p.Exchange(t.Context(), bytes.Repeat([]byte{byte(rank)}, length+rank))
				if err != nil {
					t.Errorf("rank %d: %v", rank, err)
					return
				}
				for from, blob := range blobs {
					if !slices.Equal(blob, bytes.Repeat([]byte{byte(from)}, length+from)) {
						t.Errorf("rank %d has %d bytes of rank %d", rank, len(blob), from)
					}
				}
			}
			if _, err := p.ask("get", "get_result", "kvsname=pmix", "key=gb-9-1-0"); err == nil || !strings.Contains(err.Error(), "rc:-46; not found") {
				t.Errorf("a key that nobody has put: %v", err)
			}
			if err := errors.Join(p.Close(), <-served); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	ranks.Wait()
	if job.closed != job.size {
		t.Errorf("%d of %d ranks have ended in the job", job.closed, job.size)
	}
}

// rankOfTwo returns rank 0 of a job of two ranks, which has begun, and the end of its bridge.
func rankOfTwo(t *testing.T) (*pmixJob, *pmi, <-chan error) {
	t.Helper()
	job := &pmixJob{size: 2, put: map[string]string{}, seen: map[string]string{}}
	job.fenced = sync.NewCond(&job.mu)
	p, served := bridged(t, func() (bridge.Store, error) { return pmixRank{job, 0}, nil })
	if err := errors.Join(p.introduce(""), p.init()); err != nil {
		t.Fatal(err)
	}
	return job, p, served
}

// A rank that ends without a word has failed: its bridge leaves the job open, also while it waits.
func TestBridgeOfARankThatFails(t *testing.T) {
	job, p, served := rankOfTwo(t)
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() { _, err := p.Exchange(ctx, nil); waiting <- err }()
	cancel()
	<-waiting
	p.conn.Close()
	if err := <-served; err == nil || job.closed != 0 {
		t.Errorf("the bridge ends with %v, and %d ranks have finished", err, job.closed)
	}
}

// A library that ends a fence without a lost rank has no key of it.
func TestExchangeWithoutALostRank(t *testing.T) {
	job, p, _ := rankOfTwo(t)
	go pmixRank{job, 1}.Fence()
	_, err := p.Exchange(t.Context(), []byte("mine"))
	var lost *device.PeerError
	if !errors.As(err, &lost) || lost.Rank != 1 || !strings.Contains(lost.Cause, "not found") {
		t.Errorf("the exchange ends with %v", err)
	}
}

func TestBridgeWithoutAServer(t *testing.T) {
	p, served := bridged(t, func() (bridge.Store, error) { return nil, errors.New("no server = no job\n") })
	if err := p.introduce(""); err == nil || err.Error() != `the launcher refuses "cmd=initack pmiid=": no server : no job` {
		t.Errorf("the rank hears %v", err)
	}
	if err := <-served; err == nil {
		t.Error("the bridge has served")
	}
}
