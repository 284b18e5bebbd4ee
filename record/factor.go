package record

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Role selects how a field of a point is treated when points are matched.
type Role int

const (
	// Asked fields are requested by the user and separate cells.
	Asked Role = iota
	// Chosen fields separate cells only if one side of a comparison has several values of them, for
	// example several algorithms. Otherwise they are treated as Hidden.
	Chosen
	// Hidden fields do not separate cells; a comparison warns where they differ.
	Hidden
	// Outcome fields are results of the measurement or irrelevant for matching.
	Outcome
)

// A form is the type of a field's value, for validation and the JSON schema.
type form int

const (
	text     form = iota // not empty if present
	count                // an integer from 0
	positive             // an integer from 1; absent = 0
	integer              // any integer
	quantity             // a positive number; absent = 0
	share                // a number above 0, at most 1 (steal of older records: also more); absent = 0
	flag                 // true
	coreList             // cores of ranks, -1 = not pinned
	options              // names and values
	counts               // names and integers from 1
	fixed                // schema, kind, time, warnings: written and checked by other code
)

// A Factor describes one field of a point. A new factor needs a field of Point and a row of
// Factors. Validation, matching, comparison, figures, the Go benchmark format and the test of
// schema.json and SCHEMA.md use the row.
type Factor struct {
	Name     string // in JSON
	Role     Role
	Aliases  []string // other names for --by
	Unlogged bool     // logs of other programs do not state it
	Omitted  bool     // logs of some programs state it, and those of others do not
	Default  string   // the value that figures and captions leave out

	// Label precedes the value in figures and captions: "window " for "window 8".
	Label string
	// Words writes a value for figures and captions, instead of Label.
	Words func(value string) string
	// Text returns the value of a point, "" where it is absent. It is nil for outcomes.
	Text func(p *Point) string

	form     form
	required bool
	values   []string             // all values of a text; nil = any
	absent   string               // a value equivalent to an absent one
	format   func(float64) string // of a quantity
	index    int                  // of the field in Point
}

