package record

import (
	"cmp"
	"hash/maphash"

	"gobench/internal/human"
)

// Repeats drops rows that were read before, so that a launch that is in two files, or twice in one,
// counts once. The zero value has seen no row. Files of which points remain keep their runs and
// launches, so joined files may have these rows twice.
type Repeats struct {
	seed     maphash.Seed
	points   map[pointID]string // name of the first file that has it
	runs     map[string]bool
	launches map[launchID]bool
	failures map[string]bool // IDs of attempts
	keys     CellKeys
	key      []byte
}

// A pointID is equal for points of the same run and cell with the same values. The time is no part
// of it, because a log that is imported again may have another one.
type pointID struct {
	run, bench, transport string
	size, iterations      int64
	state, share, loop    float64
	sum                   uint64 // of the cell and the metrics
}

type launchID struct {
	run, series   string
	launch, block int
}

// Drop removes the rows of a file that were seen before, and adds a warning with their number. name
// is that of the file.
func (r *Repeats) Drop(f *File, name string) {
	if r.points == nil {
		*r = Repeats{seed: maphash.MakeSeed(), points: map[pointID]string{}, runs: map[string]bool{}, launches: map[launchID]bool{}, failures: map[string]bool{}, keys: CellKeys{}}
	}
	clear(r.keys) // other options may have the addresses of those of the last file
	f.Failures = keep(f.Failures, func(one *Failure) bool { return first(r.failures, one.Run) })
	all, within, elsewhere, other := len(f.Points), 0, 0, ""
	f.Points = keep(f.Points, func(p *Point) bool {
		id := r.idOf(p)
		at, again := r.points[id]
		switch {
		case !again:
			r.points[id] = name
			return true
		case at == name:
			within++
		default:
			elsewhere++
			other = at
		}
		return false
	})
	r.dropRuns(f)
	switch {
	case elsewhere > 0 && elsewhere+within == all:
		f.warn("%s is left out: %s has the same results", name, other)
	case elsewhere > 0:
		f.warn("%s: %s also in %s; each counts once", name, human.Count(elsewhere, "result is", "results are"), other)
	}
	if within > 0 && len(f.Points) > 0 {
		f.warn("%s: %s in it; each counts once", name, human.Count(within, "result is repeated", "results are repeated"))
	}
}

// dropRuns removes the runs and launches of a file that it has twice, and those of other files
// whose points all were dropped: points are described by the run and the launch of their file.
func (r *Repeats) dropRuns(f *File) {
	used := map[string]bool{} // runs and series
	for i := range f.Points {
		used[f.Points[i].Run] = true
	}
	for i := range f.Runs {
		if run := &f.Runs[i]; run.Series != "" && used[run.ID] {
			used[run.Series] = true
		}
	}
	runs, launches := map[string]bool{}, map[launchID]bool{} // of this file
	f.Runs = keep(f.Runs, func(run *Run) bool {
		added := first(r.runs, run.ID)
		return first(runs, run.ID) && (added || used[run.ID])
	})
	f.Launches = keep(f.Launches, func(l *Launch) bool {
		id := launchID{l.Run, l.Series, l.Launch, l.Block}
		added := first(r.launches, id)
		return first(launches, id) && (added || used[cmp.Or(l.Series, l.Run)])
	})
}

func (r *Repeats) idOf(p *Point) pointID {
	r.key = p.Metrics.appendTo(r.keys.Append(r.key[:0], p))
	sum := maphash.Bytes(r.seed, r.key)
	return pointID{p.Run, p.Bench, p.Transport, p.Size, p.Iterations, p.StateDistance, p.StateShare, p.Loop, sum}
}

// first reports whether a map lacks id, and adds it.
func first[T comparable](seen map[T]bool, id T) bool {
	had := seen[id]
	seen[id] = true
	return !had
}

// keep removes the elements for which wanted returns false, in place.
func keep[T any](list []T, wanted func(*T) bool) []T {
	kept := 0
	for i := range list {
		if !wanted(&list[i]) {
			continue
		}
		if kept < i { // points are large
			list[kept] = list[i]
		}
		kept++
	}
	clear(list[kept:])
	return list[:kept]
}
