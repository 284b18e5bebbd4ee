// Package markdown escapes text for Markdown, because strings of records are untrusted and appear
// in comments of pull requests.
package markdown

import (
	"strings"
	"unicode"
)

// Text escapes s so that it is displayed literally, without markup, HTML, links or mentions, on one
// line, also within a table.
func Text(s string) string { return escaper.Replace(line(s)) }

// escaper covers the markup of CommonMark and GitHub's tables, mentions and links.
var escaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "|", `\|`, "#", `\#`, "!", `\!`, "$", `\$`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;",
	"@", "@<!-- -->", // GitHub finds mentions after it has removed escapes
	"://", `:\//`, "www.", `www\.`,
)

// line replaces control characters by spaces.
func line(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

// Code formats lines as a code block of a language. Its fence is longer than any run of backticks
// in the lines, so that none of them ends the block.
func Code(language string, lines []string) string {
	fence := "```"
	for _, l := range lines {
		for strings.Contains(l, fence) {
			fence += "`"
		}
	}
	var b strings.Builder
	b.WriteString(fence + language + "\n")
	for _, l := range lines {
		b.WriteString(line(l) + "\n")
	}
	b.WriteString(fence + "\n")
	return b.String()
}
