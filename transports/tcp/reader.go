package tcp

import (
	"io"
	"sync/atomic"
)

// A reader reads a connection in its own goroutine, for engines net and stream. At most one
// read is in progress, into a buffer lent by the rank. When done is set, the read is complete and
// the rank owns the buffer again, so the two goroutines never access the same data at the same
// time.
type reader struct {
	jobs   chan []byte
	gone   chan struct{}
	lent   bool        // used by the rank: a read was requested and not yet collected
	done   atomic.Bool // set by the goroutine, cleared by the rank
	n      int         // result, valid while done
	err    error
	ending bool // used by the rank: after an error no read is started
}

// start starts the goroutine. read blocks until there is data.
func (r *reader) start(read func([]byte) (int, error)) {
	r.jobs, r.gone = make(chan []byte, 1), make(chan struct{})
	go func() {
		defer close(r.gone)
		for buf := range r.jobs {
			r.n, r.err = read(buf)
			r.done.Store(true)
		}
	}()
}

// collect returns the result of the read in progress, 0 if it is not done. It starts a read if
// there is none.
func (r *reader) collect(a, b []byte) (int, error) {
	if !r.lent {
		if r.ending {
			return 0, io.EOF
		}
		if len(a) == 0 {
			a = b
		}
		r.lent = true
		r.jobs <- a
		return 0, nil
	}
	if !r.done.Load() {
		return 0, nil
	}
	n, err := r.n, r.err
	r.done.Store(false)
	r.lent = false
	if n > 0 {
		return n, nil // an error after the bytes will be returned again
	}
	if err != nil {
		r.ending = true
	}
	return 0, err
}

// join waits for the goroutine. The read in progress must have been aborted.
func (r *reader) join() {
	close(r.jobs)
	<-r.gone
}
