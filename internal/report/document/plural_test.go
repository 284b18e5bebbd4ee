package document_test

import (
	"bytes"
	"regexp"
	"testing"

	"gobench/internal/report/cell"
	"gobench/internal/report/document"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
)

// No sentence of a report counts "1 ranks" or "1 launches".
func TestOneIsSingular(t *testing.T) {
	wrong := regexp.MustCompile(`[^.,0-9a-z]1 (more )?(ranks|launches|cells|rows|runs|cores|records|files|commands|series|sizes|points|warnings|configurations|threads|comparisons)\b[^.]{0,30}|\b1 of \d+ \w+s (have|are|were)\b`)
	sets := map[string]*cell.Set{
		"one launch":   set(figuretest.PingPong(1)),
		"two launches": set(figuretest.PingPong(2)),
		"files":        set(figuretest.PingPong(1), figuretest.Other(figuretest.PingPong(1))),
		"more":         set(figuretest.PingPong(8), figuretest.Other(figuretest.PingPong(9))),
		"collectives":  set(figuretest.Collectives()),
		"kernels":      set(figuretest.Kernels()),
		"pairs":        set(figuretest.Pairs()),
	}
	one := figuretest.PingPong(1)
	one.Points = one.Points[:1]
	sets["one point"] = set(one)
	for name, s := range sets {
		var b bytes.Buffer
		d := document.Build(s, figure.All(s), document.Command{})
		if err := d.Markdown(&b, func(name string) string { return name }); err != nil {
			t.Fatal(err)
		}
		for _, found := range wrong.FindAllString(b.String(), -1) {
			t.Errorf("%s: %q", name, found)
		}
	}
}
