package pairwise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gobench/internal/collect"
	"gobench/internal/launch/host"
	"gobench/internal/launch/remote"
	"gobench/pairs"
	"gobench/record"
)

// Options describe the measurement of a pair.
type Options struct {
	Transport string            `json:"transport"`
	Set       map[string]string `json:"set,omitempty"` // options of the transport
	Small     time.Duration     `json:"small_ns"`      // time of small messages of a pair
	Large     time.Duration     `json:"large_ns"`      // time of large messages of a pair, in each of three directions
	Deadline  time.Duration     `json:"-"`             // of a pair besides these times, after which it has no result
	// Interval is the time between the intended starts of small messages, from which they are
	// timed; 0 = each follows the answer to the one before.
	Interval time.Duration `json:"-"`
}

// planned returns the number of messages with intended starts.
func planned(small, interval time.Duration) int {
	return min(max(minTrips, int(small/interval)), maxTrips)
}

// limit returns the time after which a pair has no result. What it measures on purpose does not
// count.
func (o Options) limit() time.Duration {
	d := o.Deadline + o.Small + 3*o.Large
	if o.Interval > 0 {
		d += slowPace * time.Duration(planned(o.Small, o.Interval)) * o.Interval
	}
	return d
}

// Defaults are the default options of a command.
var Defaults = Options{Transport: "tcp", Small: 30 * time.Millisecond, Large: 50 * time.Millisecond, Deadline: 5 * time.Second}

const (
	// answerTimeout is the time-out of a worker that only has to answer.
	answerTimeout = 2 * time.Second
	// lookTimeout is the time-out of the look of a host at itself.
	lookTimeout = 10 * time.Second
)

// Workers measure pairs of hosts.
type Workers struct {
	o     Options
	all   map[string]*remoteWorker
	mu    sync.Mutex
	pairs map[int]chan event // that are measured
	next  int
}

// An event is a report of one side of a pair, or the end of its worker.
type event struct {
	rank  int
	blobs *blobs
	done  *done
	lost  error
	ready bool // a load has started
}

// A remoteWorker is the root's side of a worker.
type remoteWorker struct {
	*line
	host string

	mu      sync.Mutex
	pair    int // that it measures, 0 = none
	rank    int // in that pair
	lost    error
	quiet   bool       // it has not answered; its next report ends that
	looks   chan *look // the last, which may be late
	seen    host.Facts // of the last look
	ticks   chan moment
	reached chan reached
	count   atomic.Int64
}

// Start starts a worker on each host of a cluster, which args make this program be (Work). Hosts
// where that fails are passed to skip.
func Start(ctx context.Context, cluster *remote.Cluster, args []string, o Options, skip func(host string, err error)) *Workers {
	w := newWorkers(o)
	hosts := cluster.Hosts()
	opened := make([]io.ReadWriteCloser, len(hosts))
	errs := make([]error, len(hosts))
	var wait sync.WaitGroup
	for i := range hosts {
		wait.Go(func() {
			ctx, stop := context.WithTimeout(ctx, lookTimeout)
			defer stop()
			stream, err := cluster.Open(ctx, i, args...)
			if err != nil {
				errs[i] = err
				return
			}
			opened[i] = stream
		})
	}
	wait.Wait()
	for i, stream := range opened {
		if stream == nil {
			skip(hosts[i].Name, errs[i])
			continue
		}
		w.join(ctx, hosts[i].Name, stream)
	}
	return w
}

func newWorkers(o Options) *Workers {
	return &Workers{o: o, all: map[string]*remoteWorker{}, pairs: map[int]chan event{}}
}

// join adds the worker of a host, which is at the other end of a stream. A worker that ends after
// ctx is not lost: a scheduler that ends a job ends ssh, too. It must not be called while the
// workers measure.
func (w *Workers) join(ctx context.Context, name string, stream io.ReadWriteCloser) {
	r := &remoteWorker{line: newLine(stream), host: name, looks: make(chan *look, 1), ticks: make(chan moment, 1), reached: make(chan reached, 1)}
	w.all[name] = r
	go w.read(ctx, r)
}

