package sim

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gobench/comm/op"
	"gobench/comm/schedule"
)

// run builds and runs an algorithm on vectors of 8 bytes: Send is 1, 2, 3 ... by rank, Recv
// was not written.
func run(ranks int, o Options, algorithm func(b *schedule.Builder)) ([][]byte, error) {
	programs, send, recv := build(ranks, algorithm), make([][]byte, ranks), make([][]byte, ranks)
	for me := range ranks {
		send[me], recv[me] = bytes.Repeat([]byte{byte(me + 1)}, 8), make([]byte, 8)
	}
	return recv, Run(programs, send, recv, func(int) schedule.Mem { return schedule.Mem{} }, o)
}

func build(ranks int, algorithm func(b *schedule.Builder)) []*schedule.Program {
	programs := make([]*schedule.Program, ranks)
	for me := range programs {
		s := schedule.Shape{Kind: schedule.Allreduce, Ranks: ranks, Rank: me, Bytes: 8, Elem: 8}
		programs[me] = schedule.Build(s, algorithm)
	}
	return programs
}

// Every mistake that a program can make is found, whatever the order in which ranks
// come to their turns.
func TestMistakesAreFound(t *testing.T) {
	both := []bool{false, true}
	for _, c := range []struct {
		name      string
		buffered  []bool // the modes in which it is a mistake
		want      string
		algorithm func(b *schedule.Builder)
	}{
		{"both receive first", both, "rank 0 waits to receive from rank 1; rank 1 waits to receive from rank 0", func(b *schedule.Builder) {
			b.Recv(b.RecvBuf(), 1-b.Rank)
			b.Send(b.SendBuf(), 1-b.Rank)
		}},
		{"both send first", []bool{false}, "rank 0 waits to send to rank 1; rank 1 waits to send to rank 0", func(b *schedule.Builder) {
			b.Send(b.SendBuf(), 1-b.Rank)
			b.Recv(b.RecvBuf(), 1-b.Rank)
		}},
		{"a wait in a circle", []bool{false}, "deadlock", func(b *schedule.Builder) {
			s := b.Isend(b.SendBuf(), 1-b.Rank)
			b.Wait(s)
			b.Recv(b.RecvBuf(), 1-b.Rank)
		}},
		{"not received", []bool{true}, "1 messages from rank 0 to rank 1 are never received", func(b *schedule.Builder) {
			if b.Rank == 0 {
				b.Send(b.SendBuf(), 1)
			}
		}},
		{"not waited for", both, "never waits for its request 0", func(b *schedule.Builder) {
			if b.Rank == 0 {
				b.Isend(b.SendBuf(), 1)
			} else {
				b.Recv(b.RecvBuf(), 0)
			}
		}},
		{"lengths", both, "rank 0 sends 8 bytes to rank 1, which expects 4", func(b *schedule.Builder) {
			if b.Rank == 0 {
				b.Send(b.SendBuf(), 1)
			} else {
				b.Recv(b.RecvBuf().At(0, 4), 0)
			}
		}},
		{"unwritten memory is sent", both, "read before it was written", func(b *schedule.Builder) {
			b.Exchange(b.Scratch(8), 1-b.Rank, b.RecvBuf(), 1-b.Rank)
		}},
		{"unwritten memory is combined", both, "read before it was written", func(b *schedule.Builder) {
			b.Combine(b.RecvBuf(), b.RecvBuf(), b.SendBuf())
		}},
		{"the input is written to", both, "input is written to", func(b *schedule.Builder) {
			b.Exchange(b.SendBuf(), 1-b.Rank, b.SendBuf(), 1-b.Rank)
		}},
		{"a read before the wait", both, "is read", func(b *schedule.Builder) {
			r := b.Irecv(b.RecvBuf(), 1-b.Rank)
			b.Send(b.SendBuf(), 1-b.Rank)
			b.Copy(b.Scratch(8), b.RecvBuf())
			b.Wait(r)
		}},
		{"a write before the wait", both, "is written while it is being transferred", func(b *schedule.Builder) {
			b.Copy(b.RecvBuf(), b.SendBuf())
			room := b.Scratch(8)
			r := b.Irecv(room, 1-b.Rank)
			s := b.Isend(b.RecvBuf(), 1-b.Rank)
			b.Wait(r)
			b.Copy(b.RecvBuf(), room)
			b.Wait(s)
		}},
		{"two receives in one place", both, "is written while it is being transferred", func(b *schedule.Builder) {
			r := b.Irecv(b.RecvBuf(), 1-b.Rank)
			q := b.Irecv(b.RecvBuf().At(4, 4), 1-b.Rank)
			b.Wait(r, q)
		}},
		{"outside", both, "are outside a buffer of 8", func(b *schedule.Builder) {
			b.Copy(b.RecvBuf().At(4, 8), b.SendBuf())
		}},
		{"another length copied", both, "8 bytes are copied to 4", func(b *schedule.Builder) {
			b.Copy(b.RecvBuf().At(0, 4), b.SendBuf())
		}},
		{"half an element", both, "an element has 8", func(b *schedule.Builder) {
			half := b.SendBuf().At(0, 4)
			b.Combine(b.RecvBuf().At(0, 4), half, half)
		}},
		{"result over half an operand", both, "overlaps what it combines", func(b *schedule.Builder) {
			room := b.Scratch(16)
			b.Copy(room.At(0, 8), b.SendBuf())
			b.Combine(room.At(4, 8), room.At(0, 8), b.SendBuf())
		}},
		{"itself", both, "a message to or from rank", func(b *schedule.Builder) { b.Send(b.SendBuf(), b.Rank) }},
		{"nobody", both, "a message to or from rank 2", func(b *schedule.Builder) { b.Recv(b.RecvBuf(), 2) }},
	} {
		for _, buffered := range both {
			mistake := false
			for _, mode := range c.buffered {
				mistake = mistake || mode == buffered
			}
			for seed := range uint64(20) {
				_, err := run(2, Options{Seed: seed, Buffered: buffered, Op: op.Sum[uint64]()}, c.algorithm)
				if mistake && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%s, buffered %t, seed %d: %v, want %q", c.name, buffered, seed, err, c.want)
				}
				if !mistake && c.name != "not received" && err != nil {
					t.Errorf("%s, buffered %t, seed %d: %v where nothing is wrong", c.name, buffered, seed, err)
				}
			}
		}
	}
}

