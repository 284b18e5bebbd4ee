package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/bench"
	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/comm/schedule"
	"gobench/internal/collect"
	"gobench/internal/experiment/tune"
	"gobench/internal/human"
	"gobench/internal/micro/collective"
	"gobench/internal/remedy"
	"gobench/nearest"
)

// Special values of flags.
const (
	every  = "all"
	auto   = "auto"
	strict = "strict" // check
)

// plan implements Options. It plans for each operation all sizes, and for each size all algorithms,
// so that algorithms are measured next to each other.
func (a *Collective) plan(r *measurement) error {
	if strings.EqualFold(a.Sizes, bench.EverySize) {
		a.Sizes = allCollectiveSizes
	}
	sizes, cell, err := a.begin(r)
	if err != nil {
		return err
	}
	kinds, form, err := operations(a.Operations)
	if err != nil {
		return err
	}
	if form.Uneven && a.Distribution == "" {
		a.Distribution = collective.Even
	}
	a.Overlap = a.Overlap || form.NonBlocking
	if a.Ranks < 1 {
		return remedy.Errorf("%v is %d: %v needs at least 1 rank, use %v", remedy.Named("np"), a.Ranks, kinds[0], remedy.Set("np", "4"))
	}
	if cell.Root, err = parseRoot(a.Root, a.Ranks); err != nil {
		return err
	}
	if a.Groups < 0 || a.Groups > a.Ranks {
		return misfit("%v is %d, want 1 to %d", remedy.Named("groups"), a.Groups, a.Ranks)
	}
	cell.Groups = a.Groups
	if cell.Polls, err = a.polls(r, a.Overlap); err != nil {
		return err
	}
	if err := a.conditions(r); err != nil {
		return err
	}
	if a.Sizes != defaultCollectiveSizes && !slices.ContainsFunc(kinds, func(k schedule.Kind) bool { return k != schedule.Barrier }) {
		r.Remarks = append(r.Remarks, fmt.Sprintf("%v is ignored: a barrier carries nothing", remedy.Named("sizes")))
	}
	reductions, err := a.reductions(kinds)
	if err != nil {
		return err
	}
	all := slices.ContainsFunc(words(a.Operations), func(name string) bool { return strings.EqualFold(name, every) })
	algorithms, err := choices(kinds, a.Algorithms, all)
	if err != nil {
		return err
	}
	kinds = slices.DeleteFunc(kinds, func(kind schedule.Kind) bool {
		if len(algorithms[kind]) > 0 {
			return false
		}
		r.Remarks = append(r.Remarks, fmt.Sprintf("%v is left out: none of %v is an algorithm of it", kind, remedy.Set("algo", a.Algorithms)))
		return true
	})
	r.every = a.Algorithms == every
	var out omissions
	if a.Distribution != "" {
		for _, kind := range kinds {
			if err := collective.CheckVector(kind); err != nil {
				return err
			}
		}
		if a.distribution, err = collective.ParseDistribution(a.Distribution, a.Ranks/max(1, a.Groups)); err != nil {
			return err
		}
	}
	neighbors := slices.ContainsFunc(kinds, schedule.Kind.Neighbors)
	if neighbors || a.Topology != "" {
		if a.topology, err = collective.ParseTopology(a.Topology, a.Ranks/max(1, a.Groups)); err != nil {
			return err
		}
	}
	switch {
	case !a.topology.Between():
		if !neighbors && a.Topology != "" {
			return misfit("%v has no neighbours: leave out %v, or use %v", kinds[0], remedy.Named("topology"), remedy.Set("topology", "inter"))
		}
	case a.InPlace || a.Overlap || a.Distribution != "" || a.Algorithms != auto:
		return misfit("operations between two groups are blocking, with equal blocks, separate buffers and one algorithm: ask for %v, without %v, %v, %v and %v", kinds[0], remedy.Named("in-place"), remedy.Named("overlap"), remedy.Named("distribution"), remedy.Named("algo"))
	case a.Ranks < 2*max(1, a.Groups):
		return misfit("two groups need 2 ranks or more: use %v", remedy.Set("np", strconv.Itoa(2*max(1, a.Groups))))
	}
	for _, kind := range kinds {
		if err := a.topology.Check(kind); err != nil {
			return err
		}
		if a.InPlace && a.Distribution != "" {
			return misfit("the forms for uneven blocks are not measured in place: leave out %v or %v", remedy.Named("in-place"), remedy.Named("distribution"))
		}
		if a.InPlace {
			if err := collective.CanInPlace(kind); err != nil {
				return err
			}
		}
		operators := reductions
		if !kind.Reduces() {
			operators = []string{""}
		}
		for _, reduction := range operators {
			a.cells(r, &out, cell, kind, reduction, sizes, algorithms[kind])
		}
	}
	if len(r.Plan.Cases) == 0 {
		return misfit("%v leaves nothing to measure: %s", remedy.Set("sizes", a.Sizes), strings.Join(out.remarks(), "; "))
	}
	r.Remarks = append(r.Remarks, out.remarks()...)
	return a.finish(r)
}

