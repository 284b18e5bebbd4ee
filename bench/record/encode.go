package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// factors is Point without its methods, so that encoding/json does the flat
// part.
type factors Point

// MarshalJSON writes factors, metrics in the order of the catalogue, and
// extra fields by name, all in one flat object.
func (p Point) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(factors(p))
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(bytes.TrimSuffix(b, []byte("}")))
	field := func(name string, value any) error {
		v, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		key, err := json.Marshal(name) // %q would write escapes that JSON lacks
		if err != nil {
			return err
		}
		fmt.Fprintf(out, ",%s:%s", key, v)
		return nil
	}
	for _, m := range Metrics {
		if v, ok := p.Metrics[m.Key]; ok {
			if err := field(m.Key, v); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Extra)) {
		if err := field(name, p.Extra[name]); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON is the inverse of MarshalJSON. Fields that are neither factors nor
// metrics of the catalogue go to Extra.
func (p *Point) UnmarshalJSON(b []byte) error {
	var f factors
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for name, raw := range all {
		if pointFields[name] {
			continue
		}
		// encoding/json takes fields in any case; two spellings of one would
		// contradict each other.
		if exact, ok := pointFolded[strings.ToLower(name)]; ok {
			return fmt.Errorf("field %q is spelled %q", name, exact)
		}
		if m, ok := Lookup(name); ok && m.Key == name {
			var v Value
			if err := json.Unmarshal(raw, &v); err != nil {
				return fmt.Errorf("metric %s: %w", name, err)
			}
			if f.Metrics == nil {
				f.Metrics = make(map[string]Value)
			}
			f.Metrics[name] = v
			continue
		}
		if f.Extra == nil {
			f.Extra = make(map[string]json.RawMessage)
		}
		f.Extra[name] = raw
	}
	*p = Point(f)
	return nil
}
