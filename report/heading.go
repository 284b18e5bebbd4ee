package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/launch/hostlist"
	"gobench/record"
)

// headed lists the factors that headings name unless they have their default: all but those that
// function measured formats itself or that columns show.
var headed = slices.DeleteFunc(slices.Clone(record.Factors), func(f record.Factor) bool {
	return f.Role == record.Outcome || f.Role == record.Hidden || slices.Contains([]string{
		"bench", "library", "transport", "level", "size_B", "ranks", "rank_kind", "cores", "algorithm", "options",
	}, f.Name)
})

// heading returns a one-line description of a point's measurement. Points with equal headings
// belong to one block.
func (t *Table) heading(p *record.Point) string {
	s := t.measured(p)
	if t.onHosts && p.Host != "" {
		s += ", hosts " + hostlist.Fold(strings.Fields(p.Host))
		if p.Map != "" {
			s += " with ranks " + p.Map
		}
	}
	if t.labels && p.Label != "" {
		s += ", labelled " + p.Label
	}
	for _, d := range t.details {
		if text := d(p); text != "" {
			s += ", " + text
		}
	}
	return s
}

// A detail writes a factor that headings leave out elsewhere, "" where a point lacks it.
type detail func(p *record.Point) string

// tellApart returns the factors in which rows differ that would be equal in all columns of equal
// blocks.
func (t *Table) tellApart(rows []record.Point) []detail {
	alike := collect.By(collect.Pointers(rows), func(p *record.Point) string {
		key := fmt.Sprintf("%s %d %d %d %d %s %s", t.heading(p), p.Size, p.Ranks, p.Copies, p.Threads, p.Algorithm, problem(p))
		if t.pairs {
			key += list(p.Cores)
		}
		return key
	})
	var names, options []string
	for _, of := range alike {
		for _, p := range of[1:] {
			for i := range record.Factors {
				f := &record.Factors[i]
				if f.Role == record.Outcome || f.Role == record.Hidden || f.Text(p) == f.Text(of[0]) {
					continue
				}
				if f.Name != "options" {
					names = append(names, f.Name)
					continue
				}
				for name := range maps.Keys(both(p.Options, of[0].Options)) {
					if p.Options[name] != of[0].Options[name] {
						options = append(options, name)
					}
				}
			}
		}
	}
	var details []detail
	for i := range record.Factors {
		if f := &record.Factors[i]; slices.Contains(names, f.Name) {
			details = append(details, f.Say)
		}
	}
	slices.Sort(options)
	for _, name := range slices.Compact(options) {
		details = append(details, func(p *record.Point) string {
			if p.Options[name] == "" {
				return ""
			}
			return name + "=" + p.Options[name]
		})
	}
	return details
}

func both(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	if all == nil {
		return b
	}
	maps.Copy(all, b)
	return all
}

// measured describes what was measured, without hosts and label.
func (t *Table) measured(p *record.Point) string {
	if p.IsApplication() {
		return applicationHeading(p)
	}
	s := fmt.Sprintf("%s over %s, level %s, %d %s", p.Bench, p.Transport, p.Level, p.Ranks, rankWord(p.RankKind))
	if t.pairs {
		s += " on each pair of cores"
	} else if pinned := slices.ContainsFunc(p.Cores, func(core int) bool { return core >= 0 }); pinned {
		s += " on cores " + list(p.Cores)
	} else {
		s += ", not pinned"
	}
	for i := range headed {
		switch f := &headed[i]; {
		case f.Name == "root" && p.Root == "0": // the default of the command line
		case f.Name == "start" && p.Start != "": // as the command line has it
			s += ", start " + p.Start
		case !f.IsDefault(p):
			s += ", " + f.Say(p)
		}
	}
	return s
}

func rankWord(kind string) string {
	if kind == "goroutine" {
		return "ranks as goroutines"
	}
	return "processes"
}

// list formats at most eight numbers.
func list(numbers []int) string {
	var words []string
	for i, n := range numbers {
		if i == 8 {
			words = append(words, "...")
			break
		}
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}
