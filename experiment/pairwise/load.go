package pairwise

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/device"
	"gobench/internal/remedy"
	"gobench/nearest"
	"gobench/pairs"
)

// A loadOrder makes a worker one of the hosts that load the network until it is aborted.
type loadOrder struct {
	ID        int               `json:"id"`
	Rank      int               `json:"rank"`
	Hosts     []string          `json:"hosts"`
	Transport string            `json:"transport"`
	Options   map[string]string `json:"options,omitempty"`
	Load      Load              `json:"load"`
}

// A Load describes traffic between hosts. In each step every host sends messages to some others and
// receives from some; a step ends when all have arrived.
type Load struct {
	Pattern string `json:"pattern"` // one of Patterns
	// Rate bounds the bytes per second that a host sends; 0 = as fast as it can.
	Rate float64 `json:"rate_Bps,omitempty"`
	// Matrix has the bytes that the host of a row sends to that of a column in a step, for
	// "matrix".
	Matrix [][]int `json:"matrix,omitempty"`
	Seed   uint64  `json:"seed"`
}

// Patterns lists the patterns of a Load.
var Patterns = []string{"incast", "fanout", "alltoall", "broadcast", "random", "matrix"}

// loadSize is the size of a message of a load.
const loadSize = 64 << 10

// ParseLoad reads a pattern, or matrix:FILE, and a rate such as 100M, "" = as fast as a host can.
func ParseLoad(pattern, rate string, seed uint64) (*Load, error) {
	l := Load{Seed: seed}
	var file string
	l.Pattern, file, _ = strings.Cut(pattern, ":")
	if !slices.Contains(Patterns, l.Pattern) {
		return nil, &nearest.UnknownError{What: "load", Name: l.Pattern, Known: Patterns}
	}
	var err error
	if l.Pattern == "matrix" {
		if l.Matrix, err = ReadMatrix(file); err != nil {
			return nil, err
		}
	}
	if rate != "" {
		n, err := device.ParseBytes(rate)
		if err != nil || n <= 0 {
			return nil, remedy.Errorf("%v is %q, want bytes in a second, such as 100M", remedy.Named("load-rate"), rate)
		}
		l.Rate = float64(n)
	}
	return &l, nil
}

// step returns how many bytes one of n hosts sends to another in a step of a load.
func (l Load) step(number, n, from, to int) int {
	if from == to {
		return 0
	}
	sends := false
	switch l.Pattern {
	case "incast":
		sends = to == 0
	case "fanout":
		sends = from == 0
	case "broadcast": // along a binomial tree
		high := 1
		for high*2 <= to {
			high *= 2
		}
		sends = to > 0 && from == to-high
	case "alltoall":
		sends = to == (from+1+number%(n-1))%n
	case "random":
		order := rand.New(rand.NewPCG(l.Seed, uint64(number))).Perm(n)
		i := slices.Index(order, from)
		sends = order[(i+1)%n] == to
	case "matrix":
		return l.Matrix[from][to]
	}
	if sends {
		return loadSize
	}
	return 0
}

// ReadMatrix reads a matrix of bytes: a line for each host that sends, with a number for each host
// that receives.
func ReadMatrix(file string) ([][]int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	const limit = 64 << 20
	var m [][]int
	for number, line := range strings.Split(string(text), "\n") {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,;\t\r", r) })
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		var row []int
		for _, w := range words {
			n, err := strconv.Atoi(w)
			if err != nil || n < 0 || n > limit {
				return nil, fmt.Errorf("%s, line %d: %q is no number of bytes from 0 to %d", file, number+1, w, limit)
			}
			row = append(row, n)
		}
		m = append(m, row)
	}
	for i, row := range m {
		if len(row) != len(m) {
			return nil, fmt.Errorf("%s: row %d has %d numbers, and there are %d rows: want a square matrix", file, i+1, len(row), len(m))
		}
	}
	if len(m) < 2 {
		return nil, fmt.Errorf("%s has %d rows: want one for each of two hosts or more", file, len(m))
	}
	return m, nil
}

// run opens the transport between the hosts of the load and sends until ctx ends.
func (l Load) run(ctx context.Context, m *meeting, ready func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return m.over(ctx, func(ch device.Channel) error {
		ready()
		return l.send(ctx, ch)
	})
}

// send sends step after step.
func (l Load) send(ctx context.Context, ch device.Channel) error {
	n, own := ch.Size(), ch.Rank()
	largest := loadSize
	for _, row := range l.Matrix {
		largest = max(largest, slices.Max(row))
	}
	out, in := make([]byte, largest), make([][]byte, n)
	for i := range in {
		in[i] = make([]byte, largest)
	}
	requests := make([]device.Request, 0, 2*n)
	begun, sent := time.Now(), 0
	for number := 0; ctx.Err() == nil; number++ {
		requests = requests[:0]
		for from := range n {
			if size := l.step(number, n, from, own); size > 0 {
				r, err := ch.Irecv(in[from][:size], from, tag, 0)
				if err != nil {
					return err
				}
				requests = append(requests, r)
			}
		}
		for to := range n {
			if size := l.step(number, n, own, to); size > 0 {
				r, err := ch.Isend(out[:size], to, tag, 0)
				if err != nil {
					return err
				}
				requests = append(requests, r)
				sent += size
			}
		}
		for _, r := range requests {
			if _, err := ch.Wait(r); err != nil {
				return err
			}
		}
		if l.Rate > 0 {
			time.Sleep(time.Until(begun.Add(time.Duration(float64(sent) / l.Rate * float64(time.Second)))))
		}
		if len(requests) == 0 {
			time.Sleep(time.Millisecond) // this host has no part in the step
		}
	}
	return nil
}

