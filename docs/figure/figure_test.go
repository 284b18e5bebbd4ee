package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const rows = `{"schema":"gobench/1","kind":"point","run":"r","time":"2026-01-02T03:04:05Z","bench":"pingpong","transport":"smem","level":"device","size_B":8,"ranks":2,"rank_kind":"process","iterations":30,"warmup_dropped":0,"half_rtt_s":{"median":1e-7,"lo":0.9e-7,"hi":1.1e-7,"n":30},"bandwidth_Bps":{"median":8e7,"n":30}}
{"schema":"gobench/1","kind":"point","run":"r","time":"2026-01-02T03:04:05Z","bench":"pingpong","transport":"tcp<&>","level":"device","size_B":1048576,"ranks":2,"rank_kind":"process","iterations":30,"warmup_dropped":0,"half_rtt_s":{"median":2e-4,"n":30},"bandwidth_Bps":{"median":5.24288e9,"n":30}}
`

func draw(t *testing.T, rows string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(path, []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	var svg strings.Builder
	err := figure([]string{path}, &svg)
	return svg.String(), err
}

func TestFigureIsWellFormed(t *testing.T) {
	svg, err := draw(t, rows)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{">smem<", ">tcp&lt;&amp;&gt;<", "Half round trip", "Bandwidth", ">256 B<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the figure lacks %q", want)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("the figure has coordinates that are no numbers")
	}
}

func TestNothingToDraw(t *testing.T) {
	if _, err := draw(t, ""); err == nil {
		t.Error("a figure was drawn of nothing")
	}
}
