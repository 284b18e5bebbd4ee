package report

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"gobench/internal/collect"
	"gobench/internal/record/series"
	"gobench/internal/remedy"
	"gobench/internal/report/export"
	"gobench/internal/report/host"
	"gobench/record"
)

// An Export is the path of a file that receives the results besides the table. Its suffix selects
// the format, which may be that of another program (package export).
type Export string

// forms maps file suffixes to formats.
var forms = map[string]Form{".md": Markdown, ".csv": CSV, ".jsonl": Rows}

// Check returns an error if the suffix is unknown, if the export would overwrite one of the files
// of records, or if it is a .jsonl file in a directory that is read as records.
func (e Export) Check(records ...string) error {
	if !e.Known() {
		return remedy.Errorf("%v is %q, want a file that ends in .md, .csv or .jsonl, or for other programs in %s", remedy.Named("export"), e, export.Suffixes())
	}
	for _, path := range records {
		if e.is(path) || forms[filepath.Ext(string(e))] == Rows && Export(filepath.Dir(string(e))).is(path) {
			return remedy.Errorf("%v would replace records that are read or written: name another file", remedy.Set("export", e))
		}
	}
	return nil
}

// CheckFile returns an error if the file has other records, or cannot be written or created. Its
// directory must exist, unless that of records, which are written first, is in it or is it.
func (e Export) CheckFile(records ...string) error {
	if err := record.CheckReplace(string(e)); err != nil {
		return remedy.Errorf("%v: %w", remedy.Set("export", e), err)
	}
	path := string(e)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		path = filepath.Dir(path)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && slices.ContainsFunc(records, func(r string) bool { return holds(path, r) }) {
			return nil
		}
	}
	if err := unix.Access(path, unix.W_OK); err != nil {
		return fmt.Errorf("the results cannot be exported: %w", &fs.PathError{Op: "open", Path: string(e), Err: err})
	}
	return nil
}

// holds reports whether a file is in a directory or below it.
func holds(directory, file string) bool {
	whole, errA := filepath.Abs(directory)
	other, errB := filepath.Abs(file)
	path, err := filepath.Rel(whole, other)
	return cmp.Or(errA, errB, err) == nil && filepath.IsLocal(path)
}

// Known reports whether the suffix of e belongs to a format.
func (e Export) Known() bool {
	_, other := export.Of(string(e))
	return other || forms[filepath.Ext(string(e))] != ""
}

// is reports whether e and path are the same file.
func (e Export) is(path string) bool {
	a, errA := os.Stat(string(e))
	b, errB := os.Stat(path)
	if errA == nil && errB == nil {
		return os.SameFile(a, b)
	}
	whole, _ := filepath.Abs(string(e)) // fails only if nothing can be written to either
	other, _ := filepath.Abs(path)
	return whole == other
}

// Write replaces the file by the results of commands, if it can write them all. The caller knows
// known of the machine. It returns warnings about rows that it leaves out.
func (e Export) Write(commands []Command) (warnings []string, err error) {
	return e.write(commands, new(series.Scales))
}

func (e Export) write(commands []Command, scales *series.Scales) (warnings []string, err error) {
	if err := record.CheckReplace(string(e)); err != nil {
		return nil, fmt.Errorf("the results cannot be exported: %w", err)
	}
	err = export.Replace(string(e), func(f io.Writer) (err error) {
		w := bufio.NewWriter(f)
		if other, ok := export.Of(string(e)); ok {
			warnings, err = other.Write(w, collect.Each(commands, func(c Command) export.Command {
				return export.Command{Program: c.programAmong(commands), Rows: series.Rows(c.Runs, c.Points, scales)}
			}))
			warnings = collect.Each(warnings, func(warning string) string { return string(e) + ": " + warning })
		} else {
			err = Output{W: w, Form: forms[filepath.Ext(string(e))]}.write(commands, scales)
		}
		if err != nil {
			return err
		}
		return w.Flush()
	})
	if err != nil {
		return nil, fmt.Errorf("the results cannot be exported: %w", err)
	}
	return warnings, nil
}

// write prints the results of commands: rows over launches as tables, CSV or JSON Lines, or all
// records as JSON Lines.
func (o Output) write(commands []Command, scales *series.Scales) error {
	w, f := o.W, o.Form
	o.said, o.hosts = map[string]bool{}, host.Known{}
	if f == List {
		return listCommands(w, commands)
	}
	var rows []record.Point
	for i := range commands {
		c := &commands[i]
		var err error
		switch f {
		case JSON:
			err = c.records(w)
		case CSV, Rows:
			rows = append(rows, series.Rows(c.Runs, c.Points, scales)...)
		case Markdown:
			_, err = io.WriteString(w, seriesMarkdown(c.Runs, c.Points, scales))
		default:
			if i > 0 && o.Terminal.Width > 0 && !o.View.Full {
				fmt.Fprintln(w)
			}
			err = o.text(c.Runs, c.Points, scales)
		}
		if err != nil {
			return err
		}
	}
	switch f {
	case CSV:
		return WriteCSV(w, rows)
	case Rows:
		return record.NewWriter(w).WriteSummaries(rows)
	}
	return nil
}

// Print prints the results of a file, each command by itself.
func (o Output) Print(all *record.File) error {
	var scales series.Scales
	scales.Observe(all.Runs, all.Points)
	return o.write(Series(all), &scales)
}

// records writes each run followed by its points.
func (c *Command) records(w io.Writer) error {
	out := record.NewWriter(w)
	runs := map[string]*record.Run{}
	for i := range c.Runs {
		runs[c.Runs[i].ID] = &c.Runs[i]
	}
	if c.sweep != nil && len(c.Runs) > 0 {
		runs[c.first.ID] = c.first
	}
	for i := range c.Points {
		p := &c.Points[i]
		if r := runs[p.Run]; r != nil {
			delete(runs, p.Run)
			if err := out.WriteRun(r); err != nil {
				return err
			}
		}
		if err := out.WritePoint(p); err != nil {
			return err
		}
	}
	return nil
}
