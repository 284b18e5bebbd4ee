package glossary

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gobench/internal/terminal"
)

// Print writes the entry for people.
func (e Entry) Print(w io.Writer) error {
	width := terminal.Of(w).Width
	var b strings.Builder
	b.WriteString(paragraph(fmt.Sprintf("%s (%s): %s", e.Name, e.Kind, e.About), "", width))
	for _, f := range e.Facts {
		b.WriteString(paragraph(fmt.Sprintf("  %-8s %s", f[0], f[1]), "           ", width))
	}
	_, err := io.WriteString(w, b.String())
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
		b.WriteString(paragraph(fmt.Sprintf("  %-14s %s", e.Name, e.About), strings.Repeat(" ", 17), width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// paragraph fits s into width characters (0 = any number), with lines after
// the first indented.
func paragraph(s, indent string, width int) string {
	if width <= 0 || len(s) <= width {
		return s + "\n"
	}
	lead := s[:len(indent)]
	body := text.WrapSoft(s[len(indent):], max(20, width-len(indent)))
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		if i == 0 {
			lines[i] = lead + line
		} else {
			lines[i] = indent + line
		}
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
