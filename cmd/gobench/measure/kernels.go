package measure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gobench/bench"
	"gobench/bench/record"
	"gobench/kernels/application"
	"gobench/kernels/npb"
	"gobench/kernels/npb/all"
	"gobench/launch/host"
)

// DefaultKernels is what is run of the NAS Parallel Benchmarks where nothing is
// asked for but their names.
var DefaultKernels = kernelDefaults()

func kernelDefaults() Asked {
	a := Default
	a.Level, a.Class, a.Counts, a.Threads, a.Repeat = "comm", "A", strconv.Itoa(host.UsualRanks()), 1, 0
	return a
}

// Cell is an application that is run by all ranks, or by each of them on its own.
type Cell struct {
	Program application.Program
	Factors func(*record.Point) // sets what the problem is
	Label   string              // for people: "class A"
	Copies  bool                // each rank runs it alone, all at once
	Warning string              // what a reader of the result must know, "" = nothing
}

// What nobody asks for on purpose.
const (
	maxThreads = 1024
	maxRepeat  = 10000
)

// kernels plans NPB's kernels for one number of ranks.
func (r *Request) kernels(a Asked) error {
	class, err := npb.ParseClass(a.Class)
	if err != nil {
		return err
	}
	if err := r.runs(a); err != nil {
		return err
	}
	kernels, err := kernelsOf(a.Kernels)
	if err != nil {
		return err
	}
	grown := class
	if a.Weak {
		if grown, err = grow(class, a.Ranks); err != nil {
			return err
		}
	}
	for _, k := range kernels {
		if a.Weak {
			r.Cells = append(r.Cells, cell(k, class, a.Official, true))
		}
		if err := k.Legal(grown, a.Ranks); err != nil {
			return err
		}
		c := cell(k, grown, a.Official, false)
		if a.Weak {
			c.Warning = uneven(k, class, grown, a.Ranks)
		}
		r.Cells = append(r.Cells, c)
	}
	return nil
}

// uneven says so where a rank of the grown class has much more or less to do in an
// iteration, by the official count of operations, than a copy of the class: classes
// are not made for weak scaling.
func uneven(k *npb.Kernel, class, grown npb.Class, ranks int) string {
	work := func(c npb.Class) float64 {
		p := k.Problem(c)
		return p.Operations / float64(max(p.Iterations, 1))
	}
	load := work(grown) / work(class) / float64(ranks)
	if load > 1/1.5 && load < 1.5 {
		return ""
	}
	return fmt.Sprintf("a rank does %.2f times the work of a copy of class %v in an iteration: efficiency compares different loads", load, class)
}

// runs plans how applications are run, whichever they are.
func (r *Request) runs(a Asked) error {
	if a.Ranks < 1 {
		return fmt.Errorf("-n is %d: an application needs at least 1 rank, use -n 4", a.Ranks)
	}
	if a.Threads < 1 || a.Threads > maxThreads {
		return fmt.Errorf("--threads is %d, want 1 to %d", a.Threads, maxThreads)
	}
	if a.Repeat < 0 || a.Repeat > maxRepeat {
		return fmt.Errorf("--repeat is %d, want 1 to %d runs, or 0 for as many as there is time for", a.Repeat, maxRepeat)
	}
	r.Plan = bench.Plan{Level: "comm"}
	r.Threads, r.Repeat = a.Threads, a.Repeat
	return nil
}

func cell(k *npb.Kernel, class npb.Class, official, copies bool) Cell {
	return Cell{
		Program: k.Program(class, official && !copies, buildFacts()),
		Factors: func(p *record.Point) { p.Class = class.String() },
		Label:   "class " + class.String(),
		Copies:  copies,
	}
}

// kernelsOf reads names of kernels.
func kernelsOf(names []string) ([]*npb.Kernel, error) {
	var list []*npb.Kernel
	for _, name := range names {
		if name == every {
			return all.Kernels(), nil
		}
		k, err := all.Lookup(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(other *npb.Kernel) bool { return other.Name == k.Name }) {
			list = append(list, k)
		}
	}
	return list, nil
}

// growth is how many times greater a class is than the one before: 4 in most steps
// of most kernels.
const growth = 4

// grow returns the class that is ranks times greater than class.
func grow(class npb.Class, ranks int) (npb.Class, error) {
	steps := int(math.Round(math.Log(float64(ranks)) / math.Log(growth)))
	known := npb.Classes()
	first := slices.Index(known, npb.A) // smaller ones are no such series
	at := slices.Index(known, class)
	last := slices.Index(known, npb.C)
	if at < first || at > last {
		return 0, fmt.Errorf("--weak starts with class A, B or C, where each class is some %d times the one before, not with class %v", growth, class)
	}
	var legal []string
	for n := 0; at+n <= last; n++ {
		legal = append(legal, strconv.Itoa(int(math.Pow(growth, float64(n)))))
	}
	if int(math.Pow(growth, float64(steps))) != ranks || at+steps > last {
		s := "ranks"
		if len(legal) == 1 {
			s = "rank"
		}
		return 0, fmt.Errorf("--weak from class %v runs on %s %s, because each class is some %d times the one before and %v is the last, not on %d",
			class, join(legal), s, growth, known[last], ranks)
	}
	return known[at+steps], nil
}

// join writes a list as people do: 1, 4 or 16.
func join(words []string) string {
	s := words[0]
	for i, w := range words[1:] {
		if i == len(words)-2 {
			s += " or " + w
		} else {
			s += ", " + w
		}
	}
	return s
}

// buildFacts are those of this program for the block of results.
func buildFacts() [][2]string {
	p := thisProgram()
	facts := [][2]string{{"Program", "gobench"}, {"Go", p.Go}, {"Vector loops", p.SIMD}}
	if p.Commit != "" {
		facts = append(facts, [2]string{"Commit", p.Commit[:min(12, len(p.Commit))]})
	}
	return facts
}

// ParseCounts reads numbers of ranks: 4, or 1,2,4.
func ParseCounts(list string) ([]int, error) {
	var counts []int
	for _, word := range words(list) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("-n is %q, want a number of ranks, or several: 1,2,4", list)
		}
		if !slices.Contains(counts, n) {
			counts = append(counts, n)
		}
	}
	return counts, nil
}