// Close ends the workers.
func (w *Workers) Close() {
	for _, r := range w.all {
		r.stream.Close()
	}
}

// read takes the reports of a worker until it ends.
func (w *Workers) read(ctx context.Context, r *remoteWorker) {
	for {
		var m report
		if err := r.receive(&m); err != nil {
			err = fmt.Errorf("its worker has ended: %w", err)
			r.mu.Lock()
			if ctx.Err() == nil {
				r.lost = err
			}
			id, rank := r.pair, r.rank
			r.mu.Unlock()
			w.tell(id, event{rank: rank, lost: err})
			return
		}
		r.mu.Lock()
		r.quiet = false
		id, rank := r.pair, r.rank
		if m.Done != nil && m.Done.ID == id {
			r.pair = 0
		}
		r.mu.Unlock()
		switch {
		case m.Clock != nil:
			offer(r.ticks, *m.Clock)
		case m.Reached != nil:
			offer(r.reached, *m.Reached)
		case m.Look != nil:
			offer(r.looks, m.Look)
		case m.Blobs != nil && m.Blobs.ID == id && len(m.Blobs.List) == 1:
			w.tell(id, event{rank: rank, blobs: m.Blobs})
		case m.Ready != 0:
			w.tell(m.Ready, event{rank: rank, ready: m.Ready == id})
		case m.Done != nil:
			w.tell(m.Done.ID, event{rank: rank, done: m.Done})
		}
	}
}

// offer replaces what a channel of one element holds.
func offer[T any](to chan T, v T) {
	for {
		select {
		case to <- v:
			return
		default:
		}
		select {
		case <-to:
		default:
		}
	}
}

// tell passes an event to the pair that is measured under a number.
func (w *Workers) tell(id int, e event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if to := w.pairs[id]; to != nil {
		select {
		case to <- e:
		default: // more events than a measurement has: the worker is broken
		}
	}
}

// answers reports whether a worker answers now.
func (r *remoteWorker) answers(ctx context.Context) bool {
	_, _, err := r.clock(ctx)
	return err == nil
}

// clock returns by how much the clock of a worker is before that of this host, and the largest
// error of it: half of the time of the answer.
func (r *remoteWorker) clock(ctx context.Context) (offset, within time.Duration, err error) {
	n := r.count.Add(1)
	timeout := time.NewTimer(answerTimeout)
	defer timeout.Stop()
	start := time.Now()
	if err := r.send(order{Clock: n}); err != nil {
		return 0, 0, err
	}
	for {
		select {
		case m := <-r.ticks:
			if m.Number != n {
				continue
			}
			took := time.Since(start)
			return time.Duration(m.Nanos - start.UnixNano() - int64(took)/2), took / 2, nil
		case <-timeout.C:
			return 0, 0, fmt.Errorf("no answer within %v", answerTimeout)
		case <-ctx.Done():
			return 0, 0, context.Cause(ctx)
		}
	}
}

// Lost returns the hosts whose workers have ended, with the reason.
func (w *Workers) Lost() map[string]error {
	lost := map[string]error{}
	for name, r := range w.all {
		r.mu.Lock()
		if r.lost != nil {
			lost[name] = r.lost
		}
		r.mu.Unlock()
	}
	return lost
}

// Batch measures disjoint pairs of hosts at the same time. It returns within the deadline of a pair
// and a few seconds, whatever the hosts do.
func (w *Workers) Batch(ctx context.Context, hosts []pairs.Host, batch []pairs.Match) []pairs.Sample {
	results, _ := w.batch(ctx, hosts, batch)
	return results
}

