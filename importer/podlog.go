package importer

import (
	"bytes"
	"fmt"
	"strings"

	"gobench/record"
)

// marked returns the rows that lie between record.LogBegin and record.LogEnd in a log, as those of
// pods do, and false if there are none; cut reports that the last of record.LogEnd is missing. What
// stands before a row in its line, as a time stamp or the name of the pod, is left out.
func marked(log string) (rows []byte, found, cut bool) {
	for line := range strings.Lines(log) {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasSuffix(text, record.LogBegin):
			cut, found = true, true
		case strings.HasSuffix(text, record.LogEnd):
			cut = false
		case cut:
			if i := strings.IndexByte(line, '{'); i >= 0 {
				rows = append(rows, line[i:]...)
			}
		}
	}
	return rows, found, cut
}

// own returns the launches of gobench whose rows a log contains. The first has all other rows.
func own(name string, rows []byte, cut bool) ([]Imported, error) {
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
	for i, w := range file.Warnings {
		file.Warnings[i] = fmt.Sprintf("%s: the records in it: %s", name, w)
	}
	if cut {
		file.Warnings = append(file.Warnings, fmt.Sprintf("%s ends before the line %q: records may be missing", name, record.LogEnd))
	}
	file.Runs, file.Points = nil, nil
	launches[0].Rest = *file
	return launches, nil
}
