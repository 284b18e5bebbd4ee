package application

import (
	"encoding/json"
	"fmt"
	"maps"

	"gobench/record"
	"gobench/stats"
)

// Names of the fields of a point that hold objects.
const (
	SplitField    = "phases_s"
	MessagesField = "messages"
	WaitedField   = "waited_s"
)

// VerifiedField is the name of the field with the number of verified runs. It counts all runs,
// because a wrong one ends the measurement without a point.
const VerifiedField = "verified"

// Record sets the metrics (run_s and metric), warnings and extra fields of a point.
func (m *Measured) Record(p *record.Point, metric string) error {
	times, rates := stats.Summarize(m.Seconds), stats.Summarize(m.Rates)
	rate := record.Times(rates, true)
	p.Iterations, p.Sampling = int64(len(m.Seconds)), "exact"
	p.Metrics = record.ValuesOf(map[string]record.Value{"run_s": record.Times(times, false), metric: rate})
	for key, values := range m.Others {
		p.Metrics.Set(key, record.Times(stats.Summarize(values), true))
	}
	p.Warnings = append(p.Warnings, m.Warnings...)
	if times.Lo != 0 { // without an interval N shows that there were too few runs
		p.Warnings = append(p.Warnings, times.Warnings...)
	}
	if p.Extra == nil {
		p.Extra = map[string]json.RawMessage{}
	}
	fields := map[string]any{SplitField: m.Split, MessagesField: m.Traffic, VerifiedField: len(m.Seconds)}
	if m.Waited != nil {
		fields[WaitedField] = m.Waited
	}
	maps.Copy(fields, m.Facts)
	for name, value := range fields {
		b, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		p.Extra[name] = b
	}
	return nil
}