// loadStart is the time-out of the start of a load on all hosts.
const loadStart = 10 * time.Second

// startLoad makes hosts load the network, until stop is called, which returns when all have ended.
func (w *Workers) startLoad(ctx context.Context, hosts []string, l Load) (stop func(), err error) {
	id, events, forget := w.watch(eventsOfRank * len(hosts))
	sides := make([]*remoteWorker, len(hosts))
	abortAll := func() {
		for _, r := range sides {
			if r != nil {
				r.send(order{Abort: &abort{id, "the load ends"}})
			}
		}
	}
	for rank, name := range hosts {
		r := w.all[name]
		if r == nil {
			err = fmt.Errorf("%s has no worker", name)
		} else {
			err = r.assign(ctx, id, rank)
		}
		if err != nil {
			abortAll()
			forget()
			return nil, err
		}
		sides[rank] = r
	}
	for rank, r := range sides {
		r.send(order{Load: &loadOrder{ID: id, Rank: rank, Hosts: hosts, Transport: w.o.Transport, Options: w.o.Set, Load: l}})
	}
	blobsOf := make([][]byte, len(hosts))
	ended := map[int]bool{}
	// follow passes exchanges on until is reports that the wait is over, or d has passed.
	follow := func(d time.Duration, is func(event) bool) error {
		timeout := time.NewTimer(d)
		defer timeout.Stop()
		for {
			select {
			case e := <-events:
				if e.blobs != nil {
					blobsOf[e.rank] = e.blobs.List[0]
					if !slices.ContainsFunc(blobsOf, func(b []byte) bool { return b == nil }) {
						for _, r := range sides {
							r.send(order{Blobs: &blobs{id, slices.Clone(blobsOf)}})
						}
						clear(blobsOf)
					}
				}
				if e.done != nil || e.lost != nil {
					ended[e.rank] = true
				}
				if is(e) {
					return nil
				}
			case <-timeout.C:
				return fmt.Errorf("the load has not started on all hosts within %v", d)
			}
		}
	}
	ready := 0
	err = follow(loadStart, func(e event) bool {
		if e.ready {
			ready++
		}
		return ready == len(hosts) || len(ended) > 0
	})
	if err == nil && len(ended) > 0 {
		err = fmt.Errorf("%d of %d hosts could not begin", len(ended), len(hosts))
	}
	stop = func() {
		abortAll()
		follow(loadStart, func(event) bool { return len(ended) == len(hosts) })
		forget()
	}
	if err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// impactReps is the number of measurements without and with load.
const impactReps = 9

// Impact measures pairs of some hosts, the victims, in turns without a load and with a load of the
// others. The victims are every second host, or, with a matrix, those that it leaves.
func (c *Command) Impact(ctx context.Context, l Load) (*pairs.Impact, error) {
	k, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	var names []string
	for _, name := range k.names {
		if _, missing := k.missing[name]; !missing {
			names = append(names, name)
		}
	}
	aggressors := len(names) / 2
	if l.Pattern == "matrix" {
		aggressors = len(l.Matrix)
	}
	if aggressors < 2 || len(names)-aggressors < 2 {
		return nil, fmt.Errorf("%d hosts can be reached: a load needs two hosts or more, and two others that are measured", len(names))
	}
	// Alternately, so that both kinds are on all switches.
	order := make([]string, 0, len(names))
	for parity := range 2 {
		for i, name := range names {
			if i%2 == 1-parity {
				order = append(order, name)
			}
		}
	}
	loading, victims := order[:aggressors], c.hostsOf(order[aggressors:])
	var batch []pairs.Match
	for i := 0; i+1 < len(victims); i += 2 {
		batch = append(batch, pairs.Match{A: i, B: i + 1})
	}
	impact := &pairs.Impact{Pattern: l.Pattern, Loading: loading}
	rng := rand.New(rand.NewPCG(l.Seed, 1))
	for range impactReps {
		var turn [2][]pairs.Sample
		first := rng.IntN(2)
		for _, loaded := range []int{first, 1 - first} {
			if loaded == 0 {
				turn[0] = k.workers.Batch(ctx, victims, batch)
				continue
			}
			stop, err := k.workers.startLoad(ctx, loading, l)
			if err != nil {
				return nil, fmt.Errorf("the load cannot be made: %w", err)
			}
			turn[1] = k.workers.Batch(ctx, victims, batch)
			stop()
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		impact.Add(turn[0], turn[1])
	}
	impact.Judge()
	return impact, nil
}
