package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// UnmarshalJSON is the inverse of MarshalJSON. Fields that are neither factors nor metrics of the
// catalogue go to Extra.
func (p *Point) UnmarshalJSON(b []byte) error {
	var d decoder
	return d.point(b, p)
}

// decoder decodes points one after the other. Rows resemble the ones before them, so a point begins
// as a copy of the last one, and only members with other text are decoded. Points share equal
// strings, options, cores and warnings, so that a file of 100,000 points fits into memory.
type decoder struct {
	words   map[string]string
	options decoded[optionSet]
	found   decoded[map[string]string]
	cores   decoded[[]int]
	facts   decoded[any] // of programs and hosts
	hosts   map[string]map[string]any

	last    Point // as its row has it, without metrics and extra fields
	members differ
	metrics Values // of the point that is read
	values  valuesBlock
	held    []bool // the fields of the last point that its row has
	seen    []bool // the fields of the point that have been read
	other   []bool // the fields in which the point differs from the last one
	second  bool   // a point was decoded before
}

// forget ends the resemblance: the memory of the last row is used for another one.
func (d *decoder) forget() { d.members.before = d.members.before[:0] }

// fresh marks the fields in which the point differs from the one before, nil = there is none. That
// was valid, because nothing is decoded behind a row that is not.
func (d *decoder) fresh() []bool {
	if !d.second {
		d.second = true
		return nil
	}
	return d.other
}

// point decodes valid JSON. A repeated field is an error, because readers of JSON differ in which
// value they use.
func (d *decoder) point(b []byte, p *Point) error {
	if d.seen == nil {
		n := reflect.TypeFor[Point]().NumField()
		d.held, d.seen, d.other = make([]bool, n), make([]bool, n), make([]bool, n)
	}
	clear(d.seen)
	clear(d.other)
	d.metrics = Values{packed: d.metrics.packed[:0]}
	*p = d.last
	fields := reflect.ValueOf(p).Elem()
	if err := d.members.each(b, func(m *member, value []byte, same bool) error {
		switch {
		case m.metric != "" && d.metrics.Has(m.metric), m.field >= 0 && d.seen[m.field]:
			return fmt.Errorf("field %q occurs twice", m.key)
		case m.metric != "":
			v, err := d.members.metric, error(nil)
			if same || !d.members.usual {
				v, err = decodeValue(value)
			}
			if err != nil {
				return fmt.Errorf("metric %s: %w", m.metric, err)
			}
			d.metrics.put(m.metric, v)
		case m.field < 0:
			if p.Extra == nil {
				p.Extra = make(map[string]json.RawMessage)
			}
			p.Extra[m.key] = bytes.Clone(value)
		default:
			d.seen[m.field] = true
			if same && !shared[m.field] {
				return nil
			}
			d.other[m.field] = true
			return d.field(p, m.key, fields.Field(m.field), value)
		}
		return nil
	}); err != nil {
		return err
	}
	for i, held := range d.held {
		if held && !d.seen[i] {
			d.other[i] = true
			fields.Field(i).SetZero()
		}
	}
	d.last = *p
	d.last.Extra, d.last.Options, d.last.Found = nil, nil, nil
	p.Metrics = d.values.keep(d.metrics)
	d.held, d.seen = d.seen, d.held
	p.upgrade()
	return nil
}

// shared marks the fields that options and found have in common (see optionSet).
var shared = map[int]bool{pointFields["options"]: true, pointFields["found"]: true}

// upgrade converts a point of an earlier version, in which FDTD had a class composed of its
// parameters.
func (p *Point) upgrade() {
	class := p.Class
	if p.Class = ""; class != p.Problem() {
		p.Class = class
	}
}

