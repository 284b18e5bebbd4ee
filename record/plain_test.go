package record

import (
	"encoding/json"
	"strings"
	"testing"

	"gobench/internal/terminal"
)

// hostile is text with terminal control characters in JSON: escaped, or verbatim where JSON allows
// it.
const hostile = `\u001b]0;title\u0007 \u009b2J ` + "\u009b2J \x7f \u202Egpj.exe " + `\u202e \n# heading \t\\u001b`

// Read replaces terminal control characters in all strings and adds one warning.
func TestReadLeavesNoControlCharacters(t *testing.T) {
	lines := rows(t)
	dirty := func(line, field string) string {
		out := strings.Replace(line, field, strings.TrimSuffix(field, `"`)+hostile+`"`, 1)
		if out == line {
			t.Fatalf("no %s in %s", field, line)
		}
		return out
	}
	run := dirty(dirty(lines[0], `"cpu":"AMD EPYC"`), `"gobench"`)
	point := dirty(dirty(lines[1], `"bench":"pingpong"`), `"copy":"auto"`)
	point = dirty(dirty(point, `"ranks are not pinned"`), `"path":"eager"`)
	point = strings.Replace(point, `"cache":`, `"x`+hostile+`":["`+hostile+`"],"cache":`, 1)
	f, err := Read(strings.NewReader(run + point + lines[2]))
	if err != nil {
		t.Fatal(err)
	}
	p := f.Points[0]
	for _, s := range append([]string{p.Bench, p.Path, p.Options["copy"], f.Runs[0].Command[0]}, p.Warnings...) {
		if terminal.Plain(s) != s || !strings.Contains(s, "\uFFFD]0;title\uFFFD") || !strings.HasSuffix(s, `\u001b`) {
			t.Errorf("read as %q", s)
		}
	}
	b, err := json.Marshal(p)
	if err != nil || strings.Contains(string(b), "\u009b") || strings.Contains(string(b), `"\u001b`) {
		t.Errorf("written back as %q, error %v", b, err)
	}
	want := "input: 2 rows have control characters in their text; they are shown as \uFFFD"
	if len(f.Warnings) != 1 || f.Warnings[0] != want {
		t.Errorf("warnings %q, want %q", f.Warnings, want)
	}
}

// Text of every language is unchanged.
func TestReadLeavesTextAsItIs(t *testing.T) {
	line := strings.Replace(rows(t)[1], `"path":"eager"`, `"path":"größer \"µ\" \u00b1 \\n 日本 \/ "`, 1)
	f, err := Read(strings.NewReader(line))
	if err != nil || len(f.Warnings) != 0 || f.Points[0].Path != `größer "µ" ± \n 日本 / ` {
		t.Errorf("%+v, error %v", f, err)
	}
}
