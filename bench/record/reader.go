package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxLine bounds the memory that one line of a foreign file may take.
const maxLine = 16 << 20

// File is what one or more result files hold, rows in their order.
type File struct {
	Runs     []Run
	Points   []Point
	Warnings []string
}

// Read reads rows of gobench/1. A last line that was cut off, as a crash or
// a full disk leave it, gives a warning; fields and kinds of rows that are
// unknown are no error. Everything else that is not a row is a *SyntaxError
// or a *VersionError; File then holds what stands before it.
func Read(r io.Reader) (*File, error) { return read(r, "input") }

// ReadFile reads a result file; errors and warnings name it.
func ReadFile(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return &File{}, fmt.Errorf("cannot read results: %w", err)
	}
	defer f.Close()
	return read(f, path)
}

func read(r io.Reader, name string) (*File, error) {
	file := &File{}
	in := bufio.NewReaderSize(r, 64<<10)
	skipped := map[string]int{}
	var kinds []string
	defer func() {
		for _, kind := range kinds {
			file.warn("%s: %d rows of unknown kind %q are left out; a newer gobench reads them", name, skipped[kind], kind)
		}
	}()
	for number := 1; ; number++ {
		line, err := readLine(in)
		if err != nil && err != io.EOF {
			if errors.Is(err, errLong) {
				return file, &SyntaxError{File: name, Line: number, Err: err}
			}
			return file, fmt.Errorf("cannot read results: %w", err)
		}
		last := err == io.EOF
		if last && torn(line) {
			file.warn("%s:%d: the last line is incomplete and is left out", name, number)
			return file, nil
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			kind, err := file.row(line, name, number)
			if err != nil {
				return file, err
			}
			if kind != "" {
				if skipped[kind] == 0 {
					kinds = append(kinds, kind)
				}
				skipped[kind]++
			}
		}
		if last {
			return file, nil
		}
	}
}

// torn reports whether a line without newline is the beginning of a row. A
// crash of the machine may leave zero bytes instead.
func torn(line []byte) bool {
	return len(bytes.TrimSpace(line)) > 0 && !json.Valid(line)
}

// row adds one row. It returns the kind where it is unknown.
func (f *File) row(line []byte, name string, number int) (unknown string, err error) {
	fail := func(err error) (string, error) {
		return "", &SyntaxError{File: name, Line: number, Err: err}
	}
	var head struct {
		Schema string `json:"schema"`
		Kind   string `json:"kind"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return fail(err)
	}
	switch {
	case strings.HasPrefix(head.Schema, "gobench/") && head.Schema != Schema:
		return "", &VersionError{File: name, Line: number, Schema: head.Schema}
	case head.Schema != Schema:
		return fail(fmt.Errorf("it has no schema %s", Schema))
	}
	switch head.Kind {
	case KindRun:
		var r Run
		if err := json.Unmarshal(line, &r); err != nil {
			return fail(err)
		}
		if err := r.Validate(); err != nil {
			return fail(err)
		}
		f.Runs = append(f.Runs, r)
	case KindPoint:
		var p Point
		if err := json.Unmarshal(line, &p); err != nil {
			return fail(err)
		}
		if err := p.Validate(); err != nil {
			return fail(err)
		}
		f.Points = append(f.Points, p)
	case "":
		return fail(errors.New("it has no kind"))
	default:
		return head.Kind, nil
	}
	return "", nil
}

// Run returns the run of a point, or nil where the file has none.
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

var errLong = fmt.Errorf("it is longer than %d MiB", maxLine>>20)

// readLine returns the next line with its newline; io.EOF comes with the rest
// after the last newline.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, errLong
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}
