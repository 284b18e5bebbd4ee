// Package markdown writes text into Markdown so that it stays text. Strings of records may come
// from strangers and end up in comments of pull requests.
package markdown

import (
	"strings"
	"unicode"
)

// Text writes s so that a reader sees it as it is: nothing of it is markup, HTML, a link or a
// mention of somebody, and it stays in one line, also in a cell of a table.
func Text(s string) string { return escaper.Replace(line(s)) }

// escaper knows what CommonMark and GitHub's tables, mentions and links look for.
var escaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "|", `\|`, "#", `\#`, "!", `\!`, "$", `\$`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;",
	"@", "@<!-- -->", // a mention is looked for after all escapes are undone
	"://", `:\//`, "www.", `www\.`,
)

// line has no control characters: they become spaces.
func line(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

// Code writes lines as a block of code in a language. Its fence is longer than any run of
// backticks in it, so that nothing leaves it.
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