// Factors lists all fields of a point in the order of importance: if a factor distinguishes the
// cells of a figure, later ones are not mentioned. A test checks that no field is missing. The list
// must not be modified.
var Factors = table([]Factor{
	{Name: "bench", required: true, Aliases: []string{"op"}},
	{Name: "library", Default: "gobench"},
	{Name: "transport", required: true},
	{Name: "level", required: true, values: []string{"raw", "socket", "device", "comm"}},
	{Name: "size_B", form: count, Aliases: []string{"size"}},
	{Name: "ranks", form: positive, required: true, Aliases: []string{"np", "n"}, Words: RanksText},
	{Name: "algorithm", Role: Chosen, Aliases: []string{"algo"}, Unlogged: true},
	{Name: "class", Words: classText},
	{Name: "grid", Words: gridText},
	{Name: "steps", form: positive, Words: func(n string) string { return n + " steps" }},
	{Name: "real", values: []string{"single", "double"}, Words: func(s string) string { return precisions[s] }},
	{Name: "io", Words: func(s string) string { return "I/O " + s }},
	{Name: "threads", form: positive, Label: "threads ", Default: "1"},
	{Name: "copies", form: positive, Label: "independent copies "},
	{Name: "window", Omitted: true, form: positive, Label: "window "},
	{Name: "polls", form: positive, Words: func(n string) string { return "tested " + n + " times" }},
	{Name: "load", Unlogged: true, Label: "load "},
	{Name: "memory_kind", Words: func(s string) string { return "memory " + s }},
	{Name: "qps", form: positive, absent: "1", Words: func(n string) string { return n + " queue pairs" }},
	{Name: "operation", Role: Chosen, Unlogged: true, Label: "operation "},
	{Name: "service", Role: Chosen, Unlogged: true, Label: "service ", Default: "RC"},
	{Name: "datatype", Role: Chosen, Unlogged: true, Label: "type "},
	{Name: "reduction", Role: Chosen, Unlogged: true, Label: "reduction ", Default: "sum"},
	{Name: "groups", form: positive, absent: "1", Words: func(n string) string { return n + " groups at once" }},
	{Name: "distribution", Words: func(d string) string { return d + " blocks" }},
	{Name: "topology", Unlogged: true, Label: "topology "},
	{Name: "root", Unlogged: true, Words: rootText},
	{Name: "in_place", form: flag, Words: func(string) string { return "in place" }},
	{Name: "start", Role: Chosen, Unlogged: true, values: []string{"barrier", "time", "none"}, Words: startText, Default: "time"},
	{Name: "arrival_skew", Aliases: []string{"skew"}, Label: "arrival skew "},
	{Name: "check", Unlogged: true, values: []string{"strict"}, Label: "check "},
	{Name: "cache", Unlogged: true, values: []string{"warm", "cold"}, Label: "cache ", Default: "warm"},
	{Name: "buffers", form: positive, Unlogged: true, absent: "1", Words: func(n string) string { return n + " buffers in turn" }},
	{Name: "memory", Unlogged: true, values: []string{"heap", "device"}, Words: func(s string) string { return s + " memory" }, Default: "heap"},
	{Name: "rank_kind", required: true, values: []string{"process", "goroutine"}, Label: "ranks as ", Default: "process"},
	{Name: "batch", form: positive, Unlogged: true, Label: "batch "},
	{Name: "cores", Role: Chosen, form: coreList, Unlogged: true, Label: "cores "},
	{Name: "options", Role: Chosen, form: options, Unlogged: true},
	{Name: "mtu_B", Role: Chosen, Aliases: []string{"mtu"}, form: positive, Unlogged: true, Label: "MTU ", Default: "1500"},
	{Name: "placement", Role: Chosen, Unlogged: true, Label: "placed "},

	// Unless it was asked for (batch), it follows from the benchmark, the size and the transport.
	{Name: "batched", Role: Hidden, form: positive, Unlogged: true, absent: "1"},
	{Name: "source", Role: Hidden},
	{Name: "wavelength", Role: Hidden, form: quantity},
	{Name: "path", Role: Hidden, Unlogged: true},
	{Name: "route", Role: Hidden, Unlogged: true},
	{Name: "clock_sync", Role: Hidden, Unlogged: true, values: []string{"shared", "hca3"}},
	{Name: "precision", Role: Hidden, form: quantity, Unlogged: true, format: func(x float64) string {
		return strconv.FormatFloat(100*x, 'g', 4, 64) + " %"
	}},

	{Name: "schema", Role: Outcome, form: fixed}, {Name: "kind", Role: Outcome, form: fixed},
	{Name: "run", Role: Outcome, required: true}, {Name: "time", Role: Outcome, form: fixed},
	{Name: "amount_B", Role: Outcome, form: positive},
	{Name: "baseline", Role: Outcome},
	{Name: "launch", Role: Outcome, form: positive}, {Name: "round", Role: Outcome, form: positive},
	{Name: "block", Role: Outcome, form: positive}, {Name: "seed", Role: Outcome, form: integer},
	{Name: "launches", Role: Outcome, form: positive},
	{Name: "state", Role: Outcome}, {Name: "label", Role: Outcome}, {Name: "host", Role: Outcome}, {Name: "map", Role: Outcome},
	{Name: "commit", Role: Outcome}, {Name: "library_version", Role: Outcome},
	{Name: "sampling", Role: Outcome, values: []string{"exact", "hdr"}},
	{Name: "histogram", Role: Outcome},
	{Name: "iterations", Role: Outcome, form: positive},
	{Name: "warmup_dropped", Role: Outcome, form: count},
	{Name: "stopped", Role: Outcome, values: []string{"precise", "budget", "limit", "interrupted"}},
	{Name: "duration_s", Role: Outcome, form: quantity},
	{Name: "clock_cost_s", Role: Outcome, form: quantity}, {Name: "interval_floor_s", Role: Outcome, form: quantity},
	{Name: "clock_error_s", Role: Outcome, form: quantity},
	{Name: "invalid", Role: Outcome, form: positive}, {Name: "checked", Role: Outcome, form: positive},
	{Name: "by_table", Role: Outcome, form: flag},
	{Name: "found", Role: Outcome, form: options},
	{Name: "memory_per_pair_B", Role: Outcome, form: positive},
	{Name: "reg_hits", Role: Outcome, form: positive}, {Name: "reg_misses", Role: Outcome, form: positive}, {Name: "reg_pinned_B", Role: Outcome, form: positive},
	{Name: "distance_before_s", Role: Outcome, form: quantity}, {Name: "distance_after_s", Role: Outcome, form: quantity},
	{Name: "line_low_s", Role: Outcome, form: quantity}, {Name: "line_high_s", Role: Outcome, form: quantity},
	{Name: "distance_least_s", Role: Outcome, form: quantity}, {Name: "distance_most_s", Role: Outcome, form: quantity},
	{Name: "state_distance_s", Role: Outcome, form: quantity}, {Name: "state_share", Role: Outcome, form: share},
	{Name: "loop_s", Role: Outcome, form: quantity}, {Name: "steal", Role: Outcome, form: share},
	{Name: "cpu_user_s", Role: Outcome, form: quantity}, {Name: "cpu_system_s", Role: Outcome, form: quantity},
	{Name: "switches", Role: Outcome, form: quantity}, {Name: "cpu_busy", Role: Outcome, form: quantity},
	{Name: "interrupts", Role: Outcome, form: quantity}, {Name: "cycles", Role: Outcome, form: quantity}, {Name: "instructions", Role: Outcome, form: quantity},

	{Name: "counters", Role: Outcome, form: counts},
	{Name: "method", Role: Outcome}, {Name: "warnings", Role: Outcome, form: fixed},
})

