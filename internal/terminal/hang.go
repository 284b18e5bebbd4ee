package terminal

import (
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
)

// minText is the minimum width of text, even on a narrower terminal.
const minText = 20

// Hang returns head and body in lines of at most width characters (0 = unlimited). Lines after the
// first are indented to the column where body begins. Every line ends with a newline.
func Hang(head, body string, width int) string {
	indent := utf8.RuneCountInString(head)
	if width > 0 {
		body = text.WrapSoft(body, max(minText, width-indent))
	}
	var b strings.Builder
	for line := range strings.SplitSeq(body, "\n") {
		b.WriteString(strings.TrimRight(head+line, " "))
		b.WriteByte('\n')
		head = strings.Repeat(" ", indent)
	}
	return b.String()
}

// Snip cuts a text to a number of characters, the last of which is then ~.
func Snip(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:max(0, width-1)]) + "~"
}
