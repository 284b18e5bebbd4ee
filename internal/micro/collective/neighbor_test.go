package collective_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"gobench/bench"
	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/schedule"
	"gobench/device"
	"gobench/internal/device/decorator"
	"gobench/internal/micro/collective"
)

var neighborKinds = []schedule.Kind{schedule.NeighborAllgather, schedule.NeighborAlltoall}

func topology(t *testing.T, name string, ranks int) *collective.Topology {
	t.Helper()
	top, err := collective.ParseTopology(name, ranks)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// graph names the topology of a file in which rank 2 is its own neighbour and receives from all.
func graph(t *testing.T) string {
	return "graph:" + strings.TrimPrefix(matrix(t, "0 1 2\n3 0 1\n0 0 12\n"), "matrix:")
}

// Neighbourhood operations are measured in grids and graphs, with equal blocks and others, blocking
// and overlapped.
func TestNeighborhoods(t *testing.T) {
	var cells []bench.Case
	for _, kind := range neighborKinds {
		for i, name := range []string{"cart:1", "", "cart:3", graph(t)} {
			for _, size := range []int{0, 3, 5000} {
				o := collective.Options{Topology: topology(t, name, 3), Overlap: i%2 == 1}
				cells = append(cells, bench.Case{Bench: collective.New(kind, o), Size: size})
				o.Distribution = parse(t, "zipf", 3)
				cells = append(cells, bench.Case{Bench: collective.New(kind, o), Size: size})
			}
		}
	}
	// No grid takes a context, however many copies of the buffers a case has.
	cells = append(cells, bench.Case{Bench: collective.New(neighborKinds[0], collective.Options{Topology: topology(t, "", 3)}), Size: 8, Buffers: 20})
	found, err := overChanged(t, "smem", 3, cells, func(_ int, d device.Device) device.Device { return few{d} })
	if err != nil {
		t.Fatal(err)
	}
	measured := found.Cells()
	if len(measured) != len(cells) {
		t.Fatalf("points of %d cells for %d", len(measured), len(cells))
	}
	for i, points := range measured {
		p := points[0]
		if p.Bench != cells[i].Bench.Name || p.Topology != cells[i].Bench.Collective.Topology || p.Topology == "" || p.Algorithm != "flat-nb" || p.Size > 0 && p.Checked == 0 {
			t.Errorf("%s, topology %q, algorithm %s: %d checked", p.Bench, p.Topology, p.Algorithm, p.Checked)
		}
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// They fail if a rank has a wrong block, in a grid and in a graph, and if a byte of a message is
// wrong.
func TestNeighborhoodsDetectWrongData(t *testing.T) {
	const ranks, victim = 3, 1
	for _, kind := range neighborKinds {
		for _, name := range []string{"cart:1", "cart:2", graph(t)} {
			for _, d := range []*collective.Distribution{nil, parse(t, "zipf", ranks)} {
				for _, corrupt := range []bool{false, true} {
					if corrupt && name != "cart:2" {
						continue // a graph is made by messages in the same context
					}
					t.Run(fmt.Sprintf("%v/%.6s/%t/%t", kind, name, d != nil, corrupt), func(t *testing.T) {
						var algorithm *coll.Choice
						var made atomic.Bool
						change := func(_ int, d device.Device) device.Device { return d }
						if corrupt {
							change = func(rank int, d device.Device) device.Device {
								spoiled := func(context int32) bool { // collectives of world, after its setup
									return rank == victim && context == comm.FirstContext+1 && made.Load()
								}
								return decorator.CorruptIn(spoiled, d, 1, new(decorator.Tally))
							}
						} else {
							algorithm = brokenBlocks(kind, victim)
						}
						b := collective.New(kind, collective.Options{Algorithm: algorithm, Topology: topology(t, name, ranks), Distribution: d})
						create := b.New
						b.New = func(env *bench.Env) bench.Op { made.Store(true); return create(env) }
						found, err := overChanged(t, "smem", ranks, []bench.Case{{Bench: b, Size: 1000}}, change)
						var wrong *bench.DataError
						if !errors.As(err, &wrong) || wrong.Rank != victim || len(found.Points) != 0 {
							t.Errorf("got %v and %d points, want wrong data on rank %d", err, len(found.Points), victim)
						}
					})
				}
			}
		}
	}
}

// Names of topologies have one form in records, and wrong ones are errors.
func TestTopologyNames(t *testing.T) {
	for name, want := range map[string]string{"": "cart:2", "cart": "cart:2", "cart:3": "cart:3"} {
		if got := topology(t, name, 4).Name; got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
	if got := topology(t, graph(t), 3).Name; !strings.HasPrefix(got, "graph:traffic:") {
		t.Errorf("a graph is %s", got)
	}
	for _, name := range []string{"cart:0", "cart:x", "torus", "graph:/nowhere", graph(t)} {
		if _, err := collective.ParseTopology(name, 4); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
