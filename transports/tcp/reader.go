package tcp

import (
	"io"
	"sync/atomic"
)

// reader reads a connection in a goroutine of its own, for engines net and stream. One read is
// under way at any time, into a buffer that the rank has lent. When done is set, the read is over
// and the rank owns the buffer again, so the two goroutines never use the same data at the same
// time.
type reader struct {
	jobs   chan []byte
	gone   chan struct{}
	lent   bool        // the rank's: a read has been asked for and not yet collected
	done   atomic.Bool // set by the goroutine, cleared by the rank
	n      int         // result, valid while done
	err    error
	ending bool // the rank's: after an error, nothing is read any more
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

// collect returns the result of the read under way, 0 if it is not done. It starts a read if none
// is under way.
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
		return n, nil // an error behind the bytes comes again
	}
	if err != nil {
		r.ending = true
	}
	return 0, err
}

// join waits for the goroutine. The read under way must have been aborted.
func (r *reader) join() {
	close(r.jobs)
	<-r.gone
}
