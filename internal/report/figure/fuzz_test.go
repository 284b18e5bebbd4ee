package figure

import (
	"encoding/xml"
	"strings"
	"testing"
	"unicode/utf8"

	"gobench/internal/fuzzing"
	"gobench/internal/terminal"
)

// A text that records hold is the same in a picture as XML, and stays a text.
func FuzzEscaped(t *testing.F) {
	f := fuzzing.New(t)
	for _, s := range []string{"half_rtt", "a < b & c", `"$1" ${2}`, "é 漢", "</text><script>", "12px", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s == "" || len(s) > 200 || !utf8.ValidString(s) || terminal.Plain(s) != s { // what records hold
			return
		}
		var got struct {
			Text string `xml:",chardata"`
			ID   string `xml:"id,attr"`
		}
		if err := xml.Unmarshal([]byte(`<text id="`+escaped(s)+`">`+escaped(s)+"</text>"), &got); err != nil {
			t.Fatal(err)
		}
		want := strings.Map(character, s)
		if got.Text != want || got.ID != want {
			t.Errorf("%q is written as %q and %q", s, got.Text, got.ID)
		}
	})
}
