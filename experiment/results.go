package experiment

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gobench/internal/launch/child"
	"gobench/internal/remedy"
	"gobench/record"
	"gobench/report"
)

// openRecords opens the file of records. If the user named none, and the usual one cannot be
// written, the results are printed only, and a warning says so.
func (c *campaign) openRecords(ctx context.Context) (err error) {
	r := c.requests[0]
	directory := filepath.Dir(c.path)
	_, missing := os.Stat(directory)
	if !r.NoRecords {
		c.file, err = record.OpenContext(ctx, c.path)
	}
	switch {
	case err != nil && (r.File != "" || ctx.Err() != nil):
		return err
	case err != nil:
		fmt.Fprintf(c.stderr, "gobench: no records are kept: %v (%v keeps them elsewhere, %v asks for none)\n", err, remedy.Set("output", "FILE"), remedy.Named("no-records"))
		fallthrough
	case r.NoRecords:
		c.file, c.path = record.NewWriter(io.Discard), ""
	case missing != nil && r.File != "":
		fmt.Fprintf(c.stderr, "gobench: created the directory %s for the records\n", directory)
	}
	for _, w := range c.file.Warnings() {
		fmt.Fprintf(c.stderr, "gobench: %s\n", w)
	}
	return nil
}

// logRecords writes the records to standard output if the environment asks for it, once they are
// complete. A sweep writes those of its launches itself.
func (c *campaign) logRecords() error {
	launch, _ := child.Replicate()
	if os.Getenv(record.LogVariable) != "1" || launch > 0 || c.lost.Err != nil || c.path == "" {
		return nil
	}
	return record.WriteLog(c.stdout, c.path)
}

// output returns where results are printed, with the view of the options and the file of the
// records, if it has any and they can be read there.
func (c *campaign) output() report.Output {
	v := c.requests[0].View
	if info, err := os.Stat(c.path); err == nil && info.Mode().IsRegular() && c.lost.Rows < c.lost.Of {
		v.Records = c.path
	}
	return report.Output{W: c.stdout, Remarks: c.stderr, Terminal: report.Terminal(c.terminal), View: v}
}

// table formats the rows of the launches so far, while others follow.
func (c *campaign) table() string {
	return c.output().Estimate(c.runs, c.points)
}
