package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
)

// A File holds the rows of one or more result files in their order.
type File struct {
	Runs     []Run
	Points   []Point
	Launches []Launch // complete launches of sweeps
	Warnings []string
}

// Read reads rows of gobench/1. It leaves out an incomplete last line (of a crash or a full disk)
// and rows of unknown kinds, with warnings. Unknown fields of points are kept in Extra. Any other
// invalid line is a *FileError or a *VersionError; File then holds the rows before it.
func Read(r io.Reader) (*File, error) {
	file := &File{}
	return file, file.read(r, "input", 0)
}

// ReadFile reads a result file; errors and warnings name it.
func ReadFile(path string) (*File, error) {
	file := &File{}
	return file, file.readFile(path)
}

func (f *File) readFile(path string) error {
	in, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read results: %w", err)
	}
	defer in.Close()
	size := int64(0)
	if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return f.read(in, path, size)
}

// read adds the rows of r. size is the expected number of bytes, 0 = unknown. Blocks of lines are
// decoded in parallel and added in their order.
func (f *File) read(r io.Reader, name string, size int64) error {
	in := blocks{in: r, line: 1}
	skipped, altered, rows, before := kinds{}, 0, 0, len(f.Points)
	defer func() {
		if rows > 0 && len(f.Points) == before {
			f.warn("%s: it has rows over launches only, of gobench show --json; the records are in its --json=all", name)
		}
		f.Warnings = append(f.Warnings, skipped.warnings(name)...)
		if altered > 0 {
			f.warn("%s: %d rows have control characters in their text; they are shown as %s", name, altered, replacement)
		}
	}()

	chunks := make([]chunk, runtime.GOMAXPROCS(0))
	started, finished := 0, 0
	defer func() {
		for ; finished < started; finished++ {
			<-chunks[finished%len(chunks)].done
		}
	}()
	add := func() error {
		c := &chunks[finished%len(chunks)]
		<-c.done
		finished++
		if finished == 1 && size > blockSize {
			// The capacity is 10 % more than extrapolated from the first block.
			f.Points = slices.Grow(f.Points, int(float64(len(c.points))*1.1*float64(size)/blockSize))
		}
		f.Runs = append(f.Runs, c.runs...)
		f.Points = append(f.Points, c.points...)
		f.Launches = append(f.Launches, c.launches...)
		skipped.count(c.unknown)
		altered += c.altered
		rows += c.rows
		return c.err
	}
	for {
		if started-finished == len(chunks) {
			if err := add(); err != nil {
				return err
			}
		}
		c := &chunks[started%len(chunks)]
		if c.done == nil {
			c.done = make(chan struct{}, 1)
		}
		lines, err := in.next(c.buf)
		c.buf = lines.lines
		torn := err == io.EOF && lines.cut()
		go c.decode(lines, name)
		started++
		if err == nil {
			continue
		}
		for finished < started {
			if err := add(); err != nil {
				return err
			}
		}
		switch {
		case torn:
			f.warn("%s:%d: the last line is incomplete and is left out", name, in.line)
		case errors.Is(err, errLong):
			return noRow(name, in.line, err)
		case err != io.EOF:
			return fmt.Errorf("cannot read results: %w", err)
		}
		return nil
	}
}

// isTorn reports whether a line without newline is the beginning of a row.
func isTorn(line []byte) bool {
	return len(bytes.TrimSpace(line)) > 0 && !json.Valid(line)
}

// Run returns the run of a point, nil if the file has none.
func (f *File) Run(p *Point) *Run {
	for i := range f.Runs {
		if f.Runs[i].ID == p.Run {
			return &f.Runs[i]
		}
	}
	return nil
}

func (f *File) warn(format string, args ...any) {
	f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...))
}

// kinds counts rows of unknown kinds.
type kinds struct {
	names  []string // in the order of their first rows
	counts map[string]int
}

func (k *kinds) count(names []string) {
	for _, name := range names {
		if k.counts == nil {
			k.counts = map[string]int{}
		}
		if k.counts[name] == 0 {
			k.names = append(k.names, name)
		}
		k.counts[name]++
	}
}

func (k *kinds) warnings(file string) []string {
	var list []string
	for _, name := range k.names {
		list = append(list, fmt.Sprintf("%s: %d rows of unknown kind %q are left out; a newer gobench reads them", file, k.counts[name], name))
	}
	return list
}
