package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"gobench/compare"
	"gobench/internal/bench/state"
	"gobench/internal/record/series"
	"gobench/record"
	"gobench/stats"
)

// A target is a bound for results of gobench: absolute, or relative to the fastest of several
// libraries, in each cell, in the geometric mean, or in both.
type target struct {
	Name string `toml:"name"` // a sentence for people

	// Results to which it applies. An absent field may have any value.
	Bench     words   `toml:"bench"`
	Transport words   `toml:"transport"`
	Sizes     []int64 `toml:"sizes"` // bytes
	Ranks     int     `toml:"ranks"`
	RankKind  string  `toml:"rank-kind"`
	Class     words   `toml:"class"`
	Level     string  `toml:"level"`   // of gobench; the libraries may have another
	Memory    string  `toml:"memory"`  // of gobench
	Options   words   `toml:"options"` // of gobench, each NAME=VALUE

	Rivals words   `toml:"rivals"` // libraries; the fastest counts in each cell
	Metric string  `toml:"metric"` // "" = the main one; launchTime, firstRow, peakMemory
	Ratio  float64 `toml:"ratio"`  // of gobench to the rival in every cell: maximum for times, minimum for rates
	Mean   float64 `toml:"mean"`   // the same for the geometric mean over all cells
	Max    float64 `toml:"max"`    // bound of gobench's value, in SI units
	Cores  string  `toml:"cores"`  // "near" or "far": only results of such cores count; eachPair; anyState
}

// eachPair is the value of target.Cores of a target that is judged for near and for far cores
// separately.
const eachPair = "each"

// anyState is the value of target.Cores of a target that is judged over all states of the cores
// together, for example because the state changes in nearly each launch on an emulated processor.
const anyState = "any"

// pairs holds the states that target.Cores can name.
var pairs = map[string]state.State{"near": state.Near, "far": state.Far}

// Metrics of a target that are facts of a whole launch of a sweep.
const (
	launchTime = "launch"    // wall time, in seconds
	firstRow   = "first-row" // time from the start of the launch to the end of its first cell, in seconds
	peakMemory = "memory"    // peak memory of all its processes, in bytes
)

// An outcome is the result of a target.
type outcome struct {
	Target   target
	Measured string // value and number of launches, for people
	Met      bool
	Decided  bool // enough launches of both sides were measured
}

// Word returns "met", "missed" or "open".
func (o outcome) Word() string {
	switch {
	case !o.Decided:
		return "open"
	case o.Met:
		return "met"
	}
	return "missed"
}

// fewestLaunches is the number of launches of each side needed to decide a target.
const fewestLaunches = 5

// words is a text or a list of texts.
type words []string

// UnmarshalTOML implements toml.Unmarshaler.
func (w *words) UnmarshalTOML(value any) error {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, x := range list {
		text, ok := x.(string)
		if !ok {
			return fmt.Errorf("%v is not a string", x)
		}
		*w = append(*w, text)
	}
	return nil
}

// has reports whether a value is in the list. An empty list contains all values.
func (w words) has(value string) bool { return len(w) == 0 || slices.Contains(w, value) }

// parse parses the tables [[target]] of a TOML file. Errors name path.
func parse(data []byte, path string) ([]target, error) {
	var file struct {
		Target []target `toml:"target"`
	}
	meta, err := toml.Decode(string(data), &file)
	if err != nil {
		return nil, fmt.Errorf("%s: a target: %w", path, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s: unknown key %q", path, unknown[0])
	}
	if len(file.Target) == 0 {
		return nil, fmt.Errorf("%s has no table [[target]]", path)
	}
	for _, t := range file.Target {
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("%s: target %q: %w", path, t.Name, err)
		}
	}
	return file.Target, nil
}

func (t *target) check() error {
	for _, x := range []float64{t.Ratio, t.Mean, t.Max} {
		if x < 0 || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%v is not a valid bound", x)
		}
	}
	_, known := record.Lookup(t.Metric)
	switch {
	case t.Name == "":
		return fmt.Errorf("it has no name")
	case (t.Max > 0) == (t.Ratio+t.Mean > 0):
		return fmt.Errorf("want ratio, mean or both, or max")
	case (t.Max == 0) != (len(t.Rivals) > 0):
		return fmt.Errorf("ratio and mean need rivals; max has none")
	case t.Metric != "" && !known && !slices.Contains([]string{launchTime, firstRow, peakMemory}, t.Metric):
		return fmt.Errorf("unknown metric %q, want one of %s, %s, %s and %s", t.Metric, record.Names(), launchTime, firstRow, peakMemory)
	case t.Cores != "" && t.Cores != eachPair && t.Cores != anyState && pairs[t.Cores] == state.Unknown:
		return fmt.Errorf("cores = %q: want near, far, %s or %s", t.Cores, eachPair, anyState)
	}
	return nil
}