func TestRightProgramGivesTheResultInAnyOrder(t *testing.T) {
	sum := op.Sum[uint64]()
	ring := func(b *schedule.Builder) {
		next, before := (b.Rank+1)%b.Ranks, (b.Rank+b.Ranks-1)%b.Ranks
		b.Copy(b.RecvBuf(), b.SendBuf())
		out, in := b.Scratch(8), b.Scratch(8)
		b.Copy(out, b.SendBuf())
		for range b.Ranks - 1 {
			b.Exchange(out, next, in, before)
			b.Combine(b.RecvBuf(), b.RecvBuf(), in)
			out, in = in, out
		}
	}
	for _, buffered := range []bool{false, true} {
		for seed := range uint64(50) {
			recv, err := run(5, Options{Seed: seed, Buffered: buffered, Op: sum}, ring)
			if err != nil {
				t.Fatal(err)
			}
			for me, got := range recv {
				if !bytes.Equal(got, bytes.Repeat([]byte{15}, 8)) {
					t.Fatalf("rank %d has %v", me, got)
				}
			}
		}
	}
}

func TestBarrierThatDoesNotHold(t *testing.T) {
	around := func(rounds int) func(b *schedule.Builder) {
		return func(b *schedule.Builder) {
			for range rounds {
				b.Exchange(b.SendBuf(), (b.Rank+1)%b.Ranks, b.RecvBuf(), (b.Rank+b.Ranks-1)%b.Ranks)
			}
		}
	}
	const ranks = 70
	for _, buffered := range []bool{false, true} {
		o := Options{Seed: 1, Buffered: buffered, Barrier: true}
		if _, err := run(ranks, o, around(ranks-1)); err != nil {
			t.Error(err)
		}
		if _, err := run(ranks, o, around(ranks-2)); err == nil || !strings.Contains(err.Error(), "leave the barrier before") {
			t.Errorf("%v, want an error: news is one rank short of coming around", err)
		}
	}
}

