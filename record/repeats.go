package record

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math"

	"gobench/internal/human"
)

// Repeats drops rows that were read before, so that a launch that is in two files, or twice in one,
// counts once. The zero value has seen no row. Files of which points remain keep their runs and
// launches, so joined files may have these rows twice.
type Repeats struct {
	seeds    [2]maphash.Seed
	points   map[pointID]int32 // number in names of the first file that has it
	names    []string          // of files
	runs     map[string]bool
	launches map[launchID]bool
	failures map[string]bool // IDs of attempts
	keys     CellKeys
	key      []byte
}

// A pointID is equal for points of the same run and cell with the same values: two hashes of these,
// because it is kept for each point. The time is no part of it, because a log that is imported
// again may have another one.
type pointID [2]uint64

type launchID struct {
	run, series   string
	launch, block int
}

// Drop removes the rows of a file that were seen before, and adds a warning with their number. name
// is the name of the file.
func (r *Repeats) Drop(f *File, name string) {
	if r.points == nil {
		*r = Repeats{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, points: make(map[pointID]int32, len(f.Points)), runs: map[string]bool{}, launches: map[launchID]bool{}, failures: map[string]bool{}, keys: CellKeys{}}
	}
	r.names = append(r.names, name)
	clear(r.keys) // other options may have the addresses of those of the last file
	f.Failures = keep(f.Failures, func(one *Failure) bool { return first(r.failures, one.Run) })
	all, within, elsewhere, other := len(f.Points), 0, 0, ""
	f.Points = keep(f.Points, func(p *Point) bool {
		id := r.idOf(p)
		at, again := r.points[id]
		switch {
		case !again:
			r.points[id] = int32(len(r.names) - 1)
			return true
		case r.names[at] == name:
			within++
		default:
			elsewhere++
			other = r.names[at]
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
	r.key = append(append(r.key[:0], p.Run...), 0)
	for _, x := range [...]uint64{uint64(p.Iterations), math.Float64bits(p.StateDistance), math.Float64bits(p.StateShare), math.Float64bits(p.Loop)} {
		r.key = binary.LittleEndian.AppendUint64(r.key, x)
	}
	r.key = p.Metrics.appendTo(r.keys.Append(r.key, p))
	return pointID{maphash.Bytes(r.seeds[0], r.key), maphash.Bytes(r.seeds[1], r.key)}
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
