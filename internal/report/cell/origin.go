package cell

import (
	"slices"
	"strings"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/record/series"
	"gobench/internal/report/host"
	"gobench/record"
)

// An origin holds the facts of a run that decide about caveats of its points. It is computed once
// per run, because there are many points.
type origin struct {
	cores    int     // of all hosts together; 0 = not known
	lost     float64 // share of the time that the probe before the run lost, of the worst core
	imported string  // remark of the importer on the values; empty = measured by gobench
	scale    *state.Scale
	hosts    []host.Facts
	names    string // of the hosts
	virtual  string // host.Virtualization
}

func originOf(r *record.Run, scales *series.Scales, hosts host.Known) *origin {
	o := &origin{scale: scales.Of(r)}
	if r == nil {
		return o
	}
	o.lost = r.WorstNoise().Lost
	o.hosts, o.names, o.virtual = hosts.Of(r), host.Names(r), host.Virtualization(r)
	for _, f := range o.hosts {
		o.cores += f.CPU.Cores
	}
	if len(r.Command) > 1 && r.Command[1] == "import" {
		o.imported = "values as their program printed them"
		i := slices.IndexFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, "times are ") || strings.HasPrefix(w, "the time is ") })
		if i >= 0 {
			o.imported = r.Warnings[i]
		}
	}
	return o
}

// alike reports whether functions of one point return the same for points of two runs.
func (o *origin) alike(other *origin) bool {
	return o == other || o != nil && other != nil && o.cores == other.cores && o.imported == other.imported && o.scale == other.scale && o.names == other.names && o.virtual == other.virtual
}

// facts returns the origin of a point. A point of no set has the hosts of its run alone.
func (p Point) facts() *origin {
	if p.origin == nil {
		return &origin{hosts: host.Of(p.Run), names: host.Names(p.Run)}
	}
	return p.origin
}

// Hosts returns the facts of the hosts of a point.
func (p Point) Hosts() []host.Facts { return p.facts().hosts }

// hostNames returns the names of the hosts of a point (host.Names).
func (p Point) hostNames() string { return p.facts().names }

// HostCores returns the number of cores of the hosts of a point, 0 if unknown.
func (p Point) HostCores() int { return p.facts().cores }

// Oversubscribed reports whether more ranks and threads ran concurrently than there are cores, so
// that the time includes the scheduler of the operating system.
func (p Point) Oversubscribed() bool {
	at := max(1, p.Ranks) * max(1, p.Threads) * max(1, p.Copies)
	return p.HostCores() > 0 && at > p.HostCores()
}

// Preempted returns the share of time that the most affected core lost to other programs in the
// noise probe before the run; 0 without a probe.
func (p Point) Preempted() float64 { return p.facts().lost }

// MaxLost is the share of lost time above which a run counts as preempted.
const MaxLost = 0.05

// Imported returns the importer's remark on a value, such as that it is a mean; empty if gobench
// measured it.
func (p Point) Imported() string { return p.facts().imported }

// Share returns the number of launches for whose points is returns true. It must return the same
// for all launches of a row.
func Share(points []Point, is func(Point) bool) int {
	n := 0
	for _, p := range points {
		if is(p) {
			n += p.number()
		}
	}
	return n
}

// Imports returns the distinct remarks of importers on the values of points.
func Imports(points []Point) []string {
	var all []string
	for _, p := range points {
		if s := p.Imported(); s != "" {
			all = collect.Union(all, Library.Of(p)+": "+s)
		}
	}
	return all
}

// Cells returns all cells of the set by their primary metric, each with the points of the state of
// the cores in which most of its launches were. The result is cached.
func (s *Set) Cells() []Cell {
	s.gather.Do(func() {
		s.cells = collect.Each(collect.By(s.Rows, Point.group), func(points []Point) Cell { return Of(points, Main(points[0])) })
	})
	return s.cells
}

// A Medium is the kind of link that carried the messages of a point.
type Medium int

const (
	Unknown Medium = iota
	Memory         // shared by the ranks of a host
	Network        // also within one host
)

// Medium derives the medium from the hosts, the transport and its options. An MPI library on one
// host is taken to use shared memory unless a parameter selects TCP.
func (p Point) Medium() Medium {
	if p.Run != nil && slices.ContainsFunc(p.Run.Job.Hosts, func(host int) bool { return host > 0 }) {
		return Network
	}
	switch p.Transport {
	case "smem":
		return Memory
	case "tcp", "sctp", "ibv", "mxm", "gni":
		return Network
	case "mpi":
		for _, parameter := range []string{"OMPI_MCA_btl", "UCX_TLS", "FI_PROVIDER"} {
			if strings.Contains(p.Options[parameter], "tcp") {
				return Network
			}
		}
		return Memory
	}
	return Unknown
}
