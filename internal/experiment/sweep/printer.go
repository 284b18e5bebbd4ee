package sweep

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/report/comparison"
	"gobench/internal/terminal"
	"gobench/record"
	"gobench/report"
)

// A Printer is an Observer that prints the progress of a sweep and its results as text, or the
// records of its launches as JSON or CSV.
type Printer struct {
	Form           report.Form
	Stdout, Stderr io.Writer
	Quiet          bool           // no facts, no progress and no remarks
	records        report.Printer // nil before the first record, and in the form Text
	shown          bool           // the progress, on a terminal
}

// Line implements Observer.
func (p *Printer) Line(name, text string) {
	p.erase()
	if p.Form == report.Text && !p.Quiet {
		fmt.Fprint(p.Stdout, terminal.Hang(fmt.Sprintf("# %-8s ", name), text, terminal.Of(p.Stdout).Width))
	}
}

// Progress implements Observer: one line that is written again, or a line for each launch
// where standard error is no terminal.
func (p *Printer) Progress(text string) {
	t := terminal.Of(p.Stderr)
	if p.Quiet {
		return
	}
	if !t.Live {
		fmt.Fprintln(p.Stderr, "gobench: "+text)
		return
	}
	p.erase()
	fmt.Fprint(p.Stderr, terminal.Snip(text, t.Width-1))
	p.shown = true
}

// erase removes the line of the progress from the terminal.
func (p *Printer) erase() {
	if p.shown {
		fmt.Fprint(p.Stderr, "\r\x1b[2K")
		p.shown = false
	}
}

// Warning implements Observer.
func (p *Printer) Warning(text string) {
	p.erase()
	fmt.Fprintln(p.Stderr, "gobench: "+text)
}

// Records implements Observer.
func (p *Printer) Records(rows *record.File) error {
	if p.Form == report.Text {
		return nil
	}
	if p.records == nil {
		keys := collect.Each(record.Metrics, func(m record.Metric) string { return m.Key })
		var err error
		if p.records, err = report.NewPrinter(p.Stdout, report.TerminalOf(p.Stdout), p.Form, keys); err != nil {
			return err
		}
	}
	return report.Print(p.records, rows.Runs, rows.Points)
}

// Unwritten implements Observer.
func (p *Printer) Unwritten(rows *record.File) error {
	p.erase()
	if p.Form != report.Text {
		return p.Records(rows)
	}
	return report.Output{W: p.Stdout, Remarks: p.Stderr, Terminal: report.TerminalOf(p.Stdout), Form: report.Text}.Print(rows)
}

// maxLines is the greatest length of the comparison and of the tables that a sweep ends with.
const maxLines = 100

// Results implements Observer: it prints the comparison that the plan asks for, if it varies
// something else than the transport, and the tables of the plan, or where they are if they are
// long.
func (p *Printer) Results(file, plan, factor, base string) error {
	p.erase()
	if p.Form != report.Text {
		return nil
	}
	screen := report.TerminalOf(p.Stdout)
	screen.Height = cmp.Or(screen.Height, report.UsualHeight) - 2 // what to do next is below
	if factor != byTransport {
		verdicts, err := comparisonOf(file, plan, factor, base, screen)
		// An error means that there is nothing to compare, or too little: the tables show that.
		if err == nil && bytes.Count(verdicts, []byte("\n")) <= maxLines {
			if _, err := p.Stdout.Write(append(verdicts, '\n')); err != nil {
				return err
			}
			if screen.Width > 0 { // the answer stays on the screen
				p.Line("tables", "gobench show "+file)
				return nil
			}
		}
	}
	remarks := p.Stderr
	if p.Quiet {
		remarks = io.Discard
	}
	var tables bytes.Buffer
	only := report.Selection{Selection: record.Selection{Series: plan}}
	if err := report.Show(report.Output{W: &tables, Remarks: remarks, Terminal: screen, Form: report.Text}, []string{file}, only, nil); err != nil {
		return err
	}
	if n := bytes.Count(tables.Bytes(), []byte("\n")); n > maxLines && !p.Quiet {
		p.Line("results", fmt.Sprintf("%d lines of tables: gobench show %s", n, file))
		return nil
	}
	_, err := p.Stdout.Write(tables.Bytes())
	return err
}

// comparisonOf returns the table of a comparison of the values of a factor of a plan. The warnings
// about the file are left to report.Show.
func comparisonOf(file, plan, factor, base string, t report.Terminal) ([]byte, error) {
	options := compare.Options{By: factor, Base: base}
	sources, _, err := compare.Load([]string{file}, options)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		if err := (&record.Selection{Series: plan}).Apply(s.File); err != nil {
			return nil, err
		}
	}
	result, err := compare.Compare(sources, options)
	if err != nil {
		return nil, err
	}
	if nothing := result.Nothing(); nothing != "" {
		return nil, errors.New(nothing)
	}
	var table bytes.Buffer
	err = comparison.Text(&table, t, result, report.View{Records: file})
	return table.Bytes(), err
}

// End ends the records that are printed.
func (p *Printer) End() error {
	if p.records == nil {
		return nil
	}
	return p.records.End()
}
