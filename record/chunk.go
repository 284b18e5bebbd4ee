package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gobench/internal/renamed"
)

// chunk decodes one block of lines after the other and holds the rows of the last one. Its memory
// is reused for the next block.
type chunk struct {
	decoder decoder
	buf     []byte
	done    chan struct{} // receives a value when the block is decoded

	points   []Point
	runs     []Run
	launches []Launch
	failures []Failure
	plans    []Plan
	unknown  []string // kinds of rows that were skipped
	altered  int      // rows in which characters were replaced
	rows     int      // over launches, which repeat the points
	err      error    // of the first invalid line; later lines are not decoded
}

// decode decodes a block. name is the name of the file.
func (c *chunk) decode(b block, name string) {
	c.points, c.runs, c.launches, c.failures, c.plans, c.unknown = c.points[:0], c.runs[:0], c.launches[:0], c.failures[:0], c.plans[:0], c.unknown[:0]
	c.altered, c.rows, c.err = 0, 0, nil
	c.decoder.forget()
	number := b.number
	for line := range bytes.Lines(b.lines) {
		if line = trimmed(line); len(line) > 0 {
			if err := c.row(line); err != nil {
				if v, ok := errors.AsType[*VersionError](err); ok {
					v.File, v.Line = name, number
				} else {
					err = noRow(name, number, err)
				}
				c.err = err
				break
			}
		}
		number++
	}
	c.done <- struct{}{}
}

// row decodes one line.
func (c *chunk) row(line []byte) error {
	schema, kind, err := head(line)
	if err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(schema, "gobench/") && schema != Schema:
		return &VersionError{Schema: schema}
	case schema != Schema:
		return fmt.Errorf("it has no schema %s", Schema)
	}
	line, altered := PlainRow(line)
	if altered {
		c.altered++
	}
	switch kind {
	case KindRun:
		return add(&c.runs, func(r *Run) error { return explained(line, c.decoder.run(line, r)) })
	case KindPoint:
		c.points = append(c.points, Point{})
		p := &c.points[len(c.points)-1]
		err := explained(line, c.decoder.point(line, p))
		p.Algorithm = renamed.Algorithm(p.Bench, p.Algorithm)
		if err == nil {
			err = p.validate(c.decoder.fresh())
		}
		if err != nil {
			c.points = c.points[:len(c.points)-1]
		}
		return err
	case KindSummary:
		c.rows++
		return valid(line)
	case KindLaunch:
		return add(&c.launches, func(l *Launch) error { return json.Unmarshal(line, l) })
	case KindFailure:
		return add(&c.failures, func(f *Failure) error { return json.Unmarshal(line, f) })
	case KindPlan:
		return add(&c.plans, func(p *Plan) error { return json.Unmarshal(line, p) })
	case "":
		return errors.New("it has no kind")
	}
	c.unknown = append(c.unknown, kind)
	return valid(line)
}

// add appends a row that decode sets, if it is valid.
func add[T any, P interface {
	*T
	row
}](list *[]T, decode func(P) error) error {
	var one T
	if err := decode(&one); err != nil {
		return err
	}
	if err := P(&one).Validate(); err != nil {
		return err
	}
	*list = append(*list, one)
	return nil
}

// valid returns an error if a row that is not decoded is no JSON.
func valid(line []byte) error {
	return explained(line, split(line, func(_, _ []byte) error { return nil }))
}

// errFound ends the search for the head of a row.
var errFound = errors.New("found")

// head returns the fields that every row has. It reads no farther than these.
func head(line []byte) (schema, kind string, err error) {
	err = split(line, func(name, raw []byte) error {
		var to *string
		switch string(name) {
		case "schema":
			to = &schema
		case "kind":
			to = &kind
		default:
			return nil
		}
		if text, ok := plain(raw); ok {
			*to = string(text)
		} else if err := json.Unmarshal(raw, to); err != nil {
			return err
		}
		if schema != "" && kind != "" {
			return errFound
		}
		return nil
	})
	if err == errFound {
		err = nil
	}
	return schema, kind, explained(line, err)
}

// explained returns the error of encoding/json for text that is no JSON, which contains the
// position, and other errors unchanged.
func explained(line []byte, err error) error {
	if err != errSyntax {
		return err
	}
	var any any
	return cmp.Or(json.Unmarshal(line, &any), err)
}