// table sets the index and Text of the rows.
func table(rows []Factor) []Factor {
	fieldIndices := fieldIndices(reflect.TypeFor[Point]())
	for i := range rows {
		f := &rows[i]
		f.index = fieldIndices[f.Name]
		if f.Role != Outcome {
			read := *f
			f.Text = read.text
		}
	}
	return rows
}

// LookupFactor returns the row of a field by its JSON name, nil for outcomes and unknown names.
func LookupFactor(name string) *Factor {
	i := slices.IndexFunc(Factors, func(f Factor) bool { return f.Name == name && f.Role != Outcome })
	if i < 0 {
		return nil
	}
	return &Factors[i]
}

// Unlogged reports whether logs of other programs do not state a factor.
func Unlogged(name string) bool {
	f := LookupFactor(name)
	return f != nil && f.Unlogged
}

// IsDefault reports whether the value of a point is absent or the default. Figures, captions and
// headings leave such values out.
func (f *Factor) IsDefault(p *Point) bool {
	value := f.Text(p)
	return value == "" || value == f.Default
}

// Say returns the value of a point for figures and captions, "" if it is absent: "window 8", "2
// ranks".
func (f *Factor) Say(p *Point) string {
	value := f.Text(p)
	switch {
	case value == "":
		return ""
	case f.Words != nil:
		return f.Words(value)
	}
	return f.Label + value
}

func (f *Factor) value(p *Point) reflect.Value { return reflect.ValueOf(p).Elem().Field(f.index) }

// text returns the value of a point.
func (f *Factor) text(p *Point) string {
	if f.form == text {
		return f.value(p).String()
	}
	var room [32]byte
	return string(f.append(room[:0], p))
}

// append appends the value of a point as text.
func (f *Factor) append(b []byte, p *Point) []byte {
	v, begin := f.value(p), len(b)
	switch f.form {
	case text:
		return append(b, v.String()...)
	case count:
		return strconv.AppendInt(b, v.Int(), 10)
	case positive, integer:
		if n := v.Int(); n != 0 {
			b = strconv.AppendInt(b, n, 10)
		}
	case quantity, share:
		if x := v.Float(); x != 0 && f.format != nil {
			b = append(b, f.format(x)...)
		} else if x != 0 {
			b = strconv.AppendFloat(b, x, 'g', -1, 64)
		}
	case flag:
		if v.Bool() {
			b = append(b, "true"...)
		}
	case coreList:
		for i, core := range p.Cores {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(core), 10)
		}
	case options:
		b = appendOptions(b, p.Options)
	}
	if f.absent != "" && string(b[begin:]) == f.absent {
		return b[:begin]
	}
	return b
}

