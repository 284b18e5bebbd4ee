package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxLine bounds the memory that one line of a foreign file may take.
const maxLine = 16 << 20

// File is what one or more result files hold, rows in their order.
type File struct {
	Runs     []Run
	Points   []Point
	Launches []Launch // of sweeps, that came to their end
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
	for number := 1; ; {
		lines, err := readLines(in)
		last := err == io.EOF
		var failure error
		if err != nil && !last {
			failure = fmt.Errorf("cannot read results: %w", err)
			if errors.Is(err, errLong) {
				failure = &SyntaxError{File: name, Line: number + len(lines), Err: err}
			}
		}
		cut := last && torn(lines[len(lines)-1])
		if cut {
			lines = lines[:len(lines)-1]
		}
		for i, row := range decodeRows(lines, name, number) {
			if row.err != nil {
				return file, row.err
			}
			if kind := file.add(row); kind != "" {
				if skipped[kind] == 0 {
					kinds = append(kinds, kind)
				}
				skipped[kind]++
			}
			lines[i] = nil
		}
		number += len(lines)
		switch {
		case cut:
			file.warn("%s:%d: the last line is incomplete and is left out", name, number)
			return file, nil
		case failure != nil:
			return file, failure
		case last:
			return file, nil
		}
	}
}

// torn reports whether a line without newline is the beginning of a row. A
// crash of the machine may leave zero bytes instead.
func torn(line []byte) bool {
	return len(bytes.TrimSpace(line)) > 0 && !json.Valid(line)
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

// batch is how many lines are read before they are decoded.
const batch = 4096

// readLines returns the next lines, and with io.EOF the last ones; then the last of
// them is what stands after the last newline.
func readLines(in *bufio.Reader) (lines [][]byte, err error) {
	for len(lines) < batch {
		line, err := readLine(in)
		if err != nil && err != io.EOF {
			return lines, err
		}
		lines = append(lines, line)
		if err != nil {
			return lines, err
		}
	}
	return lines, nil
}

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