// field decodes one factor. Values in a form that this version does not write are decoded by
// encoding/json, which reports errors.
func (d *decoder) field(p *Point, name string, to reflect.Value, raw []byte) (err error) {
	ok := false
	switch v := to.Addr().Interface().(type) {
	case *string:
		var text []byte
		if text, ok = plain(raw); ok {
			*v = d.word(text)
		}
	case *int:
		*v, err = strconv.Atoi(string(raw))
		ok = err == nil
	case *int64:
		*v, err = strconv.ParseInt(string(raw), 10, 64)
		ok = err == nil
	case *float64:
		*v, err = strconv.ParseFloat(string(raw), 64)
		ok = err == nil
	case *time.Time:
		ok = v.UnmarshalJSON(raw) == nil
	case *[]int:
		*v, err = d.cores.of(raw)
		ok = err == nil
	case *map[string]string:
		if v == &p.Found {
			*v, err = d.found.of(raw)
		} else {
			var set optionSet
			if set, err = d.options.of(raw); set.found != nil {
				p.Found = set.found
			}
			*v = set.options
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	case *[]string:
		*v, ok = d.texts(raw)
	}
	if ok {
		return nil
	}
	to.SetZero()
	return json.Unmarshal(fmt.Appendf(nil, `{"%s":%s}`, name, raw), (*factors)(p)) // names of fields need no escapes
}

// texts returns the strings of an array. ok is false if it contains anything else, or escapes.
func (d *decoder) texts(array []byte) (list []string, ok bool) {
	s := splitter{b: array}
	if s.peek() != '[' {
		return nil, false
	}
	s.at++
	if s.skipSpace(); s.peek() == ']' {
		return []string{}, true
	}
	for {
		s.skipSpace()
		from := s.at
		if !s.text() {
			return nil, false
		}
		text, ok := plain(array[from:s.at])
		if !ok {
			return nil, false
		}
		list = append(list, d.word(text))
		if s.after(']') == end {
			return slices.Clip(list), true
		}
	}
}

// An optionSet is the value of the field "options". In earlier versions it contains the sizes of
// buffers that the kernel chose, which belong to "found".
type optionSet struct{ options, found map[string]string }

func (o *optionSet) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &o.options); err != nil {
		return err
	}
	for _, name := range []string{"sndbuf_kernel", "rcvbuf_kernel"} {
		if value, ok := o.options[name]; ok {
			if o.found == nil {
				o.found = map[string]string{}
			}
			o.found[name] = value
			delete(o.options, name)
		}
	}
	return nil
}

// maxWords bounds the number of interned strings.
const maxWords = 4096

// word interns text: it returns the same memory for equal text.
func (d *decoder) word(b []byte) string {
	if same, ok := d.words[string(b)]; ok {
		return same
	}
	if d.words == nil {
		d.words = map[string]string{}
	}
	s := string(b)
	if len(d.words) < maxWords {
		d.words[s] = s
	}
	return s
}

// maxDecoded bounds the number of values that a decoded keeps.
const maxDecoded = 256

// decoded caches decoded values by their text. If text occurs again, the value is reused.
type decoded[T any] struct {
	raw    []byte // the last one, which occurs most
	value  T
	values map[string]T
}

func (d *decoded[T]) of(raw []byte) (T, error) {
	if d.raw != nil && bytes.Equal(raw, d.raw) {
		return d.value, nil
	}
	v, ok := d.values[string(raw)]
	if !ok {
		if err := json.Unmarshal(raw, &v); err != nil {
			return v, err
		}
		if d.values == nil {
			d.values = map[string]T{}
		}
		if len(d.values) < maxDecoded {
			d.values[string(raw)] = v
		}
	}
	d.raw, d.value = append(d.raw[:0], raw...), v
	return v, nil
}

// decodeValue decodes a metric. Values in a form that this version does not write are decoded by
// encoding/json.
func decodeValue(raw []byte) (Value, error) {
	s := splitter{b: raw}
	if v, ok := s.metric(); ok && s.at == len(raw) {
		return v, nil
	}
	var v Value
	err := json.Unmarshal(raw, &v)
	return v, err
}

// metric decodes a metric in the form that this version writes, without white space.
func (s *splitter) metric() (v Value, ok bool) {
	if s.peek() != '{' {
		return v, false
	}
	for {
		s.at++
		from := s.at
		if !s.text() || s.peek() != ':' {
			return v, false
		}
		name := s.b[from+1 : s.at-1]
		s.at++
		from = s.at
		var err error
		if to := v.field(name); to != nil {
			if ok = s.number(); ok {
				*to, err = strconv.ParseFloat(string(s.b[from:s.at]), 64)
			}
		} else if string(name) == "statistic" {
			var text []byte
			if ok = s.text(); ok {
				text, ok = plain(s.b[from:s.at])
				v.Statistic = string(text)
			}
		} else if to := v.count(name); to != nil {
			if ok = s.number(); ok {
				*to, err = strconv.Atoi(string(s.b[from:s.at]))
			}
		} else {
			return v, false
		}
		if !ok || err != nil {
			return v, false
		}
		switch s.peek() {
		case '}':
			s.at++
			return v, true
		case ',':
		default:
			return v, false
		}
	}
}

// count returns the number with a name, nil if there is none.
func (v *Value) count(name []byte) *int {
	switch string(name) {
	case "n":
		return &v.N
	case "n_eff":
		return &v.EffectiveN
	}
	return nil
}

// field returns the statistic with a name, nil if there is none.
func (v *Value) field(name []byte) *float64 {
	switch string(name) {
	case "median":
		return &v.Median
	case "mean":
		return &v.Mean
	case "lo":
		return &v.Lo
	case "hi":
		return &v.Hi
	case "confidence":
		return &v.Confidence
	case "min":
		return &v.Min
	case "p50":
		return &v.P50
	case "p90":
		return &v.P90
	case "p99":
		return &v.P99
	case "p99_lo":
		return &v.P99Lo
	case "p99_hi":
		return &v.P99Hi
	case "p999":
		return &v.P999
	case "max":
		return &v.Max
	case "within":
		return &v.Within
	}
	return nil
}
