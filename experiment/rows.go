package experiment

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"

	"gobench/bench"
	"gobench/record"
)

// A Sink receives the results of an experiment as they are measured: of each launch the run, before
// its points, and then points and events. An error ends the experiment after the launch under way.
type Sink interface {
	Run(record.Run) error
	bench.Sink
}

// A message is a line from rank 0 to its launching process that is not a record: one JSON object.
type message struct {
	Event *bench.Event `json:"event"`
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

func (s *sender) Run(r record.Run) error     { return ofPipe(s.records.WriteRun(&r)) }
func (s *sender) Point(p record.Point) error { return ofPipe(s.records.WritePoint(&p)) }

// ofPipe returns the error of sending a row. The launching process closes the pipe after an error,
// which it prints itself.
func ofPipe(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return errElsewhere
	}
	return err
}

// Event implements Sink. What is of interest only while it happens is not sent unless somebody
// watches.
func (s *sender) Event(e bench.Event) error {
	if e.Passing() && !s.live {
		return nil
	}
	b, err := json.Marshal(message{&e})
	if err != nil {
		return err
	}
	_, err = s.w.Write(append(b, '\n'))
	return ofPipe(err)
}

// receiver is the standard output of a launch. It decodes the rows of rank 0.
type receiver struct {
	to   Sink
	part []byte
	err  error // the first one, of to or about a row
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
		if r.err = cmp.Or(r.err, err); err != nil {
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
	case kind.Event != nil:
		return r.to.Event(*kind.Event)
	}
	return fmt.Errorf("rank 0 sent a row of kind %q, which has no meaning here", kind.Kind)
}
