package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
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

// rowsBegin reports whether a line near the begin of a file begins as a row of results, of a
// compressed one the first line. Those of a file in UTF-16, or that is damaged, may do.
func rowsBegin(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return true
	}
	defer file.Close()
	rows := bufio.NewReaderSize(file, 64<<10)
	const row = `{"schema":"` + ours
	head, _ := rows.Peek(rows.Size())
	if plain, packed, err := unpack.Reader(rows); packed {
		begin := make([]byte, len(row))
		if err == nil {
			_, err = io.ReadFull(plain, begin)
		}
		short := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		return err != nil && !short || string(begin) == row
	}
	return strings.Contains("\n"+string(head), "\n"+row) || wideOrder(head) != nil
}
