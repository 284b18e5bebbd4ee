package compare

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/remedy"
	"gobench/record"
)

// Load reads files of records, and all files *.jsonl of directories; each path is one source.
// Results of self-tests are left out unless o.SelfTests. If the files are compared, a path may
// occur twice; otherwise rows that several have count once. err joins one sentence for each file
// that cannot be read to its end, of which nothing may be concluded. Warnings are about the
// contents of the files.
func Load(paths []string, o Options) (sources []Source, warnings []string, err error) {
	load := record.LoadResults
	if o.SelfTests {
		load = func(path string) (*record.File, error) { return record.LoadSelfTests(path, &record.Repeats{}) }
	}
	var seen record.Repeats
	for i, path := range paths {
		file, e := load(path)
		if o.By != "" && o.By != byFile {
			seen.Drop(file, unique(path, sources))
		}
		if !slices.Contains(paths[:i], path) { // a path given twice is reported once
			err = errors.Join(err, e)
		}
		warnings = collect.Union(warnings, file.Warnings...)
		sources = append(sources, Source{Name: unique(path, sources), File: file})
	}
	return sources, warnings, err
}

// unique returns the name of a side: its path, with a number if the path occurs again.
func unique(path string, sources []Source) string {
	name := path
	for n := 2; slices.ContainsFunc(sources, func(s Source) bool { return s.Name == name }); n++ {
		name = fmt.Sprintf("%s (%d)", path, n)
	}
	return name
}

// LoadFloor reads the noise floor of a machine from a file or directory of records. Warnings are
// about the contents of the files.
func LoadFloor(path string) (floor *Floor, warnings []string, err error) {
	file, err := record.LoadResults(path)
	if err != nil {
		return nil, file.Warnings, err
	}
	floor = NewFloor(file)
	if floor.Cells() == 0 {
		err = remedy.Errorf("%s has no noise floor: no cell has 8 launches, as gobench sweep %v records them", path, remedy.Named("aa"))
	} else if !floor.Compares() {
		err = fmt.Errorf("%s has no noise floor: it has no two sessions with %d launches that differ, one after the other", path, minLaunches)
	}
	return floor, file.Warnings, err
}

// ParseShare parses the value of a flag that is a share, "5%" or "0.05", from 0 to less than 10.
func ParseShare(flag, text string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v < 10) {
		return 0, fmt.Errorf("%s is %q, want a share of the value such as 5%% or 0.05", flag, text)
	}
	return v, nil
}
