//go:build goexperiment.simd && go1.27 && !go1.28

package simd

import (
	"debug/elf"
	"debug/gosym"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"
)

// code is a function of machine code.
type code struct {
	list   []x86asm.Inst
	at     []uint64       // address of each, and the end
	vex    []bool         // has the new encoding
	index  map[uint64]int // of an address
	callee func(uint64) string
}

// decode returns the instructions of a function, or an error with the bytes that are unknown.
func decode(text []byte, at uint64, callee func(uint64) string) (*code, error) {
	c := &code{index: map[uint64]int{}, callee: callee}
	for len(text) > 0 {
		inst, err := x86asm.Decode(text, 64)
		if err != nil {
			return nil, fmt.Errorf("unknown instruction % x at %#x: %w", text[:min(len(text), 12)], at, err)
		}
		if inst.Op == x86asm.VZEROUPPER {
			inst.Len = 3 // x86asm takes two bytes of the next one
		}
		c.index[at] = len(c.list)
		c.list, c.at = append(c.list, inst), append(c.at, at)
		c.vex = append(c.vex, text[0] == 0xc4 || text[0] == 0xc5 || text[0] == 0x62)
		text, at = text[inst.Len:], at+uint64(inst.Len)
	}
	c.at = append(c.at, at)
	return c, nil
}

// uses reports whether an operand is a register from one to another.
func (c *code) uses(i int, from, to x86asm.Reg) bool {
	return slices.ContainsFunc(c.list[i].Args[:], func(a x86asm.Arg) bool {
		r, ok := a.(x86asm.Reg)
		return ok && r >= from && r <= to
	})
}

func (c *code) wide(i int) bool {
	return c.uses(i, x86asm.Y0, x86asm.Y31) || c.uses(i, x86asm.Z0, x86asm.Z31)
}

// target returns where a jump or a call goes.
func (c *code) target(i int) (uint64, bool) {
	rel, ok := c.list[i].Args[0].(x86asm.Rel)
	return c.at[i+1] + uint64(int64(rel)), ok
}

// jumps reports whether an instruction is a jump, and whether the next one may follow it.
func (c *code) jumps(i int) (jump, falls bool) {
	op := c.list[i].Op
	return strings.HasPrefix(op.String(), "J"), op != x86asm.JMP && op != x86asm.RET && op != x86asm.UD2
}

// panics reports whether a call ends the function, as those of bounds checks do.
func (c *code) panics(i int) bool {
	to, ok := c.target(i)
	return ok && c.list[i].Op == x86asm.CALL && strings.HasPrefix(c.callee(to), "runtime.panic")
}

// faults lists what makes a function slow or wrong: old SSE instructions, calls and returns while
// the upper halves of registers are in use, on any way through the function; and calls and bounds
// checks in its innermost loops over vectors.
func (c *code) faults() []string {
	var list []string
	say := func(i int, what string) {
		list = append(list, fmt.Sprintf("%#x: %v: %s", c.at[i], c.list[i], what))
	}
	type state struct {
		i     int
		dirty bool
	}
	seen, reached := map[state]bool{}, []state{{0, false}}
	for len(reached) > 0 {
		s := reached[len(reached)-1]
		reached = reached[:len(reached)-1]
		if s.i >= len(c.list) || seen[s] {
			continue
		}
		seen[s] = true
		jump, falls := c.jumps(s.i)
		to, known := c.target(s.i)
		next, inside := c.index[to]
		switch op := c.list[s.i].Op; {
		case op == x86asm.VZEROUPPER:
			s.dirty = false
		case c.wide(s.i):
			s.dirty = true
		case !s.dirty:
		case !c.vex[s.i] && c.uses(s.i, x86asm.X0, x86asm.X15):
			say(s.i, "old SSE instruction while upper halves are in use")
		case op == x86asm.RET || jump && known && !inside:
			say(s.i, "upper halves are in use at the end")
		case op == x86asm.CALL && !c.panics(s.i):
			say(s.i, "call while upper halves are in use")
		}
		if jump && inside {
			reached = append(reached, state{next, s.dirty})
		}
		if falls && !c.panics(s.i) {
			reached = append(reached, state{s.i + 1, s.dirty})
		}
	}
	for _, l := range c.loops() {
		for i := l[0]; i <= l[1]; i++ {
			to, _ := c.target(i)
			next, inside := c.index[to]
			jump, _ := c.jumps(i)
			switch {
			case c.list[i].Op == x86asm.CALL:
				say(i, "call in a loop over vectors")
			case jump && inside && (next < l[0] || next > l[1]) && c.leadsToPanic(next):
				say(i, "bounds check in a loop over vectors")
			}
		}
	}
	return list
}

