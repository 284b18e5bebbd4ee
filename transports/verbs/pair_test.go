//go:build verbs && cgo

package verbs

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/protocol"
)

// meeting lets ranks that are goroutines exchange blobs.
type meeting struct {
	mu      sync.Mutex
	moved   *sync.Cond
	blobs   [][]byte
	arrived int
	turn    int
	last    [][]byte
}

type member struct {
	m    *meeting
	rank int
}

func (j member) Rank() int      { return j.rank }
func (j member) Size() int      { return len(j.m.blobs) }
func (j member) LocalSize() int { return len(j.m.blobs) }
func (j member) Hosts() []int   { return make([]int, len(j.m.blobs)) }

func (j member) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	m := j.m
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blobs[j.rank] = blob
	turn := m.turn
	if m.arrived++; m.arrived == len(m.blobs) {
		m.last = append([][]byte(nil), m.blobs...)
		m.arrived = 0
		m.turn++
		m.moved.Broadcast()
	}
	for m.turn == turn {
		m.moved.Wait()
	}
	return m.last, nil
}

func members(n int) []member {
	m := &meeting{blobs: make([][]byte, n)}
	m.moved = sync.NewCond(&m.mu)
	var list []member
	for i := range n {
		list = append(list, member{m, i})
	}
	return list
}

// openPair opens the wires of two ranks of this process. Options may differ by rank.
func openPair(t *testing.T, sets ...map[string]string) (wires [2]*wire, configs [2]protocol.Config) {
	t.Helper()
	both, c := openAll(t, sets[0], sets[len(sets)-1])
	return [2]*wire(both), [2]protocol.Config(c)
}

// openAll opens the wires of ranks of this process, each with its own options.
func openAll(t *testing.T, sets ...map[string]string) ([]*wire, []protocol.Config) {
	t.Helper()
	wires, configs, err := tryAll(sets...)
	if err != nil {
		t.Fatal(err)
	}
	return wires, configs
}

// tryAll is openAll where that may fail.
func tryAll(sets ...map[string]string) ([]*wire, []protocol.Config, error) {
	n := len(sets)
	wires, configs, errs := make([]*wire, n), make([]protocol.Config, n), make([]error, n)
	var all sync.WaitGroup
	for i, job := range members(n) {
		set := maps.Clone(sets[i])
		all.Go(func() {
			opts, err := device.ParseOptions(driver.Options(), set)
			if err == nil {
				wires[i], configs[i], err = openWire(context.Background(), job, opts, nil)
			}
			errs[i] = err
		})
	}
	all.Wait()
	return wires, configs, errors.Join(errs...)
}

// sinkRecord is a sink that remembers.
type sinkRecord struct {
	protocol.Sink
	failed    string
	completed []error
	packets   int
	words     []uint32
	look      func(h protocol.Header, data []byte) // at every packet; may be nil
}

func (n *sinkRecord) Packet(_ int, h protocol.Header, data []byte) {
	n.packets++
	if n.look != nil {
		n.look(h, data)
	}
}
func (n *sinkRecord) Completed(_ uint64, err error) { n.completed = append(n.completed, err) }
func (n *sinkRecord) Failed(_ int, cause string)    { n.failed = cause }
func (n *sinkRecord) Notice(_ int, word uint32)     { n.words = append(n.words, word) }

// spin drives wires until done, as ranks that wait would.
func spin(t *testing.T, wires [2]*wire, sinks [2]*sinkRecord, done func() bool) {
	t.Helper()
	idle := time.Now()
	for until := time.Now().Add(20 * time.Second); !done(); {
		for i, w := range wires {
			w.Poll(device.AnySource, sinks[i])
		}
		if time.Since(idle) > 10*time.Millisecond {
			idle = time.Now()
			for i, w := range wires {
				w.Idle(sinks[i])
			}
		}
		if time.Now().After(until) {
			t.Fatal("nothing has happened for 20 s")
		}
	}
}
