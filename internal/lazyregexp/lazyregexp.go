// Package lazyregexp compiles regular expressions at their first use. A command starts one process
// for each rank, which needs none of the expressions that read or print results: compiled at the
// initialisation of their packages, they took a tenth of the time in which the program starts.
package lazyregexp

import (
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// A Regexp is a regular expression that is compiled at its first use. Its methods equal the methods
// of regexp.Regexp and may be called concurrently.
type Regexp struct {
	compiled func() *compiled
}

// A compiled expression has texts of which each of its matches contains one. Looking for these
// first is faster on lines that do not match, which most lines of a log are.
type compiled struct {
	*regexp.Regexp
	marks []string
}

// New returns the expression of pattern, in the syntax of package regexp. A wrong pattern panics at
// its first use, and in programs of tests here, so that a test of the package finds it.
func New(pattern string) *Regexp {
	r := &Regexp{compiled: sync.OnceValue(func() *compiled {
		c := &compiled{Regexp: regexp.MustCompile(pattern)}
		if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			c.marks = marksOf(tree)
		}
		return c
	})}
	if strings.HasSuffix(os.Args[0], ".test") {
		r.compiled()
	}
	return r
}

// marksOf returns texts of which each match of an expression contains one, as long as it finds any;
// nil if there are none.
func marksOf(e *syntax.Regexp) (best []string) {
	switch e.Op {
	case syntax.OpLiteral:
		if e.Flags&syntax.FoldCase == 0 {
			return []string{string(e.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus, syntax.OpConcat:
		for _, part := range e.Sub {
			if marks := marksOf(part); shortest(marks) > shortest(best) {
				best = marks
			}
		}
	case syntax.OpAlternate:
		for _, part := range e.Sub {
			marks := marksOf(part)
			if marks == nil {
				return nil
			}
			best = append(best, marks...)
		}
	}
	return best
}

// shortest returns the length of the shortest text, 0 if there are none.
func shortest(texts []string) int {
	smallest := 0
	for i, t := range texts {
		if i == 0 || len(t) < smallest {
			smallest = len(t)
		}
	}
	return smallest
}

// in returns the expression, nil if s has no match for lack of its marks.
func (r *Regexp) in(s string) *regexp.Regexp {
	c := r.compiled()
	if c.marks == nil || slices.ContainsFunc(c.marks, func(mark string) bool { return strings.Contains(s, mark) }) {
		return c.Regexp
	}
	return nil
}

func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }

func (r *Regexp) MatchString(s string) bool {
	e := r.in(s)
	return e != nil && e.MatchString(s)
}

func (r *Regexp) FindStringIndex(s string) []int {
	if e := r.in(s); e != nil {
		return e.FindStringIndex(s)
	}
	return nil
}

func (r *Regexp) FindStringSubmatch(s string) []string {
	if e := r.in(s); e != nil {
		return e.FindStringSubmatch(s)
	}
	return nil
}

func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	if e := r.in(s); e != nil {
		return e.FindStringSubmatchIndex(s)
	}
	return nil
}

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	if e := r.in(s); e != nil {
		return e.FindAllStringSubmatch(s, n)
	}
	return nil
}

func (r *Regexp) ReplaceAllString(s, with string) string {
	if e := r.in(s); e != nil {
		return e.ReplaceAllString(s, with)
	}
	return s
}

func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	if e := r.in(s); e != nil {
		return e.ReplaceAllStringFunc(s, with)
	}
	return s
}

func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
