package record

import (
	"encoding/json"
	"io"
)

// A Writer writes rows as JSON Lines. Each row is passed to the kernel with one write, so that a
// killed process does not lose finished rows. Close writes them to the disk: only a crash of the
// machine can lose rows of the current run.
//
// A row that cannot be written in full is removed again if the output is a regular file. Writing
// may be tried again after an error.
type Writer struct {
	out      io.Writer
	file     *appendFile // nil for a stream
	warnings []string
}

// NewWriter returns a Writer to a stream, such as standard output.
func NewWriter(w io.Writer) *Writer { return &Writer{out: w} }

// Warnings returns caveats about the file that Open found, one sentence each.
func (w *Writer) Warnings() []string { return w.warnings }

// WriteRun writes a row of kind "run". It sets Schema and Kind.
func (w *Writer) WriteRun(r *Run) error {
	r.Schema, r.Kind = Schema, KindRun
	return w.rows(r)
}

// WritePoint writes a row of kind "point". It sets Schema and Kind.
func (w *Writer) WritePoint(p *Point) error {
	p.Schema, p.Kind = Schema, KindPoint
	return w.rows(p)
}

// WriteSummary writes a row of kind "summary" of p.Launches launches. It sets Schema and Kind.
func (w *Writer) WriteSummary(p *Point) error {
	p.Schema, p.Kind = Schema, KindSummary
	return w.rows(p)
}

// WriteSummaries writes rows of kind "summary" up to the first error.
func (w *Writer) WriteSummaries(rows []Point) error {
	for i := range rows {
		if err := w.WriteSummary(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// WriteAll writes a run and its points: all of them, or none if the output is a regular file.
func (w *Writer) WriteAll(r *Run, points []Point) error {
	r.Schema, r.Kind = Schema, KindRun
	all := []row{r}
	for i := range points {
		points[i].Schema, points[i].Kind = Schema, KindPoint
		all = append(all, &points[i])
	}
	return w.rows(all...)
}

// A row is what a line of a file holds.
type row interface {
	// Validate returns an *InvalidError if the row breaks an invariant of the schema.
	Validate() error
}

// rows writes valid rows with one write.
func (w *Writer) rows(all ...row) error {
	var b []byte
	for _, r := range all {
		if err := r.Validate(); err != nil {
			return err
		}
		line, err := json.Marshal(r)
		if err != nil {
			return &WriteError{Path: w.path(), Err: err}
		}
		b = append(append(b, line...), '\n')
	}
	if w.file != nil {
		return w.file.append(b)
	}
	n, err := w.out.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return &WriteError{Err: err, Torn: n > 0}
	}
	return nil
}

func (w *Writer) path() string {
	if w.file == nil {
		return ""
	}
	return w.file.path
}

// Moved returns an error if a regular file was removed, or renamed (*RenamedError), since Open.
func (w *Writer) Moved() error {
	if w.file == nil {
		return nil
	}
	return w.file.moved()
}

// Close syncs a file to the disk and closes it, and returns the error of Moved if there is no
// other. A stream is left open.
func (w *Writer) Close() error {
	if w.file == nil {
		return nil
	}
	return w.file.close()
}
