package coll

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"gobench/comm/op"
	"gobench/comm/schedule"
	"gobench/comm/schedule/sim"
)

// Every message algorithm against an oracle: any number of ranks, any root, no
// elements, fewer elements than ranks, unequal blocks with gaps, in place, operators
// that do not commute, sends that wait and sends that do not.
func TestAlgorithmsAgainstTheOracle(t *testing.T) {
	before := debug.SetGCPercent(800) // cases are small and live for a moment
	t.Cleanup(func() { debug.SetGCPercent(before) })
	for kind := range schedule.Kinds {
		for _, c := range withExtremeParameters(Choices(schedule.Kind(kind))) {
			if c.Build == nil {
				continue
			}
			t.Run(c.Kind.String()+"/"+c.String(), func(t *testing.T) {
				t.Parallel()
				// Powers of two and their neighbours, primes, and products of both.
				all, large := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17}, []int{24, 33}
				if testing.Short() { // the race detector, which learns nothing from a single goroutine
					all, large = all[:5], nil
				}
				tried := 0
				for _, p := range all {
					tried += tryRanks(t, c, p, testing.Short() || c.Param != "" && slices.Contains(extremes, c.Number))
				}
				for _, p := range large {
					tried += tryRanks(t, c, p, true)
				}
				if tried < 2*len(all) {
					t.Errorf("only %d cases fit", tried)
				}
			})
		}
	}
}

// extremes are parameters that nobody would choose. With the small ones, vectors of these tests are
// several segments.
var extremes = []int{1, 20, 1 << 62}

// withExtremeParameters adds them to the choices of one operation.
func withExtremeParameters(list []Choice) []Choice {
	for _, a := range All() {
		if a.Param != "" && a.Kind == list[0].Kind {
			for _, n := range extremes {
				list = append(list, Choice{&a, n})
			}
		}
	}
	return list
}

// tryRanks tries a choice with p ranks and returns how many cases fitted.
func tryRanks(t *testing.T, c Choice, p int, few bool) (tried int) {
	roots := []int{0}
	if c.Kind.Rooted() {
		for root := 1; root < p; root++ {
			roots = append(roots, root)
		}
		if few || p > 9 {
			roots = []int{0, p - 1, p / 2}
		}
	}
	elements := []int{0, 1, 3, p + 2, 40}
	if few {
		elements = []int{1, 17}
	}
	if c.Kind == schedule.Barrier {
		elements = []int{0}
	}
	for _, root := range roots {
		for _, n := range elements {
			for variant := range 8 {
				for _, hosts := range distributions(c, p, few || p > 9) {
					x := newCase(c.Kind, p, root, n, variant)
					if x == nil {
						continue
					}
					x.slot(hosts)
					if c.fits(&x.shapes[0]) != "" {
						continue
					}
					tried++
					x.try(t, c)
				}
			}
		}
	}
	return tried
}

// oracleCase is one operation with the buffers of all ranks.
type oracleCase struct {
	name     string
	shapes   []schedule.Shape
	input    [][]byte // as if nothing were in place
	send     [][]byte
	recv     [][]byte
	op       *op.Op
	buffered bool
	seed     uint64
}

// newCase makes a case: bit 0 of variant is in place, bit 1 unequal blocks (or an operator that
// commutes), bit 2 buffered sends. nil if a variant means nothing.
func newCase(kind schedule.Kind, p, root, n, variant int) *oracleCase {
	inPlace, second, buffered := variant&1 != 0, variant&2 != 0, variant&4 != 0
	if kind.Neighbors() {
		return newNeighborCase(kind, p, n, variant)
	}
	if inPlace && (kind == schedule.Barrier || kind == schedule.Bcast) || second && !kind.Blocked() && !kind.Reduces() {
		return nil
	}
	x := &oracleCase{
		name:     fmt.Sprintf("%v ranks %d root %d elements %d in place %t variant %t buffered %t", kind, p, root, n, inPlace, second, buffered),
		buffered: buffered, seed: uint64(p*1000 + root*100 + n*10 + variant),
	}
	random := rand.New(rand.NewPCG(x.seed, 2))
	elem := 1
	if kind.Reduces() {
		elem, x.op = 8, sim.Affine()
		if second || kind == schedule.ReduceScatter && n%2 == 1 {
			x.op = op.Sum[uint64]()
		}
	}
	lengths := make([][]int, p) // [from][to] of alltoall, else the first
	for i := range lengths {
		lengths[i] = make([]int, p)
		for k := range lengths[i] {
			lengths[i][k] = n * elem
			if second && kind.Blocked() {
				lengths[i][k] = random.IntN(n+1) * elem
			}
		}
	}
	for i := range lengths {
		for k := range i {
			if inPlace && kind == schedule.Alltoall {
				lengths[i][k] = lengths[k][i] // what is received replaces what is sent
			}
		}
	}
	for me := range p {
		s := schedule.Shape{Kind: kind, Ranks: p, Rank: me, Root: root, Bytes: n * elem, Elem: elem}
		s.Commutative = x.op != nil && x.op.Commutative
		s.InPlace = inPlace && (me == root || !kind.Rooted())
		if kind == schedule.Barrier {
			s.Bytes = 0
		}
		if second && kind.Blocked() {
			s.Bytes = 0
			gap := func(list []int) []schedule.Block {
				var blocks []schedule.Block
				off := 0
				for _, n := range list {
					if kind != schedule.ReduceScatter {
						off += 2
					}
					blocks = append(blocks, schedule.Block{Off: off, Len: n})
					off += n
				}
				return blocks
			}
			column := make([]int, p)
			for peer := range column {
				column[peer] = lengths[peer][me]
			}
			switch kind {
			case schedule.Scatter, schedule.ReduceScatter:
				s.SendBlocks = gap(lengths[0])
			case schedule.Gather, schedule.Allgather:
				s.RecvBlocks = gap(lengths[0])
			case schedule.Alltoall:
				s.SendBlocks, s.RecvBlocks = gap(lengths[me]), gap(column)
			}
		}
		x.add(s, random)
	}
	return x
}

