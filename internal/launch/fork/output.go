package fork

import (
	"cmp"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// OutputTimeout is the time-out for the end of the ranks' output once they have ended. Only a
// process that has left its rank's process group can still hold it open.
const OutputTimeout = 5 * time.Second

// Outputs holds the files that ranks write to, and the goroutines that copy from pipes to writers
// that are not files.
type Outputs struct {
	Files   [2]*os.File // stdout, stderr as the ranks inherit them
	pipes   []*os.File  // the launcher's write ends, closed once all ranks are started
	readers []*os.File
	copying sync.WaitGroup
	wait    atomic.Int64 // longest time that reads may wait from now on, as a time.Duration; 0 = any
	mu      sync.Mutex
	err     error // the first of a writer
}

// OpenOutputs returns the outputs of ranks, which are copied to stdout and stderr unless these are
// files.
func OpenOutputs(stdout, stderr io.Writer) (*Outputs, error) {
	o := &Outputs{}
	writers := [2]io.Writer{stdout, stderr}
	for i, w := range writers {
		if f, ok := w.(*os.File); ok {
			o.Files[i] = f
			continue
		}
		if i == 1 && same(writers[0], writers[1]) {
			o.Files[1] = o.Files[0] // one pipe, so that the order of the lines is kept
			continue
		}
		r, p, err := os.Pipe()
		if err != nil {
			o.Started()
			o.End(0)
			return nil, err
		}
		o.Files[i] = p
		o.pipes = append(o.pipes, p)
		o.readers = append(o.readers, r)
		o.copying.Go(func() { o.carry(w, r) })
	}
	return o, nil
}

// carry copies r to w. Only the time in reads is limited: while the reader of w rests, the pipe
// keeps what ranks wrote before they ended.
func (o *Outputs) carry(w io.Writer, r *os.File) {
	var err error
	var waited time.Duration // in reads since the ranks have ended
	for b := make([]byte, 64<<10); err == nil; {
		limit, begin := time.Duration(o.wait.Load()), time.Now()
		if limit > 0 {
			r.SetReadDeadline(begin.Add(limit - waited))
		}
		var n int
		n, err = r.Read(b)
		if limit > 0 {
			waited += time.Since(begin)
		}
		if n > 0 {
			_, err = w.Write(b[:n])
		}
	}
	if err != io.EOF && !os.IsTimeout(err) {
		o.mu.Lock()
		o.err = cmp.Or(o.err, err)
		o.mu.Unlock()
	}
	r.Close() // a rank that still writes gets SIGPIPE instead of blocking
}

// Started closes the launcher's own write ends, so that the pipes end with the
// ranks.
func (o *Outputs) Started() {
	for _, p := range o.pipes {
		p.Close()
	}
	o.pipes = nil
}

// End waits until all output has been copied, but not longer than timeout for more of it.
func (o *Outputs) End(timeout time.Duration) error {
	o.wait.Store(int64(timeout))
	for _, r := range o.readers { // which may wait already
		r.SetReadDeadline(time.Now().Add(timeout))
	}
	o.copying.Wait()
	return o.err
}

func same(a, b io.Writer) (equal bool) {
	defer func() {
		if recover() != nil {
			equal = false // dynamic types that cannot be compared
		}
	}()
	return a == b
}
