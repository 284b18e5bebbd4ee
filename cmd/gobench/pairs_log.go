package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"gobench/pairs"
)

// A pairsLog is the file of --output of gobench pairs: for each command a line with its plan, and
// then a line for each result.
type pairsLog struct{ file *os.File }

// logHead begins a command in the file.
type logHead struct {
	Kind  string        `json:"kind"` // logKind
	Hosts []string      `json:"hosts"`
	Plan  pairs.Options `json:"plan"`
	Whole bool          `json:"all,omitempty"`
}

const logKind = "pairs"

// openLog opens the file. With --resume it takes plan and results from the last command in it, if
// that had the same hosts.
func (f *pairsFlags) openLog() (*pairsLog, error) {
	if f.log == "" {
		return &pairsLog{}, nil
	}
	var hosts []string
	for _, h := range f.command.Hosts {
		hosts = append(hosts, h.Name)
	}
	resumed := false
	if f.resume {
		head, known, err := readPairsLog(f.log)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case head != nil && !slices.Equal(head.Hosts, hosts):
			return nil, fmt.Errorf("the last measurement in %s has other hosts: leave --resume out, or name another file", f.log)
		case head != nil:
			f.command.Plan, f.command.Whole, f.command.Known, resumed = head.Plan, head.Whole, known, true
		}
	}
	file, err := os.OpenFile(f.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	l := &pairsLog{file}
	if resumed {
		return l, nil
	}
	return l, l.line(logHead{logKind, hosts, f.command.Plan, f.command.Whole})
}

// readPairsLog returns the last command in a file and its results. What follows a line that was not
// written completely is left out.
func readPairsLog(name string) (head *logHead, known []pairs.Sample, err error) {
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

func (l *pairsLog) add(results []pairs.Sample) error {
	for _, r := range results {
		if err := l.line(r); err != nil {
			return err
		}
	}
	return nil
}

func (l *pairsLog) line(v any) error {
	if l.file == nil {
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
func (l *pairsLog) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
