package record

import (
	"gobench/internal/human"
	"gobench/internal/remedy"
)

// DropLeftovers removes points that are not results: those of unfinished launches of a sweep, which
// the sweep repeats, and those of self-tests. It adds a warning with the number of each kind. A
// file without rows of kind "launch", such as the output of show --json, does not state which
// launches are complete; its points are kept.
func (f *File) DropLeftovers() { f.dropLeftovers(false) }

// dropLeftovers is DropLeftovers. It keeps the points of self-tests if asked to.
func (f *File) dropLeftovers(keepSelfTests bool) {
	complete := map[string]bool{}
	series := map[string]bool{}
	for _, l := range f.Launches {
		complete[l.Run] = true
		series[l.Series] = true
	}
	for _, r := range f.Runs {
		if r.Series != "" && series[r.Series] {
			complete[r.ID] = true
		}
	}
	broken, unfinished, tests := map[string]bool{}, 0, 0
	kept := f.Points[:0]
	for _, p := range f.Points {
		switch {
		case p.SelfTest() != "" && !keepSelfTests:
			tests++
		case p.Block > 0 && len(complete) > 0 && !complete[p.Run]:
			unfinished++
			broken[p.Run] = true
		default:
			kept = append(kept, p)
		}
	}
	clear(f.Points[len(kept):])
	f.Points = kept
	if unfinished > 0 {
		f.warn("%s of %s of a sweep left out", human.Count(unfinished, "result", "results"), human.Count(len(broken), "unfinished launch", "unfinished launches"))
	}
	if tests > 0 {
		f.warn("%s of self-tests (%v) left out", human.Count(tests, "result", "results"), remedy.Named("fault"))
	}
}

// ReadResults is ReadFile followed by DropLeftovers, whose warnings name the file.
func ReadResults(name string) (*File, error) { return readResults(name, false) }

func readResults(name string, keepSelfTests bool) (*File, error) {
	file, err := ReadFile(name)
	said := len(file.Warnings)
	file.dropLeftovers(keepSelfTests)
	for i := said; i < len(file.Warnings); i++ {
		file.Warnings[i] = name + ": " + file.Warnings[i]
	}
	return file, err
}

// LoadResults is ReadResults for all files of a path, joined. Repeated rows are dropped (Repeats).
func LoadResults(path string) (*File, error) { return load(path, &Repeats{}, ReadResults) }

// LoadSelfTests is LoadResults, but keeps the results of self-tests (--fault).
func LoadSelfTests(path string) (*File, error) {
	return load(path, &Repeats{}, func(name string) (*File, error) { return readResults(name, true) })
}

// Append adds the rows and warnings of another file, which must not be used afterwards.
func (f *File) Append(other *File) {
	f.Runs = joined(f.Runs, other.Runs)
	f.Points = joined(f.Points, other.Points)
	f.Launches = joined(f.Launches, other.Launches)
	f.Failures = joined(f.Failures, other.Failures)
	f.Plans = joined(f.Plans, other.Plans)
	f.Warnings = joined(f.Warnings, other.Warnings)
}

// joined appends b to a, or returns b if a is empty.
func joined[T any](a, b []T) []T {
	if len(a) == 0 {
		return b
	}
	return append(a, b...)
}
