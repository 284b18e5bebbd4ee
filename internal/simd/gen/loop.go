package main

import (
	"fmt"
	"io"
	"strings"
)

// loop is one function: a kernel for a type on an instruction set.
type loop struct {
	kernel
	element
	isa
	expression string // of the operands x, y, z, w
}

var operands = []string{"x", "y", "z", "w"}

func (l loop) function(s isa) string {
	return strings.ToLower(l.op[:1]) + l.op[1:] + l.suffixOf() + s.name
}

func (l loop) suffixOf() string {
	if l.bits {
		return ""
	}
	return l.title()
}

// vector returns the name of the vector type.
func (l loop) vector() string { return fmt.Sprintf("%sx%d", l.title(), l.lanes()) }

func (l loop) lanes() int { return l.register / l.size }

// apply returns the expression over the vectors at an offset.
func (l loop) apply(offset string) string {
	var pairs []string
	for i, p := range l.sources() {
		load := fmt.Sprintf("archsimd.Load%sArray(at[[%d]%s](p%s, %s))", l.vector(), l.lanes(), l.element.name, p, offset)
		pairs = append(pairs, "$"+operands[i], load)
	}
	return strings.NewReplacer(pairs...).Replace(l.expression)
}

// one returns the statement for the element at i.
func (l loop) one() string {
	var pairs []string
	for i, p := range l.sources() {
		pairs = append(pairs, "$"+operands[i], fmt.Sprintf("*at[%s](p%s, i)", l.element.name, p))
	}
	return fmt.Sprintf("*at[%s](pdst, i) = ", l.element.name) + strings.NewReplacer(pairs...).Replace(l.scalar(l.element))
}

func (l loop) store(value, offset string) string {
	return fmt.Sprintf("%s.StoreArray(at[[%d]%s](pdst, %s))", value, l.lanes(), l.element.name, offset)
}

// write writes the function. The last register may overlap the one before it:
// it is computed first, because dst may be a source.
func (l loop) write(w io.Writer) {
	args := strings.Join(l.sources(), ", ")
	f := func(format string, a ...any) { fmt.Fprintf(w, format+"\n", a...) }

	f("\nfunc %s(dst, %s []byte) {", l.function(l.isa), args)
	f("n := len(dst)")
	smaller, called := l.smaller()
	if called {
		f("if n < %d {", l.register)
		f("%s(dst, %s)", smaller, args)
		f("return")
		f("}")
	}
	f("%s = %s[:n]", args, strings.Join(l.sources(), "[:n], "))
	names, starts := []string{"pdst"}, []string{"start(dst)"}
	for _, s := range l.sources() {
		names, starts = append(names, "p"+s), append(starts, "start("+s+")")
	}
	f("%s := %s", strings.Join(names, ", "), strings.Join(starts, ", "))
	if !called {
		f("if n < %d {", l.register)
		f("for i := 0; i+%d <= n; i += %d {", l.size, l.size)
		f("%s", l.one())
		f("}")
		f("return")
		f("}")
	}
	f("last := n - %d", l.register)
	f("tail := %s", l.apply("last"))
	f("i := 0")
	steps := 4
	if len(l.sources()) > 2 {
		steps = 2
	}
	f("for ; i+%d <= last; i += %d {", steps*l.register, steps*l.register)
	for s := range steps {
		f("r%d := %s", s, l.apply(offset(s*l.register)))
	}
	for s := range steps {
		f("%s", l.store(fmt.Sprintf("r%d", s), offset(s*l.register)))
	}
	f("}")
	f("for ; i < last; i += %d {", l.register)
	f("r := %s", l.apply("i"))
	f("%s", l.store("r", "i"))
	f("}")
	f("%s", l.store("tail", "last"))
	f("archsimd.ClearAVXUpperBits()")
	f("}")
}

func offset(bytes int) string {
	if bytes == 0 {
		return "i"
	}
	return fmt.Sprintf("i+%d", bytes)
}

// smaller returns the function that is called for vectors shorter than a register. It returns false
// if there is none. The loop then handles them itself, because vectors of one number are common.
func (l loop) smaller() (function string, ok bool) {
	if l.bits && l.below == nil {
		return "plain" + l.op, true
	}
	if l.below == nil {
		return "", false
	}
	_, ok = l.kernel.expression(*l.below, l.element)
	return l.function(*l.below), ok
}