// judge evaluates targets on the records of all sources. A target with eachPair has two outcomes.
func judge(sources []compare.Source, targets []target) []outcome {
	all := newPool(sources)
	var list []outcome
	for _, t := range targets {
		if t.Cores != eachPair {
			list = append(list, t.judge(all))
			continue
		}
		for _, pair := range []string{"near", "far"} {
			one := t
			one.Name, one.Cores = fmt.Sprintf("%s (%s cores)", t.Name, pair), pair
			list = append(list, one.judge(all))
		}
	}
	return list
}

func (t target) judge(all *pool) outcome {
	o := outcome{Target: t}
	file := t.of(all)
	if t.Max > 0 {
		t.absolute(&o, file)
	} else {
		t.relative(&o, file, all)
	}
	if lacks := t.unmeasured(file); len(lacks) > 0 && len(file.Points) > 0 {
		o.Decided = false
		o.Measured += "; nobody has measured " + strings.Join(lacks, ", ")
	}
	return o
}

// unmeasured returns the combinations of benchmark, problem, transport and size that the target
// names and that no point of file has.
func (t *target) unmeasured(file *record.File) (lacks []string) {
	list := []target{{Rivals: t.Rivals}}
	cross := func(n int, set func(one *target, i int)) {
		var all []target
		for i := range n {
			for _, one := range list {
				set(&one, i)
				all = append(all, one)
			}
		}
		if n > 0 {
			list = all
		}
	}
	cross(len(t.Bench), func(one *target, i int) { one.Bench = t.Bench[i : i+1] })
	cross(len(t.Class), func(one *target, i int) { one.Class = t.Class[i : i+1] })
	cross(len(t.Transport), func(one *target, i int) { one.Transport = t.Transport[i : i+1] })
	cross(len(t.Sizes), func(one *target, i int) { one.Sizes = t.Sizes[i : i+1] })
	for _, one := range list {
		if !slices.ContainsFunc(file.Points, func(p record.Point) bool { return one.matches(&p) }) {
			name := slices.Concat(one.Bench, one.Class, one.Transport)
			for _, size := range one.Sizes {
				name = append(name, fmt.Sprintf("%d B", size))
			}
			lacks = append(lacks, strings.Join(name, " "))
		}
	}
	return lacks
}

// pool holds the records of all sources.
type pool struct {
	record.File
	scales   series.Scales
	runs     map[string]*record.Run
	launches map[string]*record.Launch // by run
	first    map[string]*record.Point  // of each run
	minor    []bool                    // points with fewer samples than another state of their cell and launch
}

func newPool(sources []compare.Source) *pool {
	all := &pool{launches: map[string]*record.Launch{}, first: map[string]*record.Point{}}
	for _, s := range sources {
		all.Runs = append(all.Runs, s.File.Runs...)
		all.Points = append(all.Points, s.File.Points...)
		all.Launches = append(all.Launches, s.File.Launches...)
	}
	all.runs = all.scales.Observe(all.Runs, all.Points)
	type cell struct{ run, key string }
	first := map[cell]int{} // the point with most samples
	all.minor = make([]bool, len(all.Points))
	for i := range all.Points {
		p := &all.Points[i]
		if all.first[p.Run] == nil {
			all.first[p.Run] = p
		}
		in := cell{p.Run, p.CellKey()}
		other, again := first[in]
		if again && p.StateShare <= all.Points[other].StateShare {
			all.minor[i] = true
			continue
		}
		all.minor[other] = all.minor[other] || again
		first[in] = i
	}
	for i := range all.Launches {
		if l := &all.Launches[i]; all.launches[l.Run] == nil {
			all.launches[l.Run] = l
		}
	}
	return all
}

// matches reports whether the target applies to a point.
func (t *target) matches(p *record.Point) bool {
	if !t.Bench.has(p.Bench) || !t.Transport.has(p.Transport) || !t.Class.has(p.Problem()) || t.Ranks != 0 && p.Ranks != t.Ranks ||
		t.RankKind != "" && p.RankKind != t.RankKind || len(t.Sizes) > 0 && !slices.Contains(t.Sizes, p.Size) && !strings.HasSuffix(p.Bench, "barrier") {
		return false
	}
	if p.Library != "" {
		return slices.Contains(t.Rivals, p.Library)
	}
	for _, option := range t.Options {
		if name, value, _ := strings.Cut(option, "="); p.Options[name] != value {
			return false
		}
	}
	return (t.Level == "" || p.Level == t.Level) && (t.Memory == "" || p.Memory == t.Memory)
}

