package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// factors is Point without its methods, so that encoding/json encodes the flat part.
type factors Point

// MarshalJSON returns one flat object: factors, metrics in the order of the catalogue, and extra
// fields by name.
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
		if v, ok := p.Metrics.Lookup(m.Key); ok {
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
