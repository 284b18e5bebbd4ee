package figure

import (
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"gobench/internal/fuzzing"
	"gobench/internal/terminal"
)

// Setting the width of a text does not change its characters.
func FuzzFitted(t *testing.F) {
	f := fuzzing.New(t)
	for _, s := range []string{"half_rtt", "a < b & c", `"$1" ${2}`, "é 漢", "</text><script>", "12px"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s == "" || len(s) > 200 || !utf8.ValidString(s) || terminal.Plain(s) != s { // what records hold
			return
		}
		text := html.EscapeString(s)
		element := `<text x="1" style="font-family:Liberation Sans;font-weight:bold;font-size:10.5px">` + text + "</text>"
		got := fitted(element)
		if !strings.HasPrefix(got, "<text textLength=") || !strings.HasSuffix(got, ">"+strings.ReplaceAll(text, "font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")+"</text>") {
			t.Errorf("%q is written as %q", element, got)
		}
	})
}