// of returns copies of the points to which the target applies, one of each launch and state of a
// cell. Factors that it does not state are reset, so that they do not separate cells: the value of
// a launch is the median of its points that differ only in these (see launchesBy). For anyState the
// state in which most samples of a cell of a launch were taken counts.
func (t *target) of(all *pool) *record.File {
	type slot struct {
		run, cell string
		in        state.State
	}
	index := map[slot]int{}
	var slots [][]record.Point
	for i, p := range all.Points {
		if !t.matches(&p) {
			continue
		}
		in := all.scales.Of(all.runs[p.Run]).OfPoint(&p)
		if t.Cores == anyState {
			if all.minor[i] {
				continue
			}
			in = state.Unknown
			p.DistanceBefore, p.DistanceAfter, p.DistanceMin, p.DistanceMax, p.StateDistance, p.StateShare, p.Loop = 0, 0, 0, 0, 0, 0, 0
		} else if t.Cores != "" && in.Pair() != pairs[t.Cores] && in.Pair() != state.Unknown {
			continue
		}
		if !t.ofLaunch(&p, all) {
			continue
		}
		p.Level, p.Algorithm, p.Options, p.Path, p.Cores, p.Start, p.Cache, p.Memory, p.Root, p.Batched = "comm", "", nil, "", nil, "", "", "", "", 0
		p.Threads, p.Window, p.Source, p.Wavelength, p.MTU, p.Route = 0, 0, "", 0, 0, ""
		at := slot{p.Run, p.CellKey(), in}
		i, again := index[at]
		if !again {
			i = len(slots)
			index[at], slots = i, append(slots, nil)
		}
		slots[i] = append(slots[i], p)
	}
	file := &record.File{Runs: all.Runs, Launches: all.Launches}
	for _, points := range slots {
		file.Points = append(file.Points, medianOf(points))
	}
	return file
}

// medianOf returns the first of points with the medians of their metrics.
func medianOf(points []record.Point) record.Point {
	p := points[0]
	if len(points) == 1 {
		return p
	}
	p.Metrics = record.Values{}
	for i := range points {
		for key, v := range points[i].Metrics.All() {
			if done := p.Metrics.Has(key); done {
				continue
			}
			var medians, means []float64
			for _, other := range points[i:] {
				if o, has := other.Metrics.Lookup(key); has {
					medians, means = append(medians, o.Median), append(means, o.Mean)
				}
			}
			v = record.Value{Median: stats.Median(medians), N: v.N, Statistic: v.Statistic}
			if slices.Min(means) > 0 { // 0 = absent
				v.Mean = stats.Median(means)
			}
			p.Metrics.Set(key, v)
		}
	}
	return p
}

// ofLaunch replaces the metrics of a point by that of its launch, if the target has a metric of
// launches. It returns false if the launch lacks it.
func (t *target) ofLaunch(p *record.Point, all *pool) bool {
	if !slices.Contains([]string{launchTime, firstRow, peakMemory}, t.Metric) {
		return true
	}
	l, x := all.launches[p.Run], 0.0
	if l == nil {
		return false
	}
	switch first := all.first[p.Run]; t.Metric {
	case launchTime:
		x = l.Duration
	case firstRow:
		x = first.Time.Sub(l.Time).Seconds() + first.Duration
	case peakMemory:
		x = float64(l.Memory)
	}
	p.Metrics = record.ValuesOf(map[string]record.Value{launchKey: {Median: x, N: 1, Statistic: record.Mean}})
	return x > 0
}

// launchKey is the key under which facts of launches are compared.
const launchKey = "run_s"

func (t *target) key() string {
	switch t.Metric {
	case launchTime, firstRow, peakMemory:
		return launchKey
	}
	m, _ := record.Lookup(t.Metric)
	return m.Key
}

// absolute evaluates an absolute bound. The value of a cell is the median of its launches; the
// worst cell counts.
func (t *target) absolute(o *outcome, file *record.File) {
	o.Measured = "nothing was measured"
	type cell struct{ id, metric string }
	cells := map[cell][]*record.Point{}
	for i := range file.Points {
		p := &file.Points[i]
		at := cell{p.CellKey(), t.key()}
		if at.metric == "" {
			at.metric = record.TimeKey(p.Metrics)
		}
		points := cells[at]
		if has := p.Metrics.Has(at.metric); has {
			points = append(points, p)
		}
		cells[at] = points
	}
	o.Met, o.Decided = true, len(cells) > 0
	worst := 0.0
	for at, points := range cells {
		if len(points) == 0 { // has other metrics only
			o.Decided = false
			continue
		}
		key := at.metric
		launches := map[string][]float64{} // values of each run
		for _, p := range points {
			launches[p.Run] = append(launches[p.Run], p.Metrics.Median(key))
		}
		var values []float64
		for _, of := range launches {
			values = append(values, stats.Median(of))
		}
		x := stats.Median(values)
		lower := true
		if m, ok := record.Lookup(key); ok {
			lower = m.Direction == record.Lower
		}
		o.Met = o.Met && (x <= t.Max) == lower
		o.Decided = o.Decided && len(launches) >= fewestLaunches
		if worst == 0 || (x > worst) == lower {
			worst = x
			o.Measured = fmt.Sprintf("%s, n=%d", t.quantity(key, x), len(launches))
		}
	}
}

// quantity formats a value of the target's metric.
func (t *target) quantity(key string, x float64) string {
	m, _ := record.Lookup(key)
	switch {
	case t.Metric == peakMemory:
		return fmt.Sprintf("%.0f MiB", x/(1<<20))
	case m.Unit == "s" && x < 0.1:
		return fmt.Sprintf("%.3g us", x*1e6)
	}
	return fmt.Sprintf("%.3g %s", x, m.Unit)
}
