package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
)

// csvFields returns the columns before the metrics. Sentences, which contain commas, come last.
func csvFields() []string {
	return slices.DeleteFunc(slices.Clone(pointColumns), func(name string) bool {
		return name == "schema" || name == "kind" || name == "warnings" || name == "histogram" || slices.Contains(sentences, name)
	})
}

// sentences lists the columns between the metrics and the warnings.
var sentences = []string{"route", "method"}

// statistics returns the columns of a metric. Rates have no percentiles.
func statistics(m Metric) []string {
	s := []string{"median", "lo", "hi", "confidence", "n", "n_eff", "within", "mean"}
	if m.Time() {
		s = append(s, "min", "p50", "p90", "p99", "p99_lo", "p99_hi", "p999", "max")
	}
	return s
}

// cell formats one JSON value.
func cell(v any, separator string) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		return strings.Join(collect.Each(v, func(x any) string { return cell(x, separator) }), separator)
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		return strings.Join(collect.Each(names, func(name string) string { return name + "=" + cell(v[name], separator) }), separator)
	}
	return fmt.Sprint(v)
}

// harmless puts an apostrophe before text that a spreadsheet would read as a formula (OWASP, "CSV
// injection"). Numbers may begin with a sign.
func harmless(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return cell
	}
	for word := range strings.FieldsSeq(cell) {
		if _, err := strconv.ParseFloat(word, 64); err != nil {
			return "'" + cell
		}
	}
	return cell
}

// decodeNumbers decodes JSON like json.Unmarshal, but keeps numbers as they are written.
func decodeNumbers(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(v)
}
