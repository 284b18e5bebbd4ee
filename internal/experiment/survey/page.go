package survey

import (
	"fmt"
	"strings"

	"gobench/internal/terminal"
)

// page lays out names and their descriptions in sections.
type page struct {
	strings.Builder
	width int // of the terminal; 0 = any
}

func (p *page) section(title string) {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.WriteString(title + "\n")
}

// line writes a name and its text.
func (p *page) line(name, s string) {
	p.WriteString(terminal.Hang(fmt.Sprintf("  %-12s ", name), s, p.width))
}

// item writes a line below that of line, with its name padded to width.
func (p *page) item(name string, width int, s string) {
	p.WriteString(terminal.Hang(fmt.Sprintf("  %-12s %-*s  ", "", width, name), s, p.width))
}
