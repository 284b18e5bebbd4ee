package importer

import (
	"bytes"
	"fmt"
	"strings"

	"gobench/record"
)

// marked returns the rows that lie between record.LogBegin and record.LogEnd in a log, as those of
// pods do, and false if there are none. What stands before a row in its line, as a time stamp or
// the name of the pod, is left out.
func marked(data []byte) (rows []byte, found bool) {
	inside := false
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		switch {
		case strings.HasSuffix(text, record.LogBegin):
			inside, found = true, true
		case strings.HasSuffix(text, record.LogEnd):
			inside = false
		case inside:
			if i := bytes.IndexByte(line, '{'); i >= 0 {
				rows = append(rows, line[i:]...)
			}
		}
	}
	return rows, found
}

// own returns the launches of gobench whose rows a log contains.
func own(name string, rows []byte) ([]Imported, error) {
	file, err := record.Read(bytes.NewReader(rows))
	if err != nil {
		return nil, fmt.Errorf("%s: the records between %q and %q: %w", name, record.LogBegin, record.LogEnd, err)
	}
	var launches []Imported
	for _, r := range file.Runs {
		l := Imported{Run: r}
		for _, p := range file.Points {
			if p.Run == r.ID {
				l.Points = append(l.Points, p)
			}
		}
		launches = append(launches, l)
	}
	if len(launches) == 0 {
		return nil, fmt.Errorf("%s: there are no records between %q and %q", name, record.LogBegin, record.LogEnd)
	}
	return launches, nil
}
