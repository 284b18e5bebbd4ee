package markdown

import (
	"strings"
	"testing"

	"gobench/internal/fuzzing"
)

// No text leaves its cell of a table in Markdown, or becomes HTML.
func FuzzEscape(t *testing.F) {
	f := fuzzing.New(t)
	for _, s := range []string{"a|b", "`code`", "<script>", "**bold**", "a\nb", `a\|b`, "[x](y)", "&lt;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := strings.ReplaceAll(Text(s), "@<!-- -->", "@") // the comment is invisible
		if strings.ContainsAny(got, "<>\n") {
			t.Fatalf("%q is written as %q", s, got)
		}
		for i := 0; i < len(got); i++ {
			if got[i] == '\\' {
				i++ // the escaped character is text
			} else if strings.IndexByte("|*_`[", got[i]) >= 0 {
				t.Fatalf("%q is written as %q", s, got)
			}
		}
	})
}
