package schedule

import "testing"

// lengths has the lengths of the buffers of 3 ranks with vectors and blocks of 10 bytes, by rank;
// the root is 1. The comment of Shape is the law.
var lengths = map[Kind]struct{ send, recv, sendInPlace, recvInPlace [3]int }{
	Barrier:       {},
	Bcast:         {recv: [3]int{10, 10, 10}, recvInPlace: [3]int{10, 10, 10}},
	Scatter:       {send: [3]int{0, 30, 0}, recv: [3]int{10, 10, 10}, sendInPlace: [3]int{0, 30, 0}},
	Gather:        {send: [3]int{10, 10, 10}, recv: [3]int{0, 30, 0}, recvInPlace: [3]int{0, 30, 0}},
	Allgather:     {send: [3]int{10, 10, 10}, recv: [3]int{30, 30, 30}, recvInPlace: [3]int{30, 30, 30}},
	Alltoall:      {send: [3]int{30, 30, 30}, recv: [3]int{30, 30, 30}, recvInPlace: [3]int{30, 30, 30}},
	Reduce:        {send: [3]int{10, 10, 10}, recv: [3]int{0, 10, 0}, recvInPlace: [3]int{0, 10, 0}},
	Allreduce:     {send: [3]int{10, 10, 10}, recv: [3]int{10, 10, 10}, recvInPlace: [3]int{10, 10, 10}},
	ReduceScatter: {send: [3]int{30, 30, 30}, recv: [3]int{10, 10, 10}, recvInPlace: [3]int{30, 30, 30}},
	Scan:          {send: [3]int{10, 10, 10}, recv: [3]int{10, 10, 10}, recvInPlace: [3]int{10, 10, 10}},
	Exscan:        {send: [3]int{10, 10, 10}, recv: [3]int{10, 10, 10}, recvInPlace: [3]int{10, 10, 10}},
	// There are two sources and three targets.
	NeighborAllgather: {send: [3]int{10, 10, 10}, recv: [3]int{20, 20, 20}, recvInPlace: [3]int{20, 20, 20}},
	NeighborAlltoall:  {send: [3]int{30, 30, 30}, recv: [3]int{20, 20, 20}, recvInPlace: [3]int{20, 20, 20}},
}

func TestLengths(t *testing.T) {
	for kind := range Kind(Kinds) {
		want := lengths[kind]
		for rank := range 3 {
			s := Shape{Kind: kind, Ranks: 3, Rank: rank, Root: 1, Bytes: 10, Elem: 1, Sources: []int{0, 1}, Targets: []int{0, 1, 2}}
			if s.SendLen() != want.send[rank] || s.RecvLen() != want.recv[rank] {
				t.Errorf("%v on rank %d: %d and %d bytes, want %d and %d", kind, rank, s.SendLen(), s.RecvLen(), want.send[rank], want.recv[rank])
			}
			s.InPlace = true
			if s.SendLen() != want.sendInPlace[rank] || s.RecvLen() != want.recvInPlace[rank] {
				t.Errorf("%v in place on rank %d: %d and %d bytes, want %d and %d",
					kind, rank, s.SendLen(), s.RecvLen(), want.sendInPlace[rank], want.recvInPlace[rank])
			}
		}
	}
}

func TestUnequalBlocks(t *testing.T) {
	blocks := []Block{{20, 5}, {0, 10}, {25, 1}}
	s := Shape{Kind: Gather, Ranks: 3, Rank: 0, RecvBlocks: blocks}
	if s.Uniform() || s.Total() != 16 || s.RecvLen() != 26 || s.SendLen() != 5 {
		t.Errorf("a gather of 16 bytes in 26: %d, %d, %d", s.Total(), s.RecvLen(), s.SendLen())
	}
	b := Builder{Shape: s}
	if m := b.RecvBlock(1); m != (Mem{RecvBuffer, 0, 10}) {
		t.Errorf("the block of rank 1 is %v", m)
	}
	if m := b.SendBlock(2); m != (Mem{SendBuffer, 0, 5}) {
		t.Errorf("a rank's own block is %v", m)
	}
	same := s.Clone()
	if !same.Same(&s) {
		t.Error("a clone is not the same")
	}
	same.RecvBlocks[0].Off = 21
	if same.Same(&s) || blocks[0].Off != 20 {
		t.Error("a clone shares its blocks")
	}
}

func TestInput(t *testing.T) {
	for _, c := range []struct {
		kind    Kind
		inPlace bool
		want    Mem
	}{
		{Bcast, false, Mem{RecvBuffer, 0, 10}},
		{Allreduce, false, Mem{SendBuffer, 0, 10}},
		{Allreduce, true, Mem{RecvBuffer, 0, 10}},
		{Allgather, false, Mem{SendBuffer, 0, 10}},
		{Allgather, true, Mem{RecvBuffer, 20, 10}},
		{ReduceScatter, true, Mem{RecvBuffer, 0, 30}},
		{ReduceScatter, false, Mem{SendBuffer, 0, 30}},
	} {
		b := Builder{Shape: Shape{Kind: c.kind, Ranks: 3, Rank: 2, Bytes: 10, Elem: 1, InPlace: c.inPlace}}
		if got := b.Input(); got != c.want {
			t.Errorf("%v, in place %t: %v, want %v", c.kind, c.inPlace, got, c.want)
		}
	}
}

func TestNothingIsEmittedForNothing(t *testing.T) {
	p := Build(Shape{Ranks: 2}, func(b *Builder) {
		m := b.Scratch(10)
		b.Copy(m, m)
		b.Copy(Mem{}, Mem{})
		b.Combine(Mem{}, Mem{}, Mem{})
		b.Wait()
		if n := b.Scratch(1); n.Off != 64 {
			t.Errorf("the second part of the scratch memory is at %d, want the next cache line", n.Off)
		}
	})
	if len(p.Instrs) != 0 || p.Scratch != 128 || p.Slots != 0 {
		t.Errorf("%+v", p)
	}
}

func TestKinds(t *testing.T) {
	for kind := range Kind(Kinds) {
		if back, ok := ParseKind(kind.String()); !ok || back != kind || KindNames()[kind] != kind.String() {
			t.Errorf("%v is read as %v", kind, back)
		}
	}
	if _, ok := ParseKind("bcats"); ok {
		t.Error("bcats is a kind")
	}
}
