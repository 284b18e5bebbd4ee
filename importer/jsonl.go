package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gobench/record"
)

var jsonlFormat = format{
	name: "jsonl", tables: true, read: importJSONL,
	banners: []pattern{match(`\{.*"kind"\s*:\s*"(?:point|run)"`)},
}

// errRecords is the error of a file of records.
var errRecords = errors.New("the row is a run of gobench: records can be shown and compared without an import")

// importJSONL reads rows of kind "point" (record/SCHEMA.md), which a program may print among
// other lines. A row needs the benchmark and a metric. Missing fields are taken from Given or have
// defaults: level comm, processes as ranks, and the N of the metric as the number of iterations. A
// row may name its library.
func importJSONL(l *log) error {
	return l.each(func(line string) error {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "{") {
			return nil // for example a line of a launcher
		}
		plain, altered := record.PlainRow([]byte(line))
		if altered {
			l.warn("control characters in the text of rows are replaced")
		}
		var of struct{ Kind string }
		if json.Unmarshal(plain, &of) == nil && of.Kind == record.KindRun {
			// An import would lose its facts and rename its library.
			return &record.FileError{Path: l.name, Line: l.number(), Err: errRecords}
		}
		var p record.Point
		if err := json.Unmarshal(plain, &p); err != nil {
			return l.leaveOut("the row is incomplete or not JSON: %v", err)
		}
		if p.Kind != record.KindPoint {
			return nil
		}
		defaults := l.point(p.Bench, cmp.Or(p.Transport, "unknown"), "comm", p.Ranks)
		p.Ranks, p.Transport = defaults.Ranks, defaults.Transport
		p.Schema, p.Extra = record.Schema, nil
		p.Level = cmp.Or(p.Level, defaults.Level)
		p.RankKind = cmp.Or(p.RankKind, defaults.RankKind)
		p.Iterations = cmp.Or(p.Iterations, int64(p.Metrics.Get(record.TimeKey(p.Metrics)).N))
		return l.add(p)
	})
}

// object decodes the JSON object of the program.
func (l *log) object(into any) error {
	data, err := json.Marshal(l.doc)
	if err != nil {
		return err
	}
	return fieldsOf(data, into)
}

// fieldsOf decodes JSON without control characters in its text.
func fieldsOf(data []byte, into any) error {
	plain, _ := record.PlainRow(data)
	if err := json.Unmarshal(plain, into); err != nil {
		return fmt.Errorf("the JSON is not as expected: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}
