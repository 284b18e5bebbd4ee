package record

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A WriteError reports a row that could not be written. Rows written before are complete and
// readable.
type WriteError struct {
	Path string // "" for a stream
	Err  error
	Torn bool // part of the row is in the file and could not be removed
}

func (e *WriteError) Error() string {
	name := "the output"
	if e.Path != "" {
		name = e.Path
	}
	s := fmt.Sprintf("cannot write a result to %s: %v", name, e.Err)
	if errors.Is(e.Err, errRemoved) {
		return s + ", and the results before it with it"
	}
	if e.Torn {
		return s + "; its last line is incomplete, the results before it are kept"
	}
	return s + "; the results before it are kept"
}

func (e *WriteError) Unwrap() error { return e.Err }

// errRemoved is the cause of a WriteError if the file that has the rows has no name any more.
var errRemoved = errors.New("the file was removed meanwhile")

// A RenamedError reports that a file got all rows, but another name meanwhile.
type RenamedError struct{ Path, To string }

func (e *RenamedError) Error() string {
	return fmt.Sprintf("%s was renamed meanwhile: its records are in %s", e.Path, e.To)
}

// An InvalidError reports a row that breaks an invariant of the schema: a defect of the program
// that wrote it, or of the data.
type InvalidError struct {
	Cell  string // names the row: "pingpong smem device 8 B" for a point, "run X"
	Field string // JSON name of the field or metric
	Rule  string // the broken rule, with the values
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("invalid row (%s): %s: %s", e.Cell, e.Field, e.Rule)
}

// A FileError reports an invalid file, or an invalid line of it: results, a log, a sweep, a price
// book.
type FileError struct {
	Path  string
	Line  int // from 1; 0 = the whole file
	After int // lines of a file of results behind Line, which have not been read
	Err   error
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v%s", e.Path, e.Line, e.Err, leftOut(e.After))
}

func (e *FileError) Unwrap() error { return e.Err }

// leftOut returns the end of a message about an invalid line: the number of lines behind it.
func leftOut(lines int) string {
	switch lines {
	case 0:
		return ""
	case 1:
		return "; the line behind it is left out, too"
	}
	return fmt.Sprintf("; the %d lines behind it are left out, too", lines)
}

// noRow returns the error of a line that is not a row of results.
func noRow(file string, line int, err error) error {
	return &FileError{Path: file, Line: line, Err: fmt.Errorf("not a row of gobench results: %w", err)}
}

// A VersionError reports a row with an unknown schema version.
type VersionError struct {
	File   string
	Line   int
	After  int    // lines behind it, which have not been read
	Schema string // as found
}

func (e *VersionError) Error() string {
	what := "use a newer gobench"
	if number(e.Schema) < number(Schema) {
		what = "use the gobench that wrote it, or measure again"
	}
	return fmt.Sprintf("%s:%d: schema %q is unknown, this gobench reads %s; %s%s", e.File, e.Line, e.Schema, Schema, what, leftOut(e.After))
}

// number returns the version in the name of a schema. A schema without a version counts as newer
// than all.
func number(schema string) int {
	_, digits, _ := strings.Cut(schema, "/")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return math.MaxInt
	}
	return n
}
