package glossary

import (
	"fmt"
	"io"
	"strings"

	"gobench/internal/terminal"
)

// Print writes the entry as text, wrapped at the width of the terminal.
func (e Entry) Print(w io.Writer) error {
	width := terminal.Of(w).Width
	s := terminal.Hang("", fmt.Sprintf("%s (%s): %s", e.Name, e.Kind, e.About), width)
	names := len("formula") + 1
	for _, f := range e.Facts {
		names = max(names, len(f[0]))
	}
	for _, f := range e.Facts {
		s += terminal.Hang(fmt.Sprintf("  %-*s ", names, f[0]), f[1], width)
	}
	_, err := io.WriteString(w, s)
	return err
}

// List writes one line for every entry.
func List(w io.Writer) error {
	width := terminal.Of(w).Width
	var b strings.Builder
	kind := ""
	for _, e := range Entries() {
		if e.Kind != kind {
			if kind != "" {
				b.WriteByte('\n')
			}
			kind = e.Kind
			b.WriteString(strings.ToUpper(kind[:1]) + kind[1:] + "s\n")
		}
		b.WriteString(terminal.Hang(fmt.Sprintf("  %-15s ", e.Name), e.About, width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
