package pairwise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"gobench/device"
	"gobench/internal/collect"
)

// Work carries out the orders of a root at the other end of a stream until that ends. It sleeps
// between orders.
func Work(ctx context.Context, stream io.ReadWriteCloser) error {
	w := &worker{line: newLine(stream)}
	defer w.stop(errors.New("the root has ended"))
	defer w.listen(false)
	for {
		var o order
		if err := w.receive(&o); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch {
		case o.Clock != 0:
			w.send(report{Clock: &moment{o.Clock, time.Now().UnixNano()}})
		case o.Pair != nil:
			p := *o.Pair
			w.begin(ctx, &meeting{id: p.ID, rank: p.Rank, hosts: p.Hosts, transport: p.Transport, options: p.Options}, p.Deadline, func(ctx context.Context, m *meeting) *done {
				return measure(ctx, m, p)
			})
		case o.Load != nil:
			l := *o.Load
			w.begin(ctx, &meeting{id: l.ID, rank: l.Rank, hosts: l.Hosts, transport: l.Transport, options: l.Options}, loadLimit, func(ctx context.Context, m *meeting) *done {
				rate, err := l.Load.run(ctx, m, func() { w.send(report{Ready: l.ID}) })
				d := &done{ID: l.ID, Rate: rate}
				if err != nil {
					d.Error = err.Error()
				}
				return d
			})
		case o.Blobs != nil:
			w.pass(*o.Blobs)
		case o.Abort != nil:
			w.abort(*o.Abort)
		case o.Listen != "":
			w.listen(o.Listen == "begin")
		case o.Dial != nil:
			go func() { w.send(report{Reached: &reached{List: dialAll(ctx, o.Dial)}}) }()
		case o.Look != nil:
			go func() { w.send(report{Look: lookAround(ctx, *o.Look)}) }()
		}
	}
}

// A worker measures one pair at a time.
type worker struct {
	*line
	deaf    func() // ends listening; nil if it does not listen
	mu      sync.Mutex
	current *meeting      // of the pair that is measured
	ended   chan struct{} // closed when it is not measured any more
}

// loadLimit ends a load that the root has forgotten.
const loadLimit = 10 * time.Minute

// begin starts a measurement. It ends one that is under way, which the root has given up.
func (w *worker) begin(ctx context.Context, m *meeting, limit time.Duration, run func(context.Context, *meeting) *done) {
	before := w.stop(errors.New("the root has given up this pair"))
	ctx, m.cancel = context.WithCancelCause(ctx)
	m.worker, m.arrived = w, make(chan [][]byte, 1)
	ended := make(chan struct{})
	w.mu.Lock()
	w.current, w.ended = m, ended
	w.mu.Unlock()
	go func() {
		defer close(ended)
		defer m.cancel(nil)
		if before != nil {
			<-before
		}
		ctx, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it has taken longer than %v", limit))
		defer stop()
		w.send(report{Done: run(ctx, m)})
	}()
}

// listen begins or ends to accept connections.
func (w *worker) listen(begin bool) {
	if w.deaf != nil {
		w.deaf()
		w.deaf = nil
	}
	if !begin {
		return
	}
	var r reached
	var err error
	if r.Addresses, w.deaf, err = listen(); err != nil {
		r.Error = err.Error()
	}
	w.send(report{Reached: &r})
}

// stop ends the measurement under way, if there is one. The channel is closed when it has ended.
func (w *worker) stop(why error) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current != nil {
		w.current.cancel(why)
	}
	return w.ended
}

func (w *worker) abort(a abort) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current != nil && w.current.id == a.ID {
		w.current.cancel(errors.New(a.Why))
	}
}

// pass gives the end of an exchange to the measurement that waits for it.
func (w *worker) pass(b blobs) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current != nil && w.current.id == b.ID && len(b.List) == len(w.current.hosts) {
		select {
		case w.current.arrived <- b.List:
		default: // it has not asked for it
		}
	}
}

// A meeting is the device.Job of hosts whose blobs the root exchanges, one rank on each.
type meeting struct {
	worker    *worker
	id, rank  int
	hosts     []string
	transport string
	options   map[string]string
	arrived   chan [][]byte
	cancel    context.CancelCauseFunc
}

var _ device.Job = (*meeting)(nil)

// over calls f with an open channel between the hosts. The end of ctx interrupts the calls of f.
func (m *meeting) over(ctx context.Context, f func(device.Device) error) error {
	driver, err := device.Lookup(m.transport)
	if err != nil {
		return err
	}
	options, err := device.ParseOptions(driver.Options(), m.options)
	if err != nil {
		return err
	}
	ch, err := driver.Open(ctx, m, options)
	if err != nil {
		return err
	}
	defer ch.Close()
	if i, ok := ch.(device.Interrupter); ok {
		defer context.AfterFunc(ctx, func() { i.Interrupt(context.Cause(ctx)) })()
	}
	return f(ch)
}

func (m *meeting) Rank() int                { return m.rank }
func (m *meeting) Size() int                { return len(m.hosts) }
func (m *meeting) LocalSize() int           { return 1 }
func (m *meeting) HostName(rank int) string { return m.hosts[rank] }

// Hosts implements device.Job.
func (m *meeting) Hosts() []int { return collect.Range(len(m.hosts)) }

// Exchange implements device.Job.
func (m *meeting) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	if err := m.worker.send(report{Blobs: &blobs{m.id, [][]byte{blob}}}); err != nil {
		return nil, err
	}
	select {
	case list := <-m.arrived:
		return list, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
