package record

import (
	"gobench/internal/human"
	"gobench/internal/remedy"
)

// DropLeftovers removes points that are not results: those of unfinished launches of a sweep, which
// the sweep repeats, those of failed launches of other commands, and those of self-tests. It adds a
// warning with the number of each kind. A file without rows of kind "launch" and "plan", such as
// the output of show --json, does not state which launches are complete; its points of sweeps are
// kept.
func (f *File) DropLeftovers() { f.dropLeftovers(false) }

// dropLeftovers is DropLeftovers. It keeps the points of self-tests if asked to.
func (f *File) dropLeftovers(keepSelfTests bool) {
	complete := map[string]bool{}
	series := map[string]bool{}
	for _, l := range f.Launches {
		complete[l.Run] = true
		series[l.Series] = true
	}
	of := map[string]string{} // series of a run
	for _, r := range f.Runs {
		if of[r.ID] = r.Series; r.Series != "" && series[r.Series] {
			complete[r.ID] = true
		}
	}
	type launch struct {
		series string
		number int
	}
	failed := map[launch]bool{} // of commands that are no sweeps
	for _, one := range f.Failures {
		failed[launch{one.Plan, one.Launch}] = one.Plan != "" // older rows name no series
	}
	sweep := len(complete) > 0 || len(f.Plans) > 0
	broken, unfinished, ofFailed, tests := map[string]bool{}, 0, 0, 0
	kept := f.Points[:0]
	for _, p := range f.Points {
		switch {
		case p.SelfTest() != "" && !keepSelfTests:
			tests++
		case p.Block > 0 && sweep && !complete[p.Run]:
			unfinished++
			broken[p.Run] = true
		case p.Block == 0 && failed[launch{of[p.Run], max(p.Launch, 1)}]:
			ofFailed++
		default:
			kept = append(kept, p)
		}
	}
	clear(f.Points[len(kept):])
	f.Points = kept
	if unfinished > 0 {
		f.warn("%s of %s of a sweep left out", human.Count(unfinished, "result", "results"), human.Count(len(broken), "unfinished launch", "unfinished launches"))
	}
	if ofFailed > 0 {
		f.warn("%s of failed launches left out", human.Count(ofFailed, "result", "results"))
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

// LoadSelfTests is LoadResults, but keeps the results of self-tests (--fault), and drops rows that
// seen has seen.
func LoadSelfTests(path string, seen *Repeats) (*File, error) {
	return load(path, seen, func(name string) (*File, error) { return readResults(name, true) })
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
