package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"gobench/internal/collect"
	"gobench/internal/remedy"
	"gobench/internal/unpack"
)

// A File holds the rows of one or more result files in their order.
type File struct {
	Runs     []Run
	Points   []Point
	Launches []Launch  // complete launches of sweeps
	Failures []Failure // failed launches of sweeps
	Plans    []Plan    // of these sweeps
	Warnings []string
}

// Read reads rows of gobench/1. It leaves out an incomplete last line (of a crash or a full disk)
// and rows of unknown kinds, with warnings. Unknown fields of points are kept in Extra. Any other
// invalid line is a *FileError or a *VersionError with the number of lines behind it; File then
// holds the rows before it.
func Read(r io.Reader) (*File, error) {
	file := &File{}
	return file, file.read(r, "input", 0)
}

// ReadFile reads a result file, which gzip, bzip2 or zstd may have compressed, or which is in
// UTF-16; errors and warnings name it.
func ReadFile(path string) (*File, error) {
	file := &File{}
	return file, file.readFile(path)
}

func (f *File) readFile(path string) error {
	in := os.Stdin
	if path == Stdin {
		path = "standard input"
	} else {
		file, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("cannot read results: %w", err)
		}
		defer file.Close()
		in = file
	}
	size := int64(0)
	if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	rows := bufio.NewReaderSize(in, blockSize)
	magic, _ := rows.Peek(2)
	if order := wideOrder(magic); order != nil {
		return f.read(&wideReader{in: rows, order: order}, path, size/2)
	}
	plain, packed, err := unpack.Reader(rows)
	switch {
	case err != nil:
		return fmt.Errorf("cannot read results: %s: %w", path, err)
	case !packed:
		return f.read(rows, path, size)
	}
	return f.read(unpackedReader{plain}, path, 0)
}

// An unpackedReader reports the early end of a compressed file as an error of its own, because
// io.ReadFull returns io.ErrUnexpectedEOF for a short block as well.
type unpackedReader struct{ in io.Reader }

// Read implements io.Reader.
func (r unpackedReader) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	if err == io.ErrUnexpectedEOF {
		err = errors.New("the compressed file is incomplete: rows are missing")
	}
	return n, err
}

// Stdin is the path of standard input for Files and all functions that read files.
const Stdin = "-"

// read adds the rows of r. size is the expected number of bytes, 0 = unknown. Blocks of lines are
// decoded in parallel and added in their order.
func (f *File) read(r io.Reader, name string, size int64) error {
	in := blocks{in: r, line: 1}
	var skipped []string // kinds of rows
	altered, rows, before := 0, 0, len(f.Points)
	defer func() {
		if rows > 0 && len(f.Points) == before {
			f.warn("%s: it has rows over launches only, of gobench show %v; the records are in its %v", name, remedy.Named("json"), remedy.Set("json", "all"))
		}
		for _, rows := range collect.By(skipped, func(kind string) string { return kind }) {
			f.warn("%s: %d rows of unknown kind %q are left out; a newer gobench reads them", name, len(rows), rows[0])
		}
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
		f.Failures = append(f.Failures, c.failures...)
		f.Plans = append(f.Plans, c.plans...)
		skipped = append(skipped, c.unknown...)
		altered += c.altered
		rows += c.rows
		if file, ok := errors.AsType[*FileError](c.err); ok {
			file.After = in.skip() - file.Line
		} else if version, ok := errors.AsType[*VersionError](c.err); ok {
			version.After = in.skip() - version.Line
		}
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
			return fmt.Errorf("cannot read results: %s: %w", name, err)
		}
		return nil
	}
}

// isTorn reports whether a line without newline is the beginning of a row.
func isTorn(line []byte) bool {
	line = trimmed(line)
	return len(line) > 0 && !json.Valid(line)
}

// Run returns the run of a point, nil if the file lacks it.
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