// batch is Batch, and returns the points of each pair, too.
func (w *Workers) batch(ctx context.Context, hosts []pairs.Host, batch []pairs.Match) ([]pairs.Sample, [][]record.Point) {
	results, points := make([]pairs.Sample, len(batch)), make([][]record.Point, len(batch))
	var wait sync.WaitGroup
	for i, m := range batch {
		wait.Go(func() {
			begun := time.Now()
			r := &results[i]
			*r, points[i] = w.among(ctx, []string{hosts[m.A].Name, hosts[m.B].Name}, false)
			r.Round, r.Stage, r.Seconds = m.Round, m.Stage, time.Since(begun).Seconds()
		})
	}
	wait.Wait()
	return results, points
}

// assign gives a worker a pair, unless it is lost or busy with one that it does not end.
func (r *remoteWorker) assign(ctx context.Context, id, rank int) error {
	r.mu.Lock()
	lost, busy, quiet := r.lost, r.pair != 0, r.quiet
	r.mu.Unlock()
	if lost != nil {
		return lost
	}
	if busy && (quiet || !r.answers(ctx)) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.quiet = true
		return errors.New("it does not answer any more")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pair, r.rank = id, rank
	return nil
}

// release takes a pair back that has not begun.
func (r *remoteWorker) release(id int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pair == id {
		r.pair = 0
	}
}

// eventsOfRank is the number of events of a rank that wait: exchanges, and a few more.
const eventsOfRank = 32

// watch returns a new number, and the events of the workers that measure under it, of which most
// wait, until forget is called.
func (w *Workers) watch(limit int) (id int, events chan event, forget func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	id, events = w.next, make(chan event, limit)
	w.pairs[id] = events
	return id, events, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.pairs, id)
	}
}

// assign gives the workers of hosts a measurement. If one cannot take it, none has it, and name is
// its host.
func (w *Workers) assign(ctx context.Context, id int, hosts []string) (sides []*remoteWorker, name string, err error) {
	for rank, name := range hosts {
		r, err := w.all[name], errors.New("it has no worker")
		if r != nil {
			err = r.assign(ctx, id, rank)
		}
		if err != nil {
			for _, r := range sides {
				r.release(id)
			}
			return nil, name, err
		}
		sides = append(sides, r)
	}
	return sides, "", nil
}

// passOn keeps the blob of one side in waiting. Once all sides have one, each gets those of all.
func passOn(id int, e event, waiting [][]byte, sides []*remoteWorker) {
	waiting[e.rank] = e.blobs.List[0]
	if slices.ContainsFunc(waiting, func(b []byte) bool { return b == nil }) {
		return
	}
	for _, r := range sides {
		r.send(order{Blobs: &blobs{id, slices.Clone(waiting)}})
	}
	clear(waiting)
}

// among measures a pair, or allreduce among two hosts or more. The sample names the first host and
// the last.
func (w *Workers) among(ctx context.Context, names []string, allreduce bool) (s pairs.Sample, points []record.Point) {
	defer func() { s.A, s.B = names[0], names[len(names)-1] }()
	id, events, forget := w.watch(eventsOfRank * len(names))
	defer forget()
	sides, name, err := w.assign(ctx, id, names)
	if err != nil {
		return pairs.Sample{Failed: fmt.Sprintf("%s: %v", name, err), Culprit: name, Kind: pairs.NoAnswer}, nil
	}
	for rank, r := range sides {
		r.send(order{Pair: &pairOrder{ID: id, Rank: rank, Hosts: names, Allreduce: allreduce, Transport: w.o.Transport, Options: w.o.Set,
			Small: w.o.Small, Large: w.o.Large, Interval: w.o.Interval, Deadline: w.o.limit()}})
	}
	return follow(ctx, id, names, sides, events, w.o.limit()+answerTimeout)
}