// add fills the buffers of a rank.
func (x *oracleCase) add(s schedule.Shape, random *rand.Rand) {
	plain := s
	plain.InPlace = false
	input := noise(random, plain.SendLen())
	if s.Kind == schedule.Bcast {
		input = noise(random, s.Bytes)
	}
	recv := noise(random, s.RecvLen())
	send := input[:min(len(input), s.SendLen())]
	if s.Kind == schedule.Bcast {
		send = nil
		if s.Rank == s.Root {
			copy(recv, input)
		}
	}
	if s.InPlace {
		switch s.Kind {
		case schedule.Gather, schedule.Allgather:
			b := schedule.Builder{Shape: s}
			m := b.RecvBlock(s.Rank)
			copy(recv[m.Off:m.Off+m.Len], input)
		case schedule.Scatter:
		default:
			copy(recv, input)
		}
	}
	x.shapes = append(x.shapes, s)
	x.input, x.send, x.recv = append(x.input, input), append(x.send, send), append(x.recv, recv)
}

func noise(random *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func (x *oracleCase) try(t *testing.T, c Choice) {
	t.Helper()
	want := sim.Expected(x.shapes, x.input, x.recv, x.op)
	programs := make([]*schedule.Program, len(x.shapes))
	for me, s := range x.shapes {
		programs[me] = schedule.Build(s, func(b *schedule.Builder) { c.Build(b, c.Number) })
	}
	got := make([][]byte, len(x.recv))
	for me := range got {
		got[me] = bytes.Clone(x.recv[me])
	}
	given := func(me int) schedule.Mem { return filled(x.shapes[me]) }
	if err := sim.Run(programs, x.send, got, given, sim.Options{Seed: x.seed, Buffered: x.buffered, Op: x.op, Barrier: c.Kind == schedule.Barrier}); err != nil {
		t.Fatalf("%s: %v", x.name, err)
	}
	for me, s := range x.shapes {
		n := len(got[me])
		if s.Kind == schedule.ReduceScatter {
			n = s.Len(me) // what is behind it in place means nothing
		}
		if !bytes.Equal(got[me][:n], want[me][:n]) {
			t.Fatalf("%s: rank %d has %x, want %x", x.name, me, got[me], want[me])
		}
	}
}

// filled is the part of Recv in which the caller has put something.
func filled(s schedule.Shape) schedule.Mem {
	b := schedule.Builder{Shape: s}
	switch {
	case s.Kind == schedule.Bcast && s.Rank == s.Root, s.InPlace && s.Kind == schedule.Alltoall:
		return b.RecvBuf()
	case s.InPlace && s.Kind != schedule.Scatter:
		return b.Input()
	}
	return schedule.Mem{}
}

// variants returns the number of variants in which an algorithm is defined.
func variants(a Algorithm) int {
	n := 0
	for _, has := range []bool{a.Build != nil, a.share != nil, a.Library} {
		if has {
			n++
		}
	}
	return n
}

func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range All() {
		name := a.Kind.String() + "/" + a.Name
		if seen[name] {
			t.Errorf("%s is listed twice", name)
		}
		seen[name] = true
		if a.Source == "" || a.About == "" || variants(a) != 1 {
			t.Errorf("%s: source %q, about %q, or it has not one of Build, Share and Library", name, a.Source, a.About)
		}
		if usual := (&schedule.Shape{Kind: a.Kind, Ranks: 8, Bytes: 64, Elem: 8, Commutative: true, Hosts: []int{0, 0, 0, 0, 1, 1, 1, 1}}); a.Build != nil && a.Fits != nil && a.Fits(usual) != "" {
			t.Errorf("%s cannot do equal blocks on 8 ranks: %s", name, a.Fits(usual))
		}
		if (a.Param == "") != (len(a.Values) == 0) || (a.Param == "") != (a.Default == 0) {
			t.Errorf("%s: parameter %q with values %v, default %d", name, a.Param, a.Values, a.Default)
		}
	}
	for kind := range schedule.Kinds {
		first := Of(schedule.Kind(kind))[0]
		if first.Build == nil || first.Fits != nil {
			t.Errorf("%v: the first algorithm must do every shape with messages", schedule.Kind(kind))
		}
	}
}