// OptionsText formats options of a transport, sorted by name: "copy=cma nodelay=on".
func OptionsText(options map[string]string) string { return string(appendOptions(nil, options)) }

// appendOptions appends the OptionsText of options to b.
func appendOptions(b []byte, options map[string]string) []byte {
	var names [24]string
	sorted := names[:0]
	for name := range options {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for i, name := range sorted {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(append(append(b, name...), '='), options[name]...)
	}
	return b
}

// CellKey returns a key that is equal for two points if and only if they are of the same cell.
func (p *Point) CellKey() string { return string(CellKeys{}.Append(nil, p)) }

// CellKeys makes the keys of many points, whose options must not be modified while it is in use. It
// holds the OptionsText of options by the address of their map, because points that were read share
// them.
type CellKeys map[uintptr]string

// Append appends the CellKey of p to b.
func (k CellKeys) Append(b []byte, p *Point) []byte {
	for i := range Factors {
		switch f := &Factors[i]; {
		case f.Role != Asked && f.Role != Chosen:
			continue
		case f.form == options:
			b = append(b, k.options(p.Options)...)
		default:
			b = f.append(b, p)
		}
		b = append(b, 0)
	}
	return b
}

func (k CellKeys) options(options map[string]string) string {
	if len(options) == 0 {
		return ""
	}
	at := reflect.ValueOf(options).Pointer()
	text, ok := k[at]
	if !ok {
		text = OptionsText(options)
		k[at] = text
	}
	return text
}

// Order returns a function that orders some points by the factors that separate cells, in the order
// of Factors, but not by their size. It returns a negative number, 0 or a positive number. It looks
// only at the factors in which any of the points differ.
func Order(points []*Point) func(a, b *Point) int {
	var differing []*Factor
	for i := range Factors {
		f := &Factors[i]
		if (f.Role == Asked || f.Role == Chosen) && f.Name != "size_B" &&
			slices.ContainsFunc(points, func(p *Point) bool { return f.compare(p, points[0]) != 0 }) {
			differing = append(differing, f)
		}
	}
	return func(a, b *Point) int {
		for _, f := range differing {
			if n := f.compare(a, b); n != 0 {
				return n
			}
		}
		return 0
	}
}

// compare orders two points by the value of the factor.
func (f *Factor) compare(a, b *Point) int {
	x, y := f.value(a), f.value(b)
	switch f.form {
	case text:
		return strings.Compare(x.String(), y.String())
	case count, positive, integer:
		return cmp.Compare(x.Int(), y.Int())
	case coreList:
		return slices.Compare(a.Cores, b.Cores)
	}
	return strings.Compare(f.Text(a), f.Text(b))
}

// RanksText formats a number of ranks: "1 rank", "2 ranks".
func RanksText(n string) string {
	if n == "1" {
		return "1 rank"
	}
	return n + " ranks"
}

// classText formats a class of problems. NPB's classes have one letter ("A", "C/8"), others are
// names.
func classText(class string) string {
	letters := func(r rune) bool { return unicode.IsLetter(r) }
	if first := strings.IndexFunc(class, letters); first >= 0 && first == strings.LastIndexFunc(class, letters) {
		return "class " + class
	}
	return class
}

func rootText(root string) string {
	if root == "rotate" {
		return "root rotates"
	}
	return "root " + root
}

var precisions = map[string]string{"single": "float32", "double": "float64"}

func gridText(grid string) string { return strings.Replace(grid, "x", " x ", 1) }

func startText(start string) string {
	return map[string]string{
		"time": "started at announced times", "barrier": "started by a barrier", "none": "back to back",
	}[start]
}

// Problem returns the name of the problem of an application: its class, for BT-IO with the kind of
// I/O, or the grid, steps and precision of FDTD ("512x512x500-single"). It is "" for other
// benchmarks.
func (p *Point) Problem() string {
	if p.IO != "" {
		return p.Class + " " + p.IO
	}
	if p.Class != "" || p.Grid == "" {
		return p.Class
	}
	return p.Grid + "x" + strconv.Itoa(p.Steps) + "-" + p.Real
}
