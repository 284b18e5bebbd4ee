package pairwise

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gobench/device"
	"gobench/internal/remedy"
	"gobench/internal/traffic"
	"gobench/nearest"
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
	File   string  `json:"-"` // of Matrix
	Seed   uint64  `json:"seed"`
}

// Patterns lists the patterns of a Load.
var Patterns = []string{"incast", "fanout", "alltoall", "broadcast", "random", "matrix"}

// name returns the pattern, and which matrix it is.
func (l *Load) name() string {
	if l.File == "" {
		return l.Pattern
	}
	return l.Pattern + " " + filepath.Base(l.File)
}

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
		l.File = file
		if l.Matrix, err = traffic.ReadMatrix(file, 64<<20); err != nil {
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

// run opens the transport between the hosts of the load and sends until ctx ends. It returns the
// bytes per second that this host has sent.
func (l Load) run(ctx context.Context, m *meeting, ready func()) (rate float64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = m.over(ctx, func(ch device.Device) error {
		ready()
		begun := time.Now()
		sent, err := l.send(ctx, ch)
		rate = float64(sent) / time.Since(begun).Seconds()
		if ctx.Err() != nil {
			return nil
		}
		return err
	})
	return rate, err
}

// send sends step after step until ctx ends, and returns the number of bytes.
func (l Load) send(ctx context.Context, ch device.Channel) (sent int, err error) {
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
	begun := time.Now()
	for number := 0; ctx.Err() == nil; number++ {
		requests = requests[:0]
		for from := range n {
			if size := l.step(number, n, from, own); size > 0 {
				r, err := ch.Irecv(in[from][:size], from, tag, 0)
				if err != nil {
					return sent, err
				}
				requests = append(requests, r)
			}
		}
		for to := range n {
			if size := l.step(number, n, own, to); size > 0 {
				r, err := ch.Isend(out[:size], to, tag, 0)
				if err != nil {
					return sent, err
				}
				requests = append(requests, r)
				sent += size
			}
		}
		for _, r := range requests {
			if _, err := ch.Wait(r); err != nil {
				return sent, err
			}
		}
		if l.Rate > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(time.Until(begun.Add(time.Duration(float64(sent) / l.Rate * float64(time.Second))))):
			}
		}
		if len(requests) == 0 {
			time.Sleep(time.Millisecond) // this host has no part in the step
		}
	}
	return sent, nil
}