// leadsToPanic reports whether some instructions in a row end in a panic.
func (c *code) leadsToPanic(i int) bool {
	for ; i < len(c.list); i++ {
		if jump, falls := c.jumps(i); jump || !falls || c.list[i].Op == x86asm.CALL {
			return c.panics(i)
		}
	}
	return false
}

// loops returns the first and the last instruction of the innermost loops that use wide registers.
func (c *code) loops() (list [][2]int) {
	for i := range c.list {
		to, _ := c.target(i)
		if jump, _ := c.jumps(i); !jump || to > c.at[i] {
			continue
		}
		first, inside := c.index[to]
		if !inside || slices.ContainsFunc(list, func(l [2]int) bool { return l[0] >= first }) {
			continue // it has an inner loop
		}
		for k := first; k <= i; k++ {
			if c.wide(k) {
				list = append(list, [2]int{first, i})
				break
			}
		}
	}
	return list
}

// functions returns the functions of this package in the test's own program.
func functions(t *testing.T) map[string]*code {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text := file.Section(".text")
	lines, err := file.Section(".gopclntab").Data()
	if err != nil {
		t.Fatal(err)
	}
	all, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(lines, text.Addr))
	if err != nil {
		t.Fatal(err)
	}
	callee := func(at uint64) string {
		if f := table.PCToFunc(at); f != nil {
			return f.Name
		}
		return ""
	}
	list := map[string]*code{}
	for _, f := range table.Funcs {
		if !strings.HasPrefix(f.Name, "gobench/internal/simd") || strings.Contains(f.Name, "simd.Test") {
			continue
		}
		body := all[f.Entry-text.Addr : f.End-text.Addr]
		for body[len(body)-1] == 0xcc { // padding
			body = body[:len(body)-1]
		}
		c, err := decode(body, f.Entry, callee)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		list[f.Name] = c
	}
	return list
}

// Upper halves of vector registers that are in use make each old SSE instruction slow: on Intel's
// processors it took the loops of SP from 1.85 to 3.7 s.
func TestVectorFunctionsAreOfOneKind(t *testing.T) {
	found := 0
	for name, c := range functions(t) {
		if !slices.ContainsFunc(c.at[:len(c.list)], func(at uint64) bool { return c.wide(c.index[at]) }) {
			continue
		}
		found++
		for _, fault := range c.faults() {
			t.Errorf("%s: %s", name, fault)
		}
	}
	if found < 80 {
		t.Errorf("%d vector functions were found", found)
	}
}

// The check finds each kind of fault.
func TestFaultsOfVectorFunctionsAreFound(t *testing.T) {
	const (
		load  = "\xc5\xfe\x6f\x06"     // VMOVDQU (SI), Y0
		clear = "\xc5\xf8\x77"         // VZEROUPPER
		old   = "\xf2\x0f\x10\x08"     // MOVSD (AX), X1
		vex   = "\xc5\xfb\x10\x08"     // VMOVSD (AX), X1
		ret   = "\xc3"                 //
		call  = "\xe8\x00\x10\x00\x00" // behind the function
		out   = "\x77\x0a"             // JA, past load, JL, clear and ret
	)
	for _, c := range []struct{ name, text, callee, want string }{
		{"right", load + vex + clear + old + ret, "", ""},
		{"old SSE", load + old + clear + ret, "", "old SSE instruction"},
		{"old SSE behind a jump back", old + load + "\x7c\xf6" + clear + ret, "", "old SSE instruction"},
		{"nothing cleared", load + ret, "", "at the end"},
		{"call", load + call + clear + ret, "main.f", "call while"},
		{"call in a loop", load + clear + call + "\x7c\xf2" + ret, "main.f", "call in a loop"},
		{"panic at the end", load + clear + ret + call, "runtime.panicBounds", ""},
		{"bounds check in a loop", out + load + "\x7c\xf8" + clear + ret + call, "runtime.panicBounds", "bounds check"},
	} {
		code, err := decode([]byte(c.text), 0x1000, func(uint64) string { return c.callee })
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(code.faults(), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: faults %q, want %q", c.name, got, c.want)
		}
	}
}
