package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"

	"gobench/bench"
	"gobench/bench/record"
	"gobench/cmd/gobench/child"
	"gobench/comm/coll"
	"gobench/internal/terminal"
	"gobench/launch/host"
	"gobench/report"
)

// output is where rank 0 puts what was measured: rows on standard output, for
// people or as JSON or CSV, and records in the file. It is the bench.Sink of
// all transports of a run.
//
// A file that cannot be written (a full disk) does not end the run: the rows
// still stand on standard output. A reader of standard output who has left
// ends it.
type output struct {
	request *Request
	stdout  io.Writer
	stderr  io.Writer
	printer report.Printer
	live    live
	file    *record.Writer
	path    string

	run     record.Run
	placed  host.Placement
	started bool
	points  int
	lost    LostError
}

func (r *Request) newOutput(ctx context.Context, stdout, stderr io.Writer) (*output, error) {
	o := &output{request: r, stdout: stdout, stderr: stderr, path: r.file(), lost: LostError{File: r.file()}}
	t := terminal.Of(stdout)
	var err error
	if o.printer, err = report.NewPrinter(stdout, t, r.Form, r.metrics()); err != nil {
		return nil, err
	}
	if o.file, err = record.OpenContext(ctx, o.path); err != nil {
		return nil, err
	}
	for _, w := range o.file.Warnings() {
		fmt.Fprintf(stderr, "gobench: %s\n", w)
	}
	if r.Form == report.Text {
		o.live = live{w: stdout, terminal: t}
	}
	return o, nil
}

// metrics are the keys of all metrics that the points can have.
func (r *Request) metrics() []string {
	keys := []string{"bandwidth_Bps"}
	if r.Cells != nil {
		keys = []string{"run_s", "speedup", "efficiency"}
		for _, c := range r.Cells {
			keys = append(keys, c.Program.Metric)
		}
	}
	for _, c := range r.Plan.Cells {
		keys = append(keys, c.Bench.Metric)
		if c.Bench.Rate {
			keys = append(keys, "message_rate_per_s")
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// begin takes the facts that are known before the first transport is open, and how the ranks
// are placed.
func (o *output) begin(run record.Run, placed host.Placement) { o.run, o.placed = run, placed }

// Started implements bench.Sink. It is called for every transport; the run is
// the same.
func (o *output) Started(ranks []bench.RankFacts) error {
	if o.started {
		return nil
	}
	o.started = true
	for _, f := range ranks {
		o.run.Clocks = append(o.run.Clocks, f.Clock)
		if f.Noise != nil {
			o.run.Noise = append(o.run.Noise, *f.Noise)
		}
	}
	if w := disturbed(o.run.Noise, hypervisor(&o.run)); w != "" && !o.placed.Shared { // else they disturb each other
		o.run.Warnings = append(o.run.Warnings, w)
	}
	o.keep(o.file.WriteRun(&o.run))
	return o.read(o.printer.Run(o.run))
}

// Progress implements bench.Sink.
func (o *output) Progress(p bench.Progress) { o.live.show(p) }

// Point implements bench.Sink.
func (o *output) Point(p record.Point) error {
	p.Seed = o.request.Seed
	p.Launch, p.Block = child.Replicate()
	if p.Algorithm != "" && o.request.Coll.Check == coll.CheckStrict {
		p.Check = strict
	}
	if f := o.request.Fault.String(); f != "" {
		p.Warnings = append(p.Warnings, f) // no reader may take it for a result
	}
	o.live.clear()
	o.points++
	err := o.file.WritePoint(&p)
	var impossible *record.InvalidError
	if errors.As(err, &impossible) {
		return err // a number that cannot be is not printed either
	}
	o.keep(err)
	return o.read(o.printer.Point(p))
}

// keep counts a record, and tells of the first one that could not be written,
// at once, because somebody may be able to make room.
func (o *output) keep(err error) {
	o.lost.Of++
	if err == nil {
		return
	}
	o.lost.Rows++
	if o.lost.Err == nil {
		o.lost.Err = err
		fmt.Fprintf(o.stderr, "gobench: %v; measuring goes on\n", err)
	}
}

// read makes what went wrong with standard output an error that ends the run.
func (o *output) read(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return errGone
	}
	return err
}

// end closes everything after the run has ended with err, and returns what
// rank 0 has to say.
func (o *output) end(err error) error {
	o.live.clear()
	if e := o.read(o.printer.End()); err == nil {
		err = e
	}
	if e := o.file.Close(); e != nil && o.lost.Err == nil {
		o.lost.Rows, o.lost.Err = o.lost.Of, e
	}
	if errors.Is(err, bench.ErrInterrupted) {
		all := (len(o.request.Plan.Cells) + len(o.request.Cells)) * len(o.request.Transports)
		err = &interruptedError{o.points, all, o.path}
	}
	switch {
	case o.lost.Err == nil:
		return err
	case err == nil:
		return &o.lost
	default:
		return fmt.Errorf("%w; %w", err, &o.lost)
	}
}
