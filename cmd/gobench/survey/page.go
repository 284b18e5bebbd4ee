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
func (p *page) line(name, s string) { p.row(name, nameWidth, 2, s) }

// item is a line below a line, with a name of its own width.
func (p *page) item(name string, width int, s string) { p.row(name, width+1, 2+nameWidth+1, s) }

func (p *page) row(name string, width, left int, s string) {
	indent := left + width + 1
	if p.width > 0 {
		s = text.WrapSoft(s, max(20, p.width-indent))
	}
	for i, part := range strings.Split(s, "\n") {
		if i > 0 {
			name = ""
		}
		p.WriteString(strings.TrimRight(fmt.Sprintf("%*s%-*s %s", left, "", width, name, part), " ") + "\n")
	}
}
