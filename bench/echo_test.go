package bench_test

import (
	"strings"
	"testing"
	"time"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
)

// echo returns a benchmark: a message to the partner and back.
func echo() bench.Benchmark {
	return bench.Benchmark{
		Name: "echo", Pattern: bench.Pairs, Metric: "rtt_s", Scale: 1, Buffers: bench.Fixed(2),
		Amount: func(ranks, _ int) int { return ranks },
		Timed:  func(rank, ranks int) bool { return rank < ranks/2 },
		New: func(env *bench.Env) bench.Op {
			half := env.Size() / 2
			peer := (env.Rank() + half) % env.Size()
			return &echoOp{env.Channel, peer, env.Rank() < half, env.Send(0), env.Recv(peer, 0)}
		},
	}
}

type echoOp struct {
	ch      device.Channel
	peer    int
	first   bool
	out, in []byte
}

func (e *echoOp) Do(k int) error {
	for range k {
		if e.first {
			if err := e.ch.Send(e.out, e.peer, 0, bench.Context); err != nil {
				return err
			}
		}
		if _, err := e.ch.Recv(e.in, e.peer, 0, bench.Context); err != nil {
			return err
		}
		if !e.first {
			if err := e.ch.Send(e.out, e.peer, 0, bench.Context); err != nil {
				return err
			}
		}
	}
	return nil
}

// echoes returns a plan of echo with the given sizes.
func echoes(sizes ...int) bench.Plan {
	p := bench.Plan{Run: "test", Level: "raw", Noise: -1}
	for _, size := range sizes {
		p.Cases = append(p.Cases, bench.Case{Bench: echo(), Size: size})
	}
	return p
}

// slow returns a network on which a round trip takes 2.4 us and 2 ns per byte.
func slow(ranks int) *benchtest.Net {
	return &benchtest.Net{Ranks: ranks, Latency: 1000, PerByte: 1, Overhead: 100}
}

// run runs a plan, and fails the test if a rank has an error or the number of points is not that of
// cells.
func run(t *testing.T, net *benchtest.Net, plan bench.Plan) *benchtest.Found {
	t.Helper()
	found := runStates(t, net, plan)
	if len(found.Points) != len(plan.Cases) {
		t.Fatalf("%d points for %d cells", len(found.Points), len(plan.Cases))
	}
	return found
}

// runStates is run for cells that may have a point for each state of the cores.
func runStates(t *testing.T, net *benchtest.Net, plan bench.Plan) *benchtest.Found {
	t.Helper()
	found := &benchtest.Found{}
	for rank, err := range benchtest.Run(t.Context(), net.Devices(), plan, found) {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
	for _, p := range found.Points {
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

const (
	millisecond = time.Millisecond
	second      = time.Second
)

// A field that is missing is an error that names it, before anything runs.
func TestMissingField(t *testing.T) {
	for field, remove := range map[string]func(*bench.Benchmark){
		"Metric":  func(b *bench.Benchmark) { b.Metric = "" },
		"Scale":   func(b *bench.Benchmark) { b.Scale = 0 },
		"Amount":  func(b *bench.Benchmark) { b.Amount = nil },
		"Buffers": func(b *bench.Benchmark) { b.Buffers = nil },
		"Timed":   func(b *bench.Benchmark) { b.Timed = nil },
		"New":     func(b *bench.Benchmark) { b.New = nil },
	} {
		p := echoes(8)
		remove(&p.Cases[0].Bench)
		if err := p.Check(2); err == nil || !strings.Contains(err.Error(), "echo has no "+field+":") {
			t.Errorf("without %s: %v", field, err)
		}
	}
}
