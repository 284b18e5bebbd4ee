package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// UnmarshalJSON is the inverse of MarshalJSON. Fields that are neither factors nor
// metrics of the catalogue go to Extra.
func (p *Point) UnmarshalJSON(b []byte) error {
	var d decoder
	return d.point(b, p)
}

// decoder decodes points one after the other. Points share what they have in common, so
// that a file of 100,000 of them fits into memory.
type decoder struct {
	known   bytes.Buffer // the factors of a point, as an object
	raw     []byte       // options of the point before
	options map[string]string
	words   map[string]string
}

// point decodes valid JSON.
func (d *decoder) point(b []byte, p *Point) error {
	d.known.Reset()
	d.known.WriteByte('{')
	var metrics map[string]Value
	var extra map[string]json.RawMessage
	var options []byte
	err := split(b, func(name string, raw []byte) error {
		switch {
		case name == "options":
			options = raw
			return nil
		case pointFields[name]:
			if d.known.Len() > 1 {
				d.known.WriteByte(',')
			}
			d.known.WriteByte('"')
			d.known.WriteString(name) // names of fields need no escapes
			d.known.WriteString(`":`)
			d.known.Write(raw)
			return nil
		}
		// encoding/json takes fields in any case; two spellings of one would
		// contradict each other.
		if exact, ok := pointFolded[strings.ToLower(name)]; ok {
			return fmt.Errorf("field %q is spelled %q", name, exact)
		}
		if metricKeys[name] {
			v, err := decodeValue(raw)
			if err != nil {
				return fmt.Errorf("metric %s: %w", name, err)
			}
			if metrics == nil {
				metrics = make(map[string]Value)
			}
			metrics[name] = v
			return nil
		}
		if extra == nil {
			extra = make(map[string]json.RawMessage)
		}
		extra[name] = bytes.Clone(raw)
		return nil
	})
	if err != nil {
		return err
	}
	d.known.WriteByte('}')
	var f factors
	if err := json.Unmarshal(d.known.Bytes(), &f); err != nil {
		return err
	}
	if f.Options, err = d.shared(options); err != nil {
		return err
	}
	for _, text := range []*string{&f.Schema, &f.Kind, &f.Run, &f.Bench, &f.Library, &f.Transport, &f.Level, &f.RankKind, &f.Path, &f.Cache, &f.Memory,
		&f.Algorithm, &f.Root, &f.Start, &f.Skew, &f.Sampling, &f.Stopped, &f.ClockSync, &f.Method} {
		*text = d.word(*text)
	}
	f.Metrics, f.Extra = metrics, extra
	*p = Point(f)
	return nil
}

// mostWords bounds the words that are kept.
const mostWords = 4096

// word returns the same memory for the same text.
func (d *decoder) word(s string) string {
	if same, ok := d.words[s]; ok {
		return same
	}
	if d.words == nil {
		d.words = map[string]string{}
	}
	if len(d.words) < mostWords {
		d.words[s] = s
	}
	return s
}

// shared decodes options, or returns those of the point before.
func (d *decoder) shared(raw []byte) (map[string]string, error) {
	if raw == nil {
		return nil, nil
	}
	if d.raw != nil && bytes.Equal(raw, d.raw) {
		return d.options, nil
	}
	var options map[string]string
	if err := json.Unmarshal(raw, &options); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	d.raw, d.options = append(d.raw[:0], raw...), options
	return options, nil
}

// metricKeys are those of the catalogue.
var metricKeys = maps.Collect(func(yield func(string, bool) bool) {
	for _, m := range Metrics {
		if !yield(m.Key, true) {
			return
		}
	}
})

// decodeValue decodes a metric. What is not as this version writes it is left
// to encoding/json.
func decodeValue(raw []byte) (Value, error) {
	var v Value
	plain := true
	err := split(raw, func(name string, raw []byte) error {
		if to := v.field(name); to != nil {
			x, err := strconv.ParseFloat(string(raw), 64)
			*to = x
			plain = plain && err == nil
			return nil
		}
		n, err := strconv.Atoi(string(raw))
		plain = plain && err == nil
		switch name {
		case "n":
			v.N = n
		case "n_eff":
			v.EffectiveN = n
		default:
			plain = false
		}
		return nil
	})
	if err == nil && plain {
		return v, nil
	}
	v = Value{}
	return v, json.Unmarshal(raw, &v)
}

// field returns the number of that name, nil where it is none.
func (v *Value) field(name string) *float64 {
	switch name {
	case "median":
		return &v.Median
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
	case "p999":
		return &v.P999
	case "max":
		return &v.Max
	}
	return nil
}
