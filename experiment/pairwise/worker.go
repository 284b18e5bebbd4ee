package pairwise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"gobench/device"
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
			w.begin(ctx, *o.Pair)
		case o.Blobs != nil:
			w.pass(*o.Blobs)
		case o.Abort != nil:
			w.abort(*o.Abort)
		case o.Listen != "":
			w.listen(o.Listen == "begin")
		case o.Dial != nil:
			go func() { w.send(report{Reached: &reached{List: dialAll(ctx, o.Dial)}}) }()
		case o.Look != nil:
			go func() { w.send(report{Look: lookAround(*o.Look)}) }()
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

// begin starts a measurement. It ends one that is under way, which the root has given up.
func (w *worker) begin(ctx context.Context, o pairOrder) {
	before := w.stop(errors.New("the root has given up this pair"))
	ctx, cancel := context.WithCancelCause(ctx)
	m := &meeting{worker: w, order: o, arrived: make(chan [][]byte, 1), cancel: cancel}
	ended := make(chan struct{})
	w.mu.Lock()
	w.current, w.ended = m, ended
	w.mu.Unlock()
	go func() {
		defer close(ended)
		defer cancel(nil)
		if before != nil {
			<-before
		}
		ctx, stop := context.WithTimeoutCause(ctx, o.Deadline, fmt.Errorf("it has taken longer than %v", o.Deadline))
		defer stop()
		w.send(report{Done: measure(ctx, m)})
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
	if w.current != nil && w.current.order.ID == a.ID {
		w.current.cancel(errors.New(a.Why))
	}
}

// pass gives the end of an exchange to the measurement that waits for it.
func (w *worker) pass(b blobs) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current != nil && w.current.order.ID == b.ID && len(b.List) == 2 {
		select {
		case w.current.arrived <- b.List:
		default: // it has not asked for it
		}
	}
}

// A meeting is the device.Job of two hosts, whose blobs the root exchanges.
type meeting struct {
	worker  *worker
	order   pairOrder
	arrived chan [][]byte
	cancel  context.CancelCauseFunc
}

var _ device.Job = (*meeting)(nil)

func (m *meeting) Rank() int                { return m.order.Rank }
func (m *meeting) Size() int                { return 2 }
func (m *meeting) LocalSize() int           { return 1 }
func (m *meeting) Hosts() []int             { return []int{0, 1} }
func (m *meeting) HostName(rank int) string { return m.order.Hosts[rank] }

// Exchange implements device.Job.
func (m *meeting) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	if err := m.worker.send(report{Blobs: &blobs{m.order.ID, [][]byte{blob}}}); err != nil {
		return nil, err
	}
	select {
	case list := <-m.arrived:
		return list, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
