// Package lazyregexp compiles regular expressions at their first use. A command starts one process
// for each rank, which needs none of the expressions that read or print results: compiled at the
// initialisation of their packages, they took a tenth of the time in which the program starts.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// A Regexp is a regular expression that is compiled at its first use. Its methods are those of
// regexp.Regexp and may be called by several goroutines at once.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// New returns the expression of pattern, in the syntax of package regexp. A wrong pattern panics at
// its first use, and in programs of tests here, so that a test of the package finds it.
func New(pattern string) *Regexp {
	r := &Regexp{compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
	if strings.HasSuffix(os.Args[0], ".test") {
		r.compiled()
	}
	return r
}

func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }

func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.compiled().ReplaceAllString(s, with)
}

func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, with)
}

func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
