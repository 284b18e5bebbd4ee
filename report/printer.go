package report

import (
	"fmt"
	"io"

	"gobench/internal/terminal"
	"gobench/record"
)

// A Form is an output format for results.
type Form string

// Forms.
const (
	Text Form = "text"
	JSON Form = "json" // JSON Lines of runs and points, as in the files
	Rows Form = "rows" // JSON Lines of the rows of tables (record.KindSummary)
	CSV  Form = "csv"

	Markdown Form = "markdown"
)

// A Terminal describes the capabilities of an output. The zero value is a file, a pipe or a log.
type Terminal struct {
	Width  int  // columns, 0 = unlimited
	Height int  // lines, 0 = unknown
	Live   bool // a line may be rewritten in place
	Color  bool
}

// TerminalOf returns the capabilities of w. The variables NO_COLOR and TERM=dumb are obeyed.
func TerminalOf(w io.Writer) Terminal { return Terminal(terminal.Of(w)) }

// A Printer prints results as they are measured. Its methods return errors of the writer.
type Printer interface {
	Run(record.Run) error
	Point(record.Point) error
	End() error
}

// NewPrinter returns a Printer on w. metrics are the keys of all metrics that points can have, for
// the columns of CSV.
func NewPrinter(w io.Writer, t Terminal, f Form, metrics []string) (Printer, error) {
	switch f {
	case JSON:
		return jsonPrinter{record.NewWriter(w)}, nil
	case CSV:
		c, err := record.NewCSV(w, metrics)
		return csvPrinter{c}, err
	case Text:
		return NewTable(w, t), nil
	}
	return nil, fmt.Errorf("there is no form %q of results", f)
}

// Print prints runs and points.
func Print(p Printer, runs []record.Run, points []record.Point) error {
	for _, run := range runs {
		if err := p.Run(run); err != nil {
			return err
		}
	}
	for _, point := range points {
		if err := p.Point(point); err != nil {
			return err
		}
	}
	return nil
}

type jsonPrinter struct{ w *record.Writer }

func (p jsonPrinter) Run(r record.Run) error      { return p.w.WriteRun(&r) }
func (p jsonPrinter) Point(pt record.Point) error { return p.w.WritePoint(&pt) }
func (p jsonPrinter) End() error                  { return p.w.Close() }

// csvPrinter omits runs: CSV has one row for each point.
type csvPrinter struct{ c *record.CSV }

func (csvPrinter) Run(record.Run) error          { return nil }
func (p csvPrinter) Point(pt record.Point) error { return p.c.Write(&pt) }
func (csvPrinter) End() error                    { return nil }
