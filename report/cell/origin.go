package cell

import (
	"slices"
	"strings"

	"gobench/bench/record"
	"gobench/report/host"
)

// origin holds the facts of a run on which trust in its points rests. It is read once for each
// run, because there are many points.
type origin struct {
	cores    int     // of all hosts together; 0 = not known
	lost     float64 // share of the time that the probe before the run lost, of the worst core
	imported string  // what the importer says of the values; empty = measured by gobench
}

func originOf(r *record.Run) *origin {
	o := &origin{}
	if r == nil {
		return o
	}
	for _, f := range host.Of(r) {
		o.cores += f.CPU.Cores
	}
	for _, n := range r.Noise {
		o.lost = max(o.lost, n.Lost)
	}
	if len(r.Command) > 1 && r.Command[1] == "import" {
		o.imported = "values as their program printed them"
		for _, w := range r.Warnings {
			if strings.HasPrefix(w, "times are ") || strings.HasPrefix(w, "the time is ") {
				o.imported = w
				break
			}
		}
	}
	return o
}

// HostCores is the number of cores of the hosts of a point, 0 where it is not known.
func (p Point) HostCores() int {
	if p.origin == nil {
		return 0
	}
	return p.origin.cores
}

// Oversubscribed reports whether more ranks and threads ran at once than there are cores: the
// scheduler of the system is part of such a number.
func (p Point) Oversubscribed() bool {
	at := max(1, p.Ranks) * max(1, p.Threads) * max(1, p.Copies)
	return p.HostCores() > 0 && at > p.HostCores()
}

// Preempted is the share of a core's time that went to others in the probe before the run, of
// the worst core; 0 where nothing was probed.
func (p Point) Preempted() float64 {
	if p.origin == nil {
		return 0
	}
	return p.origin.lost
}

// MostLost is the share of time lost to others from which on a run counts as preempted.
const MostLost = 0.05

// Imported returns the remark of the importer on a value, such as that it is a mean; empty where
// gobench measured it.
func (p Point) Imported() string {
	if p.origin == nil {
		return ""
	}
	return p.origin.imported
}

// Share counts the points for which is says yes.
func Share(points []Point, is func(Point) bool) int {
	n := 0
	for _, p := range points {
		if is(p) {
			n++
		}
	}
	return n
}

// Imports returns the remarks of importers on the values of points, each once.
func Imports(points []Point) []string {
	var all []string
	for _, p := range points {
		s := p.Imported()
		if s == "" {
			continue
		}
		if s = Library.Of(p) + ": " + s; !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// Cells are all cells of the set by what they are judged by, made once.
func (s *Set) Cells() []Cell {
	s.gather.Do(func() {
		groups := map[*kin][]Point{}
		for _, p := range s.Points {
			groups[p.kin] = append(groups[p.kin], p)
		}
		for _, p := range representatives(s.Points) {
			c := Cell{Points: groups[p.kin]}
			c.summarize(Main(p))
			s.cells = append(s.cells, c)
		}
	})
	return s.cells
}
