package simd

import (
	"slices"
	"strings"
	"unsafe"
)

// A variant is a form of a part for an instruction set that has several. They differ in prefetches,
// and which one is fast depends on the processor.
type variant struct {
	part, name string
	put        func(*Set)
}

// vary gives a part of the set several forms, of which the first is in force.
func (s *Set) vary(variants ...variant) {
	variants[0].put(s)
	s.variants = append(s.variants, variants...)
}

// put makes a part of a set what a candidate is called, and reports whether its instruction set is
// known. An unknown form of one is the usual form.
func (p part) put(to *Set, candidate string) bool {
	level, form, _ := strings.Cut(candidate, " ")
	for _, s := range all {
		if s.Level != level {
			continue
		}
		p.take(to, s)
		for _, v := range s.variants {
			if v.part == p.name && v.name == form {
				v.put(to)
			}
		}
		return true
	}
	return false
}

// Candidates returns what Choose takes for some parts, whatever their bound, the usual one first:
// instruction sets, each with its forms, such as "avx512 t0". A set that has no functions of its
// own for these parts is left out.
func Candidates(parts ...string) []string {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i], _, _ = strings.Cut(parts[i], " to ")
	}
	var names []string
	var before words
	for _, s := range all {
		of := s.only(parts)
		if of == before {
			continue
		}
		before = of
		var forms []string
		for _, v := range s.variants {
			if slices.Contains(parts, v.part) {
				forms = append(forms, s.Level+" "+v.name)
			}
		}
		if forms == nil {
			forms = []string{s.Level}
		}
		names = append(forms, names...)
	}
	return names
}

// words is the memory of a Set: Go compares no functions, but the same function value has the same
// address.
type words [unsafe.Sizeof(Set{}) / unsafe.Sizeof(uintptr(0))]uintptr

// only returns the functions of some parts of the set.
func (s *Set) only(parts []string) words {
	var some Set
	for _, p := range allParts {
		if slices.Contains(parts, p.name) {
			p.take(&some, s)
		}
	}
	return *(*words)(unsafe.Pointer(&some))
}
