package record

import (
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
	Torn bool // part of the row is in the file and could not be taken back
}

func (e *WriteError) Error() string {
	name := "the output"
	if e.Path != "" {
		name = e.Path
	}
	s := fmt.Sprintf("cannot write a result to %s: %v", name, e.Err)
	if e.Torn {
		return s + "; its last line is incomplete, the results before it are kept"
	}
	return s + "; the results before it are kept"
}

func (e *WriteError) Unwrap() error { return e.Err }

// An InvalidError reports a point that breaks an invariant of the schema: a defect of the program
// that made the point, or of the data.
type InvalidError struct {
	Cell  string // "pingpong smem device 8 B"; names the point
	Field string // JSON name of the field or metric
	Rule  string // what must hold, with the values that break it
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("invalid point (%s): %s: %s", e.Cell, e.Field, e.Rule)
}

// A SyntaxError reports a line of a result file that cannot be read.
type SyntaxError struct {
	File string
	Line int
	Err  error
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d: not a row of gobench results: %v", e.File, e.Line, e.Err)
}

func (e *SyntaxError) Unwrap() error { return e.Err }

// A VersionError reports a row whose schema this program does not know.
type VersionError struct {
	File   string
	Line   int
	Schema string // as found
}

func (e *VersionError) Error() string {
	what := "use a newer gobench"
	if number(e.Schema) < number(Schema) {
		what = "use the gobench that wrote it, or measure again"
	}
	return fmt.Sprintf("%s:%d: schema %q is unknown, this gobench reads %s; %s", e.File, e.Line, e.Schema, Schema, what)
}

// number returns the version in the name of a schema. A schema without one counts as newer than
// all.
func number(schema string) int {
	_, digits, _ := strings.Cut(schema, "/")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return math.MaxInt
	}
	return n
}
