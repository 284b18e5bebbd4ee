package survey

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// page lays out names and what is to be said about them, in sections.
type page struct {
	strings.Builder
	width int // of the terminal; 0 = any
}

const nameWidth = 12

func (p *page) section(title string) {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.WriteString(title + "\n")
}

// line writes one name and its text, broken to the width of the page.
func (p *page) line(name, s string) {
	indent := 2 + nameWidth + 1
	if p.width > 0 {
		s = text.WrapSoft(s, max(20, p.width-indent))
	}
	for i, part := range strings.Split(s, "\n") {
		if i > 0 {
			name = ""
		}
		p.WriteString(strings.TrimRight(fmt.Sprintf("  %-*s %s", nameWidth, name, part), " ") + "\n")
	}
}
