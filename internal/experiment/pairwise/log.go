package pairwise

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"gobench/internal/remedy"
	"gobench/pairs"
)

// A log is the file of Command.Log: for each command a line with its plan, and then a line for each
// result. Without a file it takes results and keeps nothing.
type log struct {
	file   *os.File
	failed bool // a line could not be written; none follows
}

// logHead begins a command in the file.
type logHead struct {
	Kind    string        `json:"kind"` // logKind
	Hosts   []string      `json:"hosts"`
	Plan    pairs.Options `json:"plan"`
	Whole   bool          `json:"all,omitempty"`
	Measure *Options      `json:"measure,omitempty"` // nil in files of older versions
}

const logKind = "pairs"

// unlike returns an error if the results of a file are not comparable with those of c, because they
// were measured in another way. The time-out of a peer, which follows from the deadline, does not
// count.
func (h *logHead) unlike(file string, c *Command) error {
	if h.Measure == nil {
		return nil
	}
	set := func(o *Options) map[string]string {
		m := maps.Clone(o.Set)
		delete(m, peerTimeout)
		return m
	}
	was, is := h.Measure, &c.Measure
	if was.Transport == is.Transport && was.Small == is.Small && was.Large == is.Large && maps.Equal(set(was), set(is)) {
		return nil
	}
	return remedy.Errorf("the last measurement in %s has other values of %v, %v, %v or %v (%s %v, %v, %v): repeat them, or name another file",
		file, remedy.Named("transport"), remedy.Named("set"), remedy.Named("small-time"), remedy.Named("large-time"), was.Transport, set(was), was.Small, was.Large)
}

// openLog opens the file of c. With Resume it takes plan and results from the last command in it,
// if that had the same hosts and measured in the same way.
func (c *Command) openLog() (*log, []pairs.Sample, error) {
	if c.Log == "" {
		return &log{}, nil, nil
	}
	var head *logHead
	var known []pairs.Sample
	if c.Resume {
		var err error
		head, known, err = readLog(c.Log)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, nil, err
		case head != nil && !slices.Equal(head.Hosts, c.Hosts):
			return nil, nil, remedy.Errorf("the last measurement in %s has other hosts: leave %v out, or name another file", c.Log, remedy.Named("resume"))
		case head != nil:
			if err := head.unlike(c.Log, c); err != nil {
				return nil, nil, err
			}
			c.Plan, c.Whole = head.Plan, head.Whole
		}
	}
	file, err := os.OpenFile(c.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, err
	}
	l := &log{file: file}
	if torn(c.Log) {
		_, err = file.WriteString("\n")
	}
	if head == nil && err == nil {
		err = l.line(logHead{logKind, c.Hosts, c.Plan, c.Whole, &c.Measure})
	}
	return l, known, err
}

// torn reports whether a file ends within a line, which a crash or a full file system has cut: what
// follows must not become a part of it.
func torn(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	last := []byte{'\n'}
	file.ReadAt(last, info.Size()-1)
	return last[0] != '\n'
}

// readLog returns the last command in a file and its results. Lines that were not written
// completely are left out.
func readLog(name string) (head *logHead, known []pairs.Sample, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var h logHead
		if json.Unmarshal(lines.Bytes(), &h) == nil && h.Kind == logKind {
			head, known = &h, nil
			continue
		}
		var s pairs.Sample
		if head == nil || json.Unmarshal(lines.Bytes(), &s) != nil || s.A == "" {
			continue
		}
		known = append(known, s)
	}
	return head, known, lines.Err()
}

// add appends results. It returns the first error, and then writes nothing more.
func (l *log) add(results []pairs.Sample) error {
	for _, r := range results {
		if err := l.line(r); err != nil {
			l.failed = true
			return fmt.Errorf("results could not be written to %s: %w", l.file.Name(), err)
		}
	}
	return nil
}

func (l *log) line(v any) error {
	if l.file == nil || l.failed {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = l.file.Write(append(b, '\n'))
	return err
}

// Close closes the file, if there is one.
func (l *log) Close() {
	if l.file != nil {
		l.file.Close()
	}
}
