package cell

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"gobench/report/host"
	"gobench/report/style"
)

// A Factor is an experimental factor, with a function that returns its level for a point as text,
// empty where the factor does not apply.
type Factor struct {
	Name string
	Of   func(Point) string
}

// Factors that every point has, those that explain most first. Where the same
// cells can be told apart by one of them it is not by a later one. What the
// transport itself chose (path) is none, nor is the message size, which is an
// axis.
var (
	Bench     = Factor{"bench", func(p Point) string { return p.Bench }}
	Library   = Factor{"library", func(p Point) string { return cmp.Or(p.Library, gobench) }}
	Transport = Factor{"transport", func(p Point) string { return p.Transport }}
	Level     = Factor{"level", func(p Point) string { return p.Level }}
	Ranks     = Factor{"ranks", func(p Point) string { return RanksName(p.Ranks) }}
	Algorithm = Factor{"algorithm", func(p Point) string { return p.Algorithm }}
	Start     = Factor{"start", func(p Point) string { return starts[p.Start] }}
	Size      = Factor{"size", func(p Point) string { return style.Size(p.Size) }}
	Class     = Factor{"class", func(p Point) string { return ClassName(p.Class) }}
	Threads   = Factor{"threads", func(p Point) string { return number("threads ", p.Threads) }}
	Host      = Factor{"host", func(p Point) string { return host.Names(p.Run) }}
	File      = Factor{"file", func(p Point) string { return Label(p.File) }}
)

// gobench measured where a record names no library.
const gobench = "gobench"

var factors = []Factor{
	Bench, Library, Transport, Level, Ranks, Algorithm,
	Class, Threads,
	{"copies", func(p Point) string { return number("independent copies ", p.Copies) }},
	{"window", func(p Point) string { return number("window ", p.Window) }},
	{"cache", func(p Point) string { return named("cache ", p.Cache) }},
	{"memory", func(p Point) string { return named("memory ", p.Memory) }},
	{"root", func(p Point) string { return named("root ", p.Root) }},
	{"in_place", func(p Point) string { return yes("in place", p.InPlace) }},
	{"groups", func(p Point) string { return number("groups ", p.Groups) }},
	{"arrival_skew", func(p Point) string { return named("late ", p.Skew) }},
	Start,
	{"check", func(p Point) string { return named("check ", p.Check) }},
	{"rank_kind", func(p Point) string { return named("ranks as ", p.RankKind) }},
	Host, File,
}

// defaults holds the default levels, which labels omit.
var defaults = map[string]bool{"threads 1": true, "cache warm": true, "memory heap": true, "ranks as process": true, starts["time"]: true}

// ClassName returns the text for a problem class: "class A" for the letters of NPB, a description
// of the problem for FDTD, otherwise the class itself.
func ClassName(class string) string {
	if len(class) == 1 {
		return "class " + class
	}
	if m := grid.FindStringSubmatch(class); m != nil {
		return fmt.Sprintf("%s x %s, %s steps, %s", m[1], m[2], m[3], precisions[m[4]])
	}
	return class
}

// grid matches the name of a problem of FDTD: points each way, steps, precision.
var grid = regexp.MustCompile(`^(\d+)x(\d+)x(\d+)-(single|double)$`)

var precisions = map[string]string{"single": "float32", "double": "float64"}

// RanksName formats a number of ranks.
func RanksName(n int) string { return Plural(n, "rank", "ranks") }

// starts maps the start mode of a collective to its text.
var starts = map[string]string{"time": "started at announced times", "barrier": "started by a barrier", "none": "back to back"}

func named(what, s string) string {
	if s == "" {
		return ""
	}
	return what + s
}

func number(what string, n int) string {
	if n == 0 {
		return ""
	}
	return what + strconv.Itoa(n)
}

func yes(what string, is bool) string {
	if is {
		return what
	}
	return ""
}

// options returns a factor for each option of a transport that differs among the points of that
// transport.
func options(points []Point) []Factor {
	type key struct{ transport, option string }
	seen := map[key]map[string]bool{}
	for _, p := range points {
		for name, value := range p.Options {
			k := key{p.Transport, name}
			if seen[k] == nil {
				seen[k] = map[string]bool{}
			}
			seen[k][value] = true
		}
	}
	var names []string
	for k, values := range seen {
		if len(values) > 1 && !slices.Contains(names, k.option) {
			names = append(names, k.option)
		}
	}
	slices.Sort(names)
	list := make([]Factor, len(names))
	for i, name := range names {
		list[i] = Factor{name, func(p Point) string {
			if v := p.Options[name]; v != "" {
				return name + " " + v
			}
			return ""
		}}
	}
	return list
}
