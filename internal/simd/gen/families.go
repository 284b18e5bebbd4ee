package main

import "strings"

// isa is an instruction set.
type isa struct {
	name, suffix string
	register     int  // bytes
	below        *isa // handles vectors shorter than a register
}

var (
	avx2   = isa{name: "AVX2", suffix: "avx2", register: 32}
	avx512 = isa{name: "AVX512", suffix: "avx512", register: 64, below: &avx2}
	isas   = []isa{avx2, avx512}
	scalar = isa{name: "Plain", suffix: "plain", register: 8}
)

type element struct {
	name string
	size int // bytes
}

func (e element) title() string { return strings.ToUpper(e.name[:1]) + e.name[1:] }

func (e element) float() bool { return e.name[0] == 'f' }

// wide returns the type as which plain Go compares the integer.
func (e element) wide() string { return strings.TrimRight(e.name, "0123456789") + "64" }

var (
	// reals are the elements that benchmarks and kernels reduce. Others have plain loops.
	reals  = []element{{"int32", 4}, {"int64", 8}, {"float32", 4}, {"float64", 8}}
	octets = []element{{"uint8", 1}}
)

// kernel is an operation on vectors.
type kernel struct {
	op     string // "Sum", the name in a Set
	method string // of archsimd's vectors
	count  int    // operands
	bits   bool   // bitwise: one function for all types
}

type family struct {
	name    string
	kernels []kernel
	types   []element
}

var families = []family{
	{"sum", []kernel{{op: "Sum", method: "Add", count: 2}}, reals},
	{"fused", []kernel{{op: "Sum3", method: "Add", count: 3}, {op: "Sum4", method: "Add", count: 4}}, reals},
	{"prod", []kernel{{op: "Prod", method: "Mul", count: 2}}, reals},
	{"max", []kernel{{op: "Max", method: "Max", count: 2}}, reals},
	{"min", []kernel{{op: "Min", method: "Min", count: 2}}, reals},
	{"bits", []kernel{{op: "And", method: "And", count: 2, bits: true}, {op: "Or", method: "Or", count: 2, bits: true},
		{op: "Xor", method: "Xor", count: 2, bits: true}}, octets},
}

func (k kernel) sources() []string {
	if k.count == 2 {
		return []string{"a", "b"}
	}
	return []string{"s0", "s1", "s2", "s3"}[:k.count]
}

// field returns the field of a Set that holds the kernel.
func (k kernel) field(e element) string {
	if k.bits {
		return k.op
	}
	return e.title() + "." + k.op
}

// scalar returns the operation on the elements $x, $y, $z and $w.
func (k kernel) scalar(e element) string {
	signs := map[string]string{"Add": "+", "Mul": "*"}
	functions := map[string]string{"Max": "greater", "Min": "less"}
	if sign, ok := signs[k.method]; ok {
		return "$" + strings.Join(operands[:k.count], sign+"$")
	}
	function := functions[k.method]
	if e.float() {
		return function + e.title() + "($x, $y)"
	}
	return function + "[" + e.name + ", " + e.wide() + "]($x, $y)"
}

// expression returns the operation on the vectors $x, $y, $z and $w, and false where plain Go is as
// fast.
func (k kernel) expression(s isa, e element) (expression string, ok bool) {
	switch narrow := s.register == 32; {
	case k.method == "Mul" && e.size == 8 && !e.float() && narrow:
		return "", false // no such instruction
	case k.op == "Max" || k.op == "Min":
		if e.float() || narrow && e.size == 8 {
			return comparison(k, s, e)
		}
	}
	expression = "$x"
	for _, o := range operands[1:k.count] {
		expression += "." + k.method + "($" + o + ")"
	}
	return expression, true
}

// comparison selects by a comparison. AVX2 has no maximum of 64-bit integers,
// and the compiler of Go 1.26 takes the maximum of floats as commutative, which
// the instruction is not when one is a NaN or they are zeros of two signs.
func comparison(k kernel, s isa, e element) (expression string, ok bool) {
	function := "greater"
	if k.op == "Min" {
		function = "less"
	}
	return function + e.title() + s.name + "($x, $y)", true
}
