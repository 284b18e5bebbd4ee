package document_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"gobench/internal/report/cell"
	"gobench/internal/report/document"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
)

// hostile is an attack in a string of a record.
const hostile = "é\x00\x1b[2J\x07]8;;x`](http://evil.example) ![i](x) @everyone\n# Heading\n```\n<script>alert(1)</script> | | --- \u2028 {{.}} \ufffe"

// disfigure writes hostile text into every string of records.
func disfigure(files ...*record.File) *cell.Set {
	for _, f := range files {
		f.Warnings = []string{hostile}
		for i := range f.Runs {
			f.Runs[i].Command = []string{"gobench", hostile}
			f.Runs[i].Warnings = []string{hostile}
			f.Runs[i].Hosts = []any{map[string]any{"hostname": hostile, "kernel": hostile, "cpu": map[string]any{"model": hostile, "cores": 2}}}
			f.Runs[i].Program = map[string]any{"commit": hostile, "go": hostile}
			f.Runs[i].Job.Launcher = hostile
		}
		for i := range f.Points {
			p := &f.Points[i]
			p.Bench, p.Transport, p.Level, p.Library = hostile+p.Bench, hostile+p.Transport, hostile, hostile
			p.Path, p.Method, p.Warnings, p.RankKind = p.Path+hostile, hostile, []string{hostile}, hostile
			p.Options = map[string]string{hostile: hostile}
			if p.Class != "" {
				p.Class = hostile
			}
			if p.Algorithm != "" {
				p.Algorithm = hostile + p.Algorithm
			}
		}
	}
	return set(files...)
}

// element matches a tag or a handler in a document.
var element = regexp.MustCompile(`<script>alert|<[^>]*onload`)

// link is a link or a picture of Markdown, whose bracket is not escaped.
var link = regexp.MustCompile(`[^\\]\]\(http`)

func TestHostileStringsStayStrings(t *testing.T) {
	for name, s := range map[string]*cell.Set{
		"p2p": disfigure(figuretest.PingPong(3)), "collectives": disfigure(figuretest.Collectives()), "kernels": disfigure(figuretest.Kernels()),
		"pairs": disfigure(figuretest.Pairs()), "files": disfigure(figuretest.PingPong(5), figuretest.Other(figuretest.PingPong(6))),
	} {
		figures := figure.All(s)
		if len(figures) == 0 {
			t.Errorf("%s: no figures", name)
		}
		for _, f := range figures {
			svg, _ := f.SVG()
			var alone bytes.Buffer
			if err := f.Write(&alone, "svg"); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{svg, alone.String()} {
				wellFormed(t, name+" "+f.Name, text)
			}
			if !utf8.ValidString(f.Title) {
				t.Errorf("%s: title %q", name, f.Title)
			}
		}
		d := document.Build(s, figures, document.Command{})
		var page, pdf bytes.Buffer
		if err := d.HTML(&page); err != nil {
			t.Fatal(err)
		}
		if err := d.PDF(&pdf); err != nil {
			t.Fatal(err)
		}
		md := markdown(t, s)
		for form, text := range map[string]string{"html": page.String(), "markdown": md} {
			if !utf8.ValidString(text) {
				t.Errorf("%s: the %s is no valid UTF-8", name, form)
			}
			if form == "html" && element.MatchString(text) {
				t.Errorf("%s: the %s holds an element of the records", name, form)
			}
		}
		fence := ""
		for line := range strings.Lines(md) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case fence != "":
				if line == fence {
					fence = ""
				}
			case strings.HasPrefix(line, "```"):
				fence = strings.TrimSuffix(line, "sh")
			case strings.Contains(line, "<script") || link.MatchString(line) || strings.Contains(line, "@everyone") || strings.HasPrefix(line, "# Heading"):
				t.Errorf("%s: Markdown takes text for markup: %q", name, line)
			}
		}
		if fence != "" {
			t.Errorf("%s: a block of code does not end", name)
		}
	}
}

func wellFormed(t *testing.T, name, svg string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "script" {
			t.Errorf("%s: the picture holds a script", name)
		}
	}
}