// The operator detects wrong orders, missing and repeated vectors.
func TestAffineKeepsOrder(t *testing.T) {
	o := Affine()
	vector := func(k byte) []byte { return []byte{k, 3 * k, 7, 1, 2*k + 1, 5, k, 9} }
	abc := fold([][]byte{vector(1), vector(2), vector(3)}, o)
	for name, other := range map[string][][]byte{
		"swapped":  {vector(1), vector(3), vector(2)},
		"gap":      {vector(1), vector(3)},
		"repeated": {vector(1), vector(2), vector(2), vector(3)},
	} {
		if bytes.Equal(abc, fold(other, o)) {
			t.Errorf("%s: the same result", name)
		}
	}
	right := fold([][]byte{vector(2), vector(3)}, o)
	if !bytes.Equal(abc, fold([][]byte{vector(1), right}, o)) {
		t.Error("it is not associative")
	}
}

func TestCostOfAChain(t *testing.T) {
	chain := func(b *schedule.Builder) {
		room := b.Scratch(8)
		if b.Rank > 0 {
			b.Recv(room, b.Rank-1)
			b.Combine(b.RecvBuf(), room, b.SendBuf())
		} else {
			b.Copy(b.RecvBuf(), b.SendBuf())
		}
		if b.Rank < b.Ranks-1 {
			b.Send(b.RecvBuf(), b.Rank+1)
		}
	}
	got, err := Model{Alpha: 100, Beta: 10, Gamma: 1}.Cost(build(4, chain))
	want := Cost{Messages: 3, Bytes: 24, Copied: 8, Time: 3 * (100 + 80 + 8)}
	if err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

// A port carries one message at a time in each direction.
func TestCostOfThePorts(t *testing.T) {
	exchange := func(b *schedule.Builder) { b.Exchange(b.SendBuf(), 1-b.Rank, b.RecvBuf(), 1-b.Rank) }
	gather := func(b *schedule.Builder) {
		if b.Rank > 0 {
			b.Send(b.SendBuf(), 0)
			return
		}
		var slots []schedule.Slot
		for peer := 1; peer < b.Ranks; peer++ {
			slots = append(slots, b.Irecv(b.Scratch(8), peer))
		}
		b.Wait(slots...)
	}
	for _, c := range []struct {
		name      string
		ranks     int
		algorithm func(b *schedule.Builder)
		want      float64
	}{{"exchange", 2, exchange, 1}, {"gather", 6, gather, 5}} {
		got, err := Model{Alpha: 1}.Cost(build(c.ranks, c.algorithm))
		if err != nil || math.Abs(got.Time-c.want) > 1e-9 {
			t.Errorf("%s: %v messages one after the other, %v, want %v", c.name, got.Time, err, c.want)
		}
	}
}

// Messages inside a host have their own costs.
func TestCostBetweenHosts(t *testing.T) {
	chain := func(b *schedule.Builder) {
		if b.Rank > 0 {
			b.Recv(b.RecvBuf(), b.Rank-1)
		} else {
			b.Copy(b.RecvBuf(), b.SendBuf())
		}
		if b.Rank < b.Ranks-1 {
			b.Send(b.RecvBuf(), b.Rank+1)
		}
	}
	m := Model{Alpha: 100, Beta: 10, Hosts: []int{0, 0, 1, 1, 1}}
	m.Inside.Alpha, m.Inside.Beta = 3, 2
	got, err := m.Cost(build(5, chain))
	if want := 3*(3+2*8.0) + (100 + 10*8.0); err != nil || got.Time != want {
		t.Errorf("%v, %v, want %v", got.Time, err, want)
	}
}

// The ranks of a host send to other hosts one after the other.
func TestCostOfTheSharedPort(t *testing.T) {
	pairs := func(b *schedule.Builder) {
		if half := b.Ranks / 2; b.Rank < half {
			b.Send(b.SendBuf(), b.Rank+half)
		} else {
			b.Recv(b.RecvBuf(), b.Rank-half)
		}
	}
	m := Model{Alpha: 100, Beta: 10, Gap: 5, Hosts: []int{0, 0, 0, 1, 1, 1}}
	got, err := m.Cost(build(6, pairs))
	if want := 2*(5+10*8.0) + (100 + 10*8.0); err != nil || got.Time != want {
		t.Errorf("%v, %v, want %v", got.Time, err, want)
	}
}

func TestCostOfADeadlock(t *testing.T) {
	_, err := Model{}.Cost(build(2, func(b *schedule.Builder) { b.Recv(b.RecvBuf(), 1-b.Rank) }))
	if err == nil {
		t.Error("ranks that wait for each other have a cost")
	}
}
