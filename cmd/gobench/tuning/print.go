package tuning

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gobench/comm/coll"
	"gobench/report"
)

// print writes a row for each cell: who wins, and what that brings.
func print(w io.Writer, list []Cell) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %-14s %5s %8s  %-18s %11s  %-18s %11s  %s\n", "#transport", "operation", "ranks", "size", "fastest", "t[usec]", "default", "t[usec]", "chosen")
	for _, c := range list {
		usual, time := "-", "-"
		if c.Default.Choice.Algorithm != nil {
			usual, time = c.Default.Choice.String(), fmt.Sprintf("%.3f", c.Default.Time.Median*1e6)
		}
		fmt.Fprintf(&b, "%-10s %-14v %5d %8s  %-18s %11.3f  %-18s %11s  %v\n", c.Transport, c.Kind, c.Ranks, report.FormatSize(int64(c.Size)),
			c.Best.Choice, c.Best.Time.Median*1e6, usual, time, c.Chosen)
	}
	b.WriteString("# the default stays where the intervals of the two medians overlap\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// save writes the table, and makes its folder where there is none.
func save(t *coll.Table, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("the table cannot be written: %w", err)
	}
	if err := t.Save(path); err != nil {
		return fmt.Errorf("the table cannot be written: %w", err)
	}
	return nil
}
