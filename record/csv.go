package record

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"gobench/internal/collect"
)

// CSV writes points as RFC 4180: one header, one tidy row per point. The columns are the fields of
// a point by their JSON names in the order of SCHEMA.md (without schema, kind, histogram and
// warnings), then the statistics of the chosen metrics in the order of the catalogue
// (half_rtt_s_median, ...), then the sentences route, method and warnings. Absent values are empty
// cells. Options ("name=value") and cores are separated by one space, warnings by "; ". Text that a
// spreadsheet would read as a formula gets an apostrophe in front.
type CSV struct {
	out     *csv.Writer
	metrics []Metric
	headed  bool
}

// NewCSV returns a CSV of the metrics with the given keys. The columns depend on nothing else.
func NewCSV(w io.Writer, keys []string) (*CSV, error) {
	c := &CSV{out: csv.NewWriter(w)}
	c.out.UseCRLF = true
	for _, key := range keys {
		if m, ok := Lookup(key); !ok || m.Key != key {
			return nil, fmt.Errorf("unknown metric %q", key)
		}
	}
	for _, m := range Metrics {
		if slices.Contains(keys, m.Key) {
			c.metrics = append(c.metrics, m)
		}
	}
	return c, nil
}

// Write writes one point, and the header before the first.
func (c *CSV) Write(p *Point) error {
	if err := c.header(); err != nil {
		return err
	}
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	var fields map[string]any
	if err := decodeNumbers(b, &fields); err != nil {
		return err
	}
	text := func(name string) string { return harmless(cell(fields[name], " ")) }
	row := collect.Each(csvFields(), text)
	for _, m := range c.metrics {
		value, _ := fields[m.Key].(map[string]any) // nil = it has no such metric
		for _, s := range statistics(m) {
			row = append(row, cell(value[s], ""))
		}
	}
	row = append(row, collect.Each(sentences, text)...)
	return c.write(append(row, harmless(strings.Join(p.Warnings, "; "))))
}

func (c *CSV) header() error {
	if c.headed {
		return nil
	}
	c.headed = true
	row := csvFields()
	for _, m := range c.metrics {
		row = append(row, collect.Each(statistics(m), func(s string) string { return m.Key + "_" + s })...)
	}
	row = append(row, sentences...)
	return c.write(append(row, "warnings"))
}

func (c *CSV) write(row []string) error {
	if err := c.out.Write(row); err != nil {
		return &WriteError{Err: err}
	}
	c.out.Flush()
	if err := c.out.Error(); err != nil {
		return &WriteError{Err: err, Torn: true}
	}
	return nil
}
