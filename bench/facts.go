package bench

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"gobench/device"
	"gobench/internal/launch/host"
	"gobench/record"
)

// Facts holds what is stated of every result, whatever was measured: a benchmark, an application,
// the start of ranks, or a program of others. Describe is the only code that sets these fields of
// points, so that a new fact is one edit. Times are in seconds, 0 = not known.
type Facts struct {
	Run      string
	Bench    string
	Level    string
	Begin    time.Time
	Duration float64
	Ranks    int
	Cores    []int        // of each rank, -1 = not pinned; nil = not known
	Over     *device.Info // of the channel, nil = measured by a program of others
	Loop     float64      // of package pace, on the slowest core
	Before   float64      // latency between the cores before the measurement,
	After    float64      // and after it
	RingMin  float64      // latency between neighbours in the ring of ranks, before the measurement
	RingMax  float64
	Changed  map[string]uint64 // see record.Point.Counters
}

// Point returns a new point with the facts.
func (f *Facts) Point() record.Point {
	var p record.Point
	f.Describe(&p)
	return p
}

// Describe adds the facts to a point. It keeps what the point already states, which a program of
// others has measured itself; the run is always that of f. Warnings of the channel are appended.
func (f *Facts) Describe(p *record.Point) {
	p.Run = f.Run
	if p.Time.IsZero() {
		p.Time = f.Begin
	}
	p.Bench, p.Level = cmp.Or(p.Bench, f.Bench), cmp.Or(p.Level, f.Level)
	p.Duration, p.Ranks, p.Loop = cmp.Or(p.Duration, f.Duration), cmp.Or(p.Ranks, f.Ranks), cmp.Or(p.Loop, f.Loop)
	if p.Cores == nil {
		p.Cores = f.Cores
	}
	p.DistanceBefore, p.DistanceAfter = cmp.Or(p.DistanceBefore, f.Before), cmp.Or(p.DistanceAfter, f.After)
	p.DistanceMin, p.DistanceMax = cmp.Or(p.DistanceMin, f.RingMin), cmp.Or(p.DistanceMax, f.RingMax)
	if len(f.Changed) > 0 {
		p.Counters = f.Changed
		list := host.Faults(f.Changed)
		for i, name := range list {
			list[i] = fmt.Sprintf("%s +%d", name, f.Changed[name])
		}
		if len(list) > 0 {
			p.Warnings = append(p.Warnings, "counters of errors of the network have grown: "+strings.Join(list, ", "))
		}
	}
	if info := f.Over; info != nil {
		p.Transport, p.RankKind, p.Options, p.Found = info.Transport, info.Ranks, info.Options, info.Found
		p.MemoryPerPair, p.Route, p.MTU = info.MemoryPerPair, info.Route, info.MTU
		p.Warnings = append(p.Warnings, info.Warnings...)
	}
}
