package main

import "strings"

// isa is an instruction set.
type isa struct {
	name, suffix string
	register     int  // bytes
	below        *isa // does what is shorter than a register
}

var (
	avx2   = isa{name: "AVX2", suffix: "avx2", register: 32}
	avx512 = isa{name: "AVX512", suffix: "avx512", register: 64, below: &avx2}
	isas   = []isa{avx2, avx512}
)

type element struct {
	name string
	size int // bytes
}

func (e element) title() string { return strings.ToUpper(e.name[:1]) + e.name[1:] }

func (e element) float() bool { return e.name[0] == 'f' }

// wide is the type that plain Go orders the integer as.
func (e element) wide() string { return strings.TrimRight(e.name, "0123456789") + "64" }

var (
	reals = []element{{"int8", 1}, {"int16", 2}, {"int32", 4}, {"int64", 8},
		{"uint8", 1}, {"uint16", 2}, {"uint32", 4}, {"uint64", 8}, {"float32", 4}, {"float64", 8}}
	// Sums of three and four are worth code where reductions are common.
	common = []element{{"int32", 4}, {"int64", 8}, {"float32", 4}, {"float64", 8}}
	octets = []element{{"uint8", 1}}
)

// kernel is an operation on vectors.
type kernel struct {
	op     string // "Sum", the name in a Set
	method string // of archsimd's vectors
	count  int    // operands
	bits   bool   // whatever the type
}

type family struct {
	name    string
	kernels []kernel
	types   []element
}

var families = []family{
	{"sum", []kernel{{op: "Sum", method: "Add", count: 2}}, reals},
	{"fused", []kernel{{op: "Sum3", method: "Add", count: 3}, {op: "Sum4", method: "Add", count: 4}}, common},
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

// field is where a Set holds the kernel.
func (k kernel) field(e element) string {
	if k.bits {
		return k.op
	}
	return e.title() + "." + k.op
}

// scalar is the operation on the elements $x, $y, $z and $w.
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

// expression is the operation on the vectors $x, $y, $z and $w, before what is
// computed once ahead of the loop; false where plain Go is as good.
func (k kernel) expression(s isa, e element) (expression, before string, ok bool) {
	switch narrow := s.register == 32; {
	case k.method == "Mul" && e.size == 1:
		return "", "", false // no such instruction
	case k.method == "Mul" && e.size == 8 && !e.float() && narrow:
		return "", "", false // no such instruction, either
	case k.op == "Max" || k.op == "Min":
		if e.float() || narrow && e.size == 8 {
			return comparison(k, s, e)
		}
	}
	expression = "$x"
	for _, o := range operands[1:k.count] {
		expression += "." + k.method + "($" + o + ")"
	}
	return expression, "", true
}

// comparison selects by a comparison. AVX2 has no maximum of 64-bit integers,
// and the compiler of Go 1.26 takes the maximum of floats as commutative, which
// the instruction is not when one is a NaN or they are zeros of two signs.
func comparison(k kernel, s isa, e element) (expression, before string, ok bool) {
	function := "greater"
	if k.op == "Min" {
		function = "less"
	}
	function += e.title() + s.name
	if e.name == "uint64" {
		return function + "($x, $y, high)", "high := archsimd.BroadcastUint64x4(1 << 63)", true
	}
	return function + "($x, $y)", "", true
}
