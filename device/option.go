package device

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of an option's value.
type Kind int

const (
	Word  Kind = iota // one of Option.Values
	Bytes             // a size: 8, 64K, 64KiB, 4MiB; also "auto" if that is the default
	Count             // a whole number, 0 or more
	Text              // anything
)

// An Option declares one setting of a transport. Options are factors of a measurement: all are
// recorded.
type Option struct {
	Name    string
	Kind    Kind
	Default string
	Values  []string // for Word
	// Min and Max bound Bytes and Count, but for the default; without Max only Min does.
	Min, Max int
	Unit     string  // of a Count, such as "milliseconds", for errors
	Help     string  // one line, with the unit
	Local    bool    // it names something of a host, so ranks may have different values
	Search   *Search // how gobench tune finds the best value; nil: it keeps the default
}

// A Search lists the candidate values of an option and the messages with which they are measured.
type Search struct {
	Values []string // candidates, compared with the default
	Sizes  string   // of the messages, as in --sizes
	Memory string   // of their buffers: "heap", "device" or "heap,device"
}

// Options is a validated, immutable set of values, one for every declared option. ParseOptions
// creates it.
type Options struct{ values map[string]string }

// ParseOptions checks set against the declared options and fills in defaults.
// It returns *UnknownError for a name that is not declared and *ValueError for
// a value that does not fit.
func ParseOptions(declared []Option, set map[string]string) (Options, error) {
	values := make(map[string]string, len(declared))
	var names []string
	for _, o := range declared {
		values[o.Name] = o.Default
		names = append(names, o.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if _, ok := values[name]; !ok {
			return Options{}, &UnknownError{What: "option", Name: name, Known: names}
		}
		values[name] = set[name]
	}
	for _, o := range declared {
		if err := o.check(values[o.Name]); err != nil {
			return Options{}, err
		}
	}
	return Options{values}, nil
}

// A ValueError reports a value of an option that does not fit its declaration.
type ValueError struct {
	Option, Value, Want string
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("option %s is %q, want %s", e.Option, e.Value, e.Want)
}

func (o Option) check(value string) error {
	switch o.Kind {
	case Word:
		if !slices.Contains(o.Values, value) {
			return &ValueError{o.Name, value, "one of " + strings.Join(o.Values, ", ")}
		}
	case Bytes:
		if value == auto && o.Default == auto {
			return nil
		}
		n, err := ParseBytes(value)
		if err != nil {
			return &ValueError{o.Name, value, "a size such as 64KiB"}
		}
		o.Unit = "bytes"
		return o.bound(value, n)
	case Count:
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			return &ValueError{o.Name, value, "a whole number"}
		}
		return o.bound(value, int(n))
	}
	return nil
}

// bound checks a number against Min and Max.
func (o Option) bound(value string, n int) error {
	if value == o.Default || n >= o.Min && (o.Max == 0 || n <= o.Max) {
		return nil
	}
	want := fmt.Sprintf("%d to %d", o.Min, o.Max)
	if o.Max == 0 {
		want = fmt.Sprintf("at least %d", o.Min)
	}
	return &ValueError{o.Name, value, strings.TrimRight(want+" "+o.Unit, " ")}
}

// Word returns the value of a Word or Text option.
func (o Options) Word(name string) string { return o.get(name) }

// auto is the value of a Bytes option that the transport chooses.
const auto = "auto"

// Bytes returns the value of a Bytes option, -1 for auto.
func (o Options) Bytes(name string) int {
	if o.get(name) == auto {
		return -1
	}
	n, err := ParseBytes(o.get(name))
	if err != nil {
		panic("device: option " + name + " was not declared as Bytes")
	}
	return n
}

// Count returns the value of a Count option.
func (o Options) Count(name string) int {
	n, err := strconv.Atoi(o.get(name))
	if err != nil {
		panic("device: option " + name + " was not declared as Count")
	}
	return n
}

func (o Options) get(name string) string {
	v, ok := o.values[name]
	if !ok {
		panic("device: option " + name + " was not declared")
	}
	return v
}

// Map returns a copy of all values, for Info.
func (o Options) Map() map[string]string { return maps.Clone(o.values) }

// ParseBytes reads a size: a whole number with an optional binary unit (K, M,
// G, or KiB, MiB, GiB; case does not matter, B alone is allowed). Decimal
// units (KB, MB) are refused, because half of the field's tools mean 1024 by
// them and the other half 1000.
func ParseBytes(s string) (int, error) {
	digits := strings.TrimRight(s, "KMGTkmgtiIbB")
	unit := strings.ToUpper(s[len(digits):])
	shift := 0
	switch unit {
	case "", "B":
	case "K", "KIB":
		shift = 10
	case "M", "MIB":
		shift = 20
	case "G", "GIB":
		shift = 30
	case "KB", "MB", "GB", "TB":
		return 0, fmt.Errorf("size %q has a decimal unit: sizes are binary, write %s", s, digits+unit[:1]+"iB")
	default:
		return 0, fmt.Errorf("size %q has an unknown unit: write a whole number with B, KiB, MiB or GiB", s)
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || n > math.MaxInt>>shift {
		return 0, fmt.Errorf("size %q is not a whole number of bytes such as 8, 64K or 4MiB", s)
	}
	return int(n) << shift, nil
}