// cells plans the cells of an operation, with a reduction if it is one, in the conditions of cell.
// It notes in out what does not fit.
func (a *Collective) cells(r *measurement, out *omissions, cell bench.Case, kind schedule.Kind, reduction string, sizes []int, choices []*coll.Choice) {
	fit, unit := sizesOf(kind, sizes, reduction)
	for _, size := range sizes {
		if kind != schedule.Barrier && !slices.Contains(fit, size) {
			out.add(kind.String(), human.Size(int64(size)), fmt.Sprintf("reductions work on elements of %d bytes", unit))
		}
	}
	unfit, reasons := map[string][]int{}, map[string]string{} // by algorithm
	for _, size := range fit {
		cell.Size = size
		for _, choice := range choices {
			if choice != nil && r.every {
				if reason := r.unfit(choice, kind, a, cell, unit); reason != "" {
					if name := choice.Algorithm.Name; !choice.Hosts { // those of several hosts are no choice on one
						unfit[name], reasons[name] = append(unfit[name], size), reason
					}
					continue
				}
			}
			cell.Bench = collective.New(kind, collective.Options{Algorithm: choice, InPlace: a.InPlace, Overlap: a.Overlap, Distribution: a.distribution, Topology: a.topology, Reduction: reduction})
			r.Plan.Cases = append(r.Plan.Cases, cell)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unfit)) {
		item := name
		if len(unfit[name]) < len(fit) {
			item += " of " + sizesText(unfit[name])
		}
		out.add(kind.String(), item, reasons[name])
	}
}

// conditions reads the start of events, the synchronisation of clocks and the checks.
func (a *Collective) conditions(r *measurement) error {
	if err := oneOf("way to start", a.Start, append(bench.Starts(), auto)...); err != nil {
		return err
	}
	if a.Start != auto {
		r.Plan.Start = bench.Start(a.Start)
	}
	if a.Sync != auto && a.Sync != "" {
		if err := oneOf("way to compare clocks", a.Sync, string(bench.SyncShared), string(bench.SyncHCA3), auto); err != nil {
			return err
		}
		r.Plan.Sync = bench.Sync(a.Sync)
	}
	if err := oneOf("way to check", a.Agreement, "free", strict); err != nil {
		return err
	}
	table, warning := tune.Load(a.Table, r.set)
	if r.Coll.Table = table; warning != nil {
		r.Warning = warning
	}
	if a.Agreement == strict {
		r.Coll.Check = coll.CheckStrict
	}
	var err error
	r.Plan.Skew, err = parseSkew(a.Skew)
	return err
}

// CheckOperations returns an error if a list of operations has an unknown name.
func CheckOperations(list string) error {
	_, _, err := operations(list)
	return err
}

// operations reads a list of operations. Every word must be a name, also next to "all". All have
// the returned form.
func operations(list string) (kinds []schedule.Kind, form collective.Form, err error) {
	all, mixed := false, false
	for _, name := range words(list) {
		if strings.EqualFold(name, every) {
			all = true
			continue
		}
		f, ok := collective.Lookup(name)
		if !ok {
			return nil, form, &nearest.UnknownError{What: "operation", Name: name, Known: append(schedule.KindNames(), every), Where: "gobench explain lists all"}
		}
		kinds = append(kinds, f.Kind)
		f.Kind = 0 // what all have in common
		mixed = mixed || len(kinds) > 1 && f != form
		form = f
	}
	if mixed || all && form != (collective.Form{}) {
		return nil, form, misfit("%v has vector or non-blocking forms and others: measure them by commands of their own", remedy.Named("op"))
	}
	if all {
		kinds = kinds[:0]
		for kind := range schedule.Kinds {
			kinds = append(kinds, schedule.Kind(kind))
		}
	}
	return kinds, form, nil
}

// choices reads a list of algorithms for each operation; nil stands for the choice of the table. A
// name must be an algorithm of at least one of the operations, and each operation must have one,
// unless they are all that exist.
func choices(kinds []schedule.Kind, list string, all bool) (map[schedule.Kind][]*coll.Choice, error) {
	chosen := map[schedule.Kind][]*coll.Choice{}
	for _, name := range words(list) {
		found := false
		var unknown error
		for _, kind := range kinds {
			switch name {
			case auto:
				chosen[kind] = append(chosen[kind], nil)
			case every:
				for _, c := range coll.Choices(kind) {
					chosen[kind] = append(chosen[kind], &c)
				}
			default:
				c, err := coll.ParseChoice(kind, name)
				if err != nil {
					if unknown == nil || !errors.As(err, new(*nearest.UnknownError)) {
						unknown = err
					}
					continue
				}
				chosen[kind] = append(chosen[kind], &c)
			}
			found = true
		}
		if !found {
			return nil, unknown
		}
	}
	for _, kind := range kinds {
		if len(chosen[kind]) == 0 && !all {
			return nil, misfit("none of %v is an algorithm of %v: name one, or leave %v out of %v", remedy.Set("algo", list), kind, kind, remedy.Named("op"))
		}
	}
	return chosen, nil
}