// follow passes the exchanges of hosts on until all have ended, or the time is over.
func follow(ctx context.Context, id int, names []string, sides []*remoteWorker, events <-chan event, limit time.Duration) (pairs.Sample, []record.Point) {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	stop := ctx.Done()
	ends, lost, waiting := make([]*done, len(names)), make([]error, len(names)), make([][]byte, len(names))
	left := func() (ranks []int) {
		for rank := range names {
			if ends[rank] == nil && lost[rank] == nil {
				ranks = append(ranks, rank)
			}
		}
		return ranks
	}
	end := func(why string) {
		for _, rank := range left() {
			sides[rank].send(order{Abort: &abort{id, why}})
		}
	}
	for len(left()) > 0 {
		select {
		case e := <-events:
			switch {
			case e.blobs != nil:
				passOn(id, e, waiting, sides)
			case e.done != nil:
				if ends[e.rank] = e.done; e.done.Error != "" {
					end(fmt.Sprintf("%s could not go on: %s", names[e.rank], e.done.Error))
				}
			default:
				lost[e.rank] = e.lost
				end(fmt.Sprintf("%s is lost: %v", names[e.rank], e.lost))
			}
		case <-stop:
			end("interrupted")
			stop = nil
			timeout.Reset(answerTimeout)
		case <-timeout.C:
			return silent(names, left()), nil
		}
	}
	s := together(names, ends, lost)
	if s.Failed != "" {
		return s, nil
	}
	cores := make([]int, len(ends))
	for rank, d := range ends {
		cores[rank] = d.Core
	}
	for i := range ends[0].Points {
		ends[0].Points[i].Cores = cores
	}
	return s, ends[0].Points
}

// silent is the result of hosts of which some ranks have not ended in time.
func silent(names []string, ranks []int) pairs.Sample {
	if len(ranks) == len(names) {
		return pairs.Sample{Failed: fmt.Sprintf("none of %s answers any more", strings.Join(names, ", ")), Kind: pairs.NoAnswer}
	}
	list := collect.Each(ranks, func(rank int) string { return names[rank] })
	return pairs.Sample{Failed: strings.Join(list, ", ") + ": no answer any more", Culprit: list[0], Kind: pairs.NoAnswer}
}

// together joins the results of all hosts.
func together(names []string, ends []*done, lost []error) pairs.Sample {
	s := pairs.Sample{}
	for rank, err := range lost {
		if err != nil {
			return pairs.Sample{Failed: fmt.Sprintf("%s: %v", names[rank], err), Culprit: names[rank], Kind: pairs.NoAnswer}
		}
	}
	for rank, d := range ends {
		if len(d.Changed) > 0 {
			if s.Changed == nil {
				s.Changed = pairs.Changes{}
			}
			s.Changed[names[rank]] = d.Changed
		}
		if rank < len(s.Cores) {
			s.Resent[rank], s.Resent2[rank], s.Cores[rank] = d.Resent[0], d.Resent[1], d.Core
		}
	}
	for _, d := range ends {
		if d.Error != "" {
			s.Failed, s.Kind = d.Error, kindOf(ends)
			return s
		}
	}
	s.HalfRTT, s.Forth, s.Back, s.Both, s.Allreduce = ends[0].HalfRTT, ends[0].Forth, ends[0].Back, ends[0].Both, ends[0].Allreduce
	return s
}

// lossy is the number of segments sent again from which packets count as lost: where other programs
// have the cores, an acknowledgement is late at times, and a segment is sent again without a loss.
const lossy = 3

// kindOf returns the kind of a failure by the phase in which it occurred, and by what was sent
// again: where short messages passed and long ones did not, long packets were lost.
func kindOf(ends []*done) pairs.Kind {
	in := func(p phase) bool {
		return slices.ContainsFunc(ends, func(d *done) bool { return d.Phase == p && d.Error != "" })
	}
	again := func(messages int) (sum int) {
		for _, d := range ends {
			sum += d.Resent[messages]
		}
		return sum
	}
	switch {
	case in(checking):
		return pairs.WrongData
	case in(connecting):
		return pairs.NoConnection
	case in(large) && ends[0].Forth == 0 && again(0) < lossy:
		return pairs.LongLost
	case again(0)+again(1) >= lossy:
		return pairs.Loss
	}
	return pairs.NoAnswer
}
