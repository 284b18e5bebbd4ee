package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"gobench/bench"
	"gobench/record"
)

// rows receives the results of rank 0 of a launch. An error ends the launch.
type rows interface {
	Run(record.Run) error
	Point(record.Point) error
	Progress(bench.Progress)
	Line(string)       // progress of an application
	Text(string) error // output of an application
	Stage(name string, resident int64) error
	LeftOut(leftOut) error
}

// leftOut is a cell that a launch has left out, because one event of it would take too long.
type leftOut struct {
	Transport string        `json:"transport"`
	Level     string        `json:"level"`
	Bench     string        `json:"bench"`
	Algorithm string        `json:"algorithm,omitempty"`
	Size      int           `json:"size"`
	Event     time.Duration `json:"event_ns"`
}

// is reports whether the cell is a case over a transport.
func (l leftOut) is(t Transport, c bench.Case) bool {
	return l.same(cellOf(t, c, 0))
}

// same reports whether two are the same cell.
func (l leftOut) same(other leftOut) bool {
	l.Event, other.Event = 0, 0
	return l == other
}

func cellOf(t Transport, c bench.Case, event time.Duration) leftOut {
	l := leftOut{Transport: t.Driver.Name(), Level: t.Level, Bench: c.Bench.Name, Size: c.Size, Event: event}
	if op := c.Bench.Collective; op != nil {
		l.Algorithm = op.Algorithm
	}
	return l
}

// A message is a line from rank 0 to its launching process that is not a record: one JSON object.
type message struct {
	Progress *bench.Progress `json:"progress,omitempty"`
	Line     string          `json:"line,omitempty"`
	Text     string          `json:"text,omitempty"`
	Stage    string          `json:"stage,omitempty"`    // name of the stage that has ended
	Resident int64           `json:"resident,omitempty"` // of Stage: memory of rank 0, bytes
	LeftOut  *leftOut        `json:"left_out,omitempty"`
}

// sender sends rows to the process that launched this rank.
type sender struct {
	w       io.Writer
	records *record.Writer
	live    bool
}

func newSender(w io.Writer, live bool) *sender {
	return &sender{w, record.NewWriter(w), live}
}

func (s *sender) Run(r record.Run) error     { return s.records.WriteRun(&r) }
func (s *sender) Point(p record.Point) error { return s.records.WritePoint(&p) }

func (s *sender) Progress(p bench.Progress) {
	if s.live {
		s.send(message{Progress: &p})
	}
}

func (s *sender) Line(text string) {
	if s.live {
		s.send(message{Line: text})
	}
}

func (s *sender) Text(text string) error { return s.send(message{Text: text}) }

func (s *sender) Stage(name string, resident int64) error {
	return s.send(message{Stage: name, Resident: resident})
}

func (s *sender) LeftOut(l leftOut) error { return s.send(message{LeftOut: &l}) }

func (s *sender) send(m message) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = s.w.Write(append(b, '\n'))
	return err
}

// receiver is the standard output of a launch. It decodes the rows of rank 0.
type receiver struct {
	to   rows
	part []byte
}

func (r *receiver) Write(b []byte) (int, error) {
	r.part = append(r.part, b...)
	for {
		end := bytes.IndexByte(r.part, '\n')
		if end < 0 {
			return len(b), nil
		}
		err := r.row(r.part[:end])
		r.part = append(r.part[:0], r.part[end+1:]...)
		if err != nil {
			return 0, err
		}
	}
}

func (r *receiver) row(line []byte) error {
	var kind struct {
		Kind string `json:"kind"`
		message
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return fmt.Errorf("rank 0 sent an invalid row: %w", err)
	}
	switch {
	case kind.Kind == record.KindRun:
		var run record.Run
		if err := json.Unmarshal(line, &run); err != nil {
			return err
		}
		return r.to.Run(run)
	case kind.Kind == record.KindPoint:
		var p record.Point
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		return r.to.Point(p)
	case kind.Stage != "":
		return r.to.Stage(kind.Stage, kind.Resident)
	case kind.LeftOut != nil:
		return r.to.LeftOut(*kind.LeftOut)
	case kind.Text != "":
		return r.to.Text(kind.Text)
	case kind.Progress != nil:
		r.to.Progress(*kind.Progress)
	default:
		r.to.Line(kind.Line)
	}
	return nil
}