// unfit returns the reason why an algorithm does not support a case, as far as is known before the
// device is open, "" if it does. Method possible removes further cases when it is known which ranks
// share a host.
func (r *measurement) unfit(c *coll.Choice, kind schedule.Kind, a *Collective, cell bench.Case, elem int) string {
	if c.Fits == nil || c.Hosts && r.on.several {
		return ""
	}
	ranks := a.Ranks / max(1, cell.Groups)
	s := schedule.Shape{Kind: kind, Ranks: ranks, Root: cell.Root.Rank, Bytes: collective.Block(kind, cell.Size, ranks), Elem: 1, InPlace: a.InPlace}
	if kind.Reduces() {
		s.Elem, s.Commutative = elem, true
		s.SendBlocks = collective.Blocks(kind, cell.Size, ranks, elem, a.distribution)
	} else if a.Distribution != "" {
		send, recv := a.distribution.Blocks(kind, cell.Size, ranks)
		if kind == schedule.Scatter || kind == schedule.Alltoall {
			s.SendBlocks = send
		}
		if kind != schedule.Scatter {
			s.RecvBlocks = recv
		}
	}
	return c.Fits(&s)
}

// reductions returns the reductions of the element types and operators that are asked for
// (collective.Options.Reduction). A list that is empty selects the usual one, and "all" every name.
func (a *Collective) reductions(kinds []schedule.Kind) (list []string, err error) {
	if a.Datatypes == "" && a.Reductions == "" {
		return []string{""}, nil
	}
	if !slices.ContainsFunc(kinds, schedule.Kind.Reduces) {
		return nil, misfit("%v has no element type and no operator: leave out %v and %v", kinds[0], remedy.Named("datatype"), remedy.Named("reduction"))
	}
	types, operators := words(cmp.Or(a.Datatypes, "float32")), words(cmp.Or(a.Reductions, "sum"))
	known := [2][]string{{every}, {every}}
	for _, o := range op.All() {
		known[0], known[1] = append(known[0], o.Type), append(known[1], o.Name)
		if (slices.Contains(types, o.Type) || slices.Contains(types, every)) && (slices.Contains(operators, o.Name) || slices.Contains(operators, every)) {
			list = append(list, o.String())
		}
	}
	for i, what := range []string{"element type", "operator"} {
		for _, name := range [][]string{types, operators}[i] {
			if !slices.Contains(known[i], name) {
				slices.Sort(known[i])
				return nil, &nearest.UnknownError{What: what, Name: name, Known: slices.Compact(known[i])}
			}
		}
	}
	if len(list) == 0 {
		return nil, misfit("no operator of %v works on %v: logical and bitwise ones need integers, max and min no complex numbers", remedy.Set("reduction", strings.Join(operators, ",")), remedy.Set("datatype", strings.Join(types, ",")))
	}
	return list, nil
}

// sizesOf returns the sizes that an operation supports: a barrier has no size, and reductions work
// on whole elements of unit bytes.
func sizesOf(kind schedule.Kind, sizes []int, reduction string) (fit []int, unit int) {
	unit = max(1, collective.New(kind, collective.Options{Reduction: reduction}).Collective.Unit)
	if kind == schedule.Barrier {
		return []int{0}, unit
	}
	fit = collect.If(sizes, func(size int) bool { return size%unit == 0 })
	return fit, unit
}

func parseRoot(s string, ranks int) (bench.Root, error) {
	if s == "rotate" {
		return bench.Root{Rotate: true}, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return bench.Root{}, remedy.Errorf("%v is %q, want a rank in 0..%d, or rotate", remedy.Named("root"), s, ranks-1)
	}
	if n >= ranks {
		return bench.Root{}, misfit("%v is %q, want a rank in 0..%d, or rotate", remedy.Named("root"), s, ranks-1)
	}
	return bench.Root{Rank: n}, nil
}

func parseSkew(s string) (bench.Skew, error) {
	if s == "none" || s == "" {
		return bench.Skew{}, nil
	}
	name, by, _ := strings.Cut(s, ":")
	kind := bench.SkewKind(name)
	if kind != bench.SkewRandom && kind != bench.SkewLate {
		return bench.Skew{}, &nearest.UnknownError{What: "skew", Name: name, Known: []string{"none", string(bench.SkewRandom), string(bench.SkewLate)}}
	}
	d, err := time.ParseDuration(by)
	if err != nil || d <= 0 {
		return bench.Skew{}, remedy.Errorf("%v is %q, want a time after the colon, such as %s:10us", remedy.Named("skew"), s, name)
	}
	return bench.Skew{Kind: kind, By: d}, nil
}
