package dt

import (
	"slices"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

func TestClassS(t *testing.T) {
	for _, c := range traffics() {
		kerneltest.Verify(t, c.kernel(), npb.S, kerneltest.Shared, 13, 1) // one rank more than SH has nodes
	}
}

// The generator overflows as the official program does.
func TestLengthsOfSources(t *testing.T) {
	for id, want := range []int{7176, 7284, 7040, 6912} {
		if got := fields * sizes[npb.S].samplesOf(id); got != want {
			t.Errorf("source %d of class S has %d values, want %d", id, got, want)
		}
	}
	for class, want := range map[npb.Class]int{npb.W: 56072, npb.A: 442120, npb.B: 3540744} {
		if got := fields * sizes[class].samplesOf(0); got != want {
			t.Errorf("source 0 of class %v has %d values, want %d", class, got, want)
		}
	}
	f := make([]float64, 7176)
	if generate(f, 0); [4]float64(f) != [4]float64{331, 396, 978, 2781} {
		t.Errorf("the first sample is %v", f[:4])
	}
}

// Nodes and arcs of the official graphs. An arc goes from a node to a later one, and both know its
// number.
func TestGraphs(t *testing.T) {
	for class, want := range map[npb.Class]map[string][2]int{
		npb.S: {"dt-bh": {5, 4}, "dt-wh": {5, 4}, "dt-sh": {12, 16}},
		npb.W: {"dt-bh": {11, 10}, "dt-wh": {11, 10}, "dt-sh": {32, 48}},
		npb.A: {"dt-bh": {21, 20}, "dt-wh": {21, 20}, "dt-sh": {80, 128}},
		npb.B: {"dt-bh": {43, 42}, "dt-wh": {43, 42}, "dt-sh": {192, 320}},
	} {
		for _, c := range traffics() {
			g := c.graph(sizes[class].sources)
			if got := [2]int{len(g.nodes), g.arcs}; got != want[c.name] {
				t.Errorf("%s class %v has %d nodes and arcs, want %d", c.name, class, got, want[c.name])
			}
			ends := map[int]int{}
			for id, n := range g.nodes {
				for _, a := range n.out {
					if a.node <= id {
						t.Errorf("%s class %v: arc %d goes from node %d to %d", c.name, class, a.number, id, a.node)
					}
					ends[a.number] += id - 1000*a.node
				}
				for _, a := range n.in {
					ends[a.number] += 1000*id - a.node
				}
			}
			for number, rest := range ends {
				if rest != 0 {
					t.Errorf("%s class %v: both ends of arc %d differ", c.name, class, number)
				}
			}
		}
	}
}

// The official rate counts four values of each sample, of the nominal length, for each arc, in
// units of 2^20.
func TestOperations(t *testing.T) {
	for _, c := range traffics() {
		want := map[string]float64{"dt-bh": 4, "dt-wh": 4, "dt-sh": 16}[c.name] * 6912 / 1048576
		if got := c.problem(npb.S).Operations; got != want {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}

// A node sends the same array along all of its arcs, after its length: a source its own values, and
// a node in the middle as many as the longest that it receives. A sink sends one number.
func TestVolumeIsThatOfArcs(t *testing.T) {
	if testing.Short() {
		return // counting is nothing new for a race detector
	}
	arcs := func(count int64, length int64) application.Traffic {
		return application.Traffic{Messages: 2 * count, Bytes: count * (4 + 8*length)}
	}
	sink := application.Traffic{Messages: 1, Bytes: 8}
	want := map[string][]application.Traffic{
		"dt-bh": {arcs(1, 7176), arcs(1, 7284), arcs(1, 7040), arcs(1, 6912), sink},
		"dt-wh": {arcs(4, 7176), sink, sink, sink, sink},
		"dt-sh": {
			arcs(2, 7176), arcs(2, 7284), arcs(2, 7040), arcs(2, 6912),
			arcs(2, 7284), arcs(2, 7284), arcs(2, 7040), arcs(2, 7040),
			sink, sink, sink, sink,
		},
	}
	for _, c := range traffics() {
		ranks := want[c.name]
		kerneltest.Volume(t, c.kernel(), npb.S, len(ranks), func(rank int) kerneltest.Sent {
			return kerneltest.Sent{Messages: ranks[rank]}
		})
	}
}

// In class S the shuffle has two nodes in the middle of each pair of sources.
func TestMutantsAreNotVerified(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	on := func(node int, change func(d *instance)) func(k *npb.Kernel) {
		return kerneltest.Plant(func(rank int, d *instance) {
			if rank == node {
				change(d)
			}
		})
	}
	for _, c := range traffics() {
		mutants := map[string]func(k *npb.Kernel){
			"another length of the first source": on(0, func(d *instance) { d.size.deviation-- }),
		}
		if c.name == "dt-sh" {
			mutants["messages that are combined in another order"] = on(4, func(d *instance) { slices.Reverse(d.node.in) })
			mutants["an arc to another node"] = kerneltest.Plant(func(_ int, d *instance) {
				if nodes := d.graph.nodes; d.id < 8 {
					nodes[4].in[1], nodes[6].in[1] = nodes[6].in[1], nodes[4].in[1]
					nodes[1].out[0], nodes[3].out[0] = arc{nodes[1].out[0].number, 6}, arc{nodes[3].out[0].number, 4}
				}
			})
		}
		kerneltest.Mutants(t, c.kernel(), len(c.graph(4).nodes), mutants)
	}
}

func TestTooFewRanksAreNamed(t *testing.T) {
	if err := traffics()[1].kernel().Legal(npb.S, 8); err == nil || err.Error() != "dt-sh class S runs on 12 or more ranks, not on 8: use np=12" {
		t.Errorf("8 ranks: %v", err)
	}
}

// A comparator and a sink receive lengths and numbers in turns, and rank 0 the results.
func TestDamageIsNoticedInEveryPhase(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	for _, c := range traffics() {
		switch c.name {
		case "dt-bh":
			kerneltest.Noticed(t, c.kernel(), 5, 4, 0)
			kerneltest.Noticed(t, c.kernel(), 5, 0, 0)
		case "dt-sh":
			kerneltest.Noticed(t, c.kernel(), 12, 5, 0)
			kerneltest.Noticed(t, c.kernel(), 12, 11, 0)
		}
	}
}

func TestMessagesAllocateNothing(t *testing.T) {
	if testing.Short() {
		return // the race detector does not look for this
	}
	for _, c := range traffics() {
		ranks := len(c.graph(sizes[npb.S].sources).nodes)
		kerneltest.Run(t, kerneltest.Shared, ranks, 1, func(r *application.Rank) error {
			d := newInstance(r, c, npb.S)
			var err error
			n := kerneltest.Allocs(func() {
				if err == nil {
					_, err = d.process()
				}
				if err == nil {
					_, err = d.total()
				}
			})
			if n > 0 && err == nil {
				t.Errorf("%s: a run allocates %v times", c.name, n)
			}
			return err
		})
	}
}
