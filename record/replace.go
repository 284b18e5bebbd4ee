package record

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"gobench/internal/unpack"
)

// CheckReplace returns an error if a file of results must not be replaced, because it has records,
// or because it cannot be read and may have some: rows that only a measurement can write again.
// Rows over launches (kind "summary") may be lost.
func CheckReplace(path string) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := ReadFile(path) // the rows before what is no row
	if len(f.Runs)+len(f.Points)+len(f.Launches)+len(f.Failures)+len(f.Plans) > 0 {
		return fmt.Errorf("%s has records, which would be replaced: name another file", path)
	}
	_, noRow := errors.AsType[*FileError](err)
	version, other := errors.AsType[*VersionError](err)
	if err == nil || noRow && !rowsBegin(path) || other && !strings.HasPrefix(version.Schema, ours) {
		return nil
	}
	return fmt.Errorf("%s may have records, which would be replaced: name another file: %w", path, err)
}

// ours is the begin of the names of all schemas of records.
const ours = "gobench/"

// rowsBegin reports whether a line near the begin of a file begins as a row of results. One of a
// file that is compressed or in UTF-16 may do.
func rowsBegin(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return true
	}
	defer file.Close()
	rows := bufio.NewReaderSize(file, 64<<10)
	const row = `{"schema":"` + ours
	head, _ := rows.Peek(rows.Size())
	_, packed, _ := unpack.Reader(rows)
	return packed || strings.Contains("\n"+string(head), "\n"+row) || wideOrder(head) != nil
}
