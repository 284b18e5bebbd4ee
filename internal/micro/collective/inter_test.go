package collective_test

import (
	"errors"
	"fmt"
	"testing"

	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
	"gobench/device"
	"gobench/internal/device/decorator"
	"gobench/internal/micro/collective"
)

// few is a device with few contexts.
type few struct{ device.Device }

func (d few) Info() device.Info {
	i := d.Device.Info()
	i.MaxContext = comm.FirstContext + 12
	return i
}

// Operations between two groups, of equal and of other sizes, are measured and checked.
func TestBetweenGroups(t *testing.T) {
	for _, job := range []struct {
		transport string
		ranks     int
	}{{"smem", 2}, {"smem", 3}, {"tcp", 4}} {
		var cells []bench.Case
		for kind := range schedule.Kinds {
			top := topology(t, "inter", job.ranks)
			if top.Check(schedule.Kind(kind)) != nil {
				continue
			}
			b := collective.New(schedule.Kind(kind), collective.Options{Topology: top})
			for _, size := range []int{0, 8, 5000} {
				cells = append(cells, bench.Case{Bench: b, Size: size, Root: bench.Root{Rank: job.ranks - 1}})
				if b.Collective.Rooted {
					cells = append(cells, bench.Case{Bench: b, Size: size, Root: bench.Root{Rotate: true}})
				}
			}
		}
		if len(cells) != 4*3+6 {
			t.Fatalf("%d cells of five operations", len(cells))
		}
		// All cells share the twelve contexts of one division.
		found, err := overChanged(t, job.transport, job.ranks, cells, func(_ int, d device.Device) device.Device { return few{d} })
		if err != nil {
			t.Fatal(err)
		}
		for i, points := range found.Cells() {
			p, b := points[0], cells[i].Bench
			if p.Bench != b.Name || p.Topology != "inter" || p.Algorithm != "inter" || p.ByTable || p.Size > 0 && b.Name != "barrier" && p.Checked == 0 {
				t.Errorf("%s, topology %q, algorithm %q, by the table %t: %d checked", p.Bench, p.Topology, p.Algorithm, p.ByTable, p.Checked)
			}
			if err := p.Validate(); err != nil {
				t.Error(err)
			}
		}
	}
}

// They fail if a byte of a message between the groups is wrong.
func TestBetweenGroupsDetectsAWrongByte(t *testing.T) {
	const ranks, victim = 3, 1 // the first of the second group
	for _, kind := range []schedule.Kind{schedule.Bcast, schedule.Allgather, schedule.Alltoall, schedule.Allreduce} {
		for _, every := range []int{1, 3} {
			t.Run(fmt.Sprintf("%v/every %d", kind, every), func(t *testing.T) {
				b := collective.New(kind, collective.Options{Topology: topology(t, "inter", ranks)})
				found, err := overChanged(t, "smem", ranks, []bench.Case{{Bench: b, Size: 1000}}, func(rank int, d device.Device) device.Device {
					// World, its control, the bridge, the split and its duplicate have two
					// contexts each, and then the communicator of both groups.
					between := func(context int32) bool {
						return rank == victim && (context == comm.FirstContext+10 || context == comm.FirstContext+11)
					}
					return decorator.CorruptIn(between, d, every, new(decorator.Tally))
				})
				var wrong *bench.DataError
				if !errors.As(err, &wrong) || len(found.Points) != 0 {
					t.Errorf("got %v and %d points", err, len(found.Points))
				}
			})
		}
	}
}
