package figure_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/internal/report/price"
	"gobench/nearest"
	"gobench/record"
)

func set(files ...*record.File) *cell.Set {
	s := cell.NewSet()
	for i, f := range files {
		s.Add(string(rune('a'+i))+".jsonl", f)
	}
	return s
}

// drawn returns the sets with which figures are tested.
var drawn = map[string]*cell.Set{
	"pingpong":    set(figuretest.PingPong(1)),
	"launches":    set(figuretest.PingPong(8)),
	"many":        set(figuretest.PingPong(24)),
	"collectives": set(figuretest.Collectives()),
	"algorithms":  set(figuretest.Algorithms()),
	"kernels":     priced(figuretest.Kernels()),
	"pairs":       set(figuretest.Pairs()),
	"hybrid":      set(figuretest.Hybrid()),
	"storage":     priced(figuretest.Storage()),
	"startup":     set(figuretest.Startup()),
	"overlap":     set(figuretest.Overlaps()),
	"waits":       set(figuretest.Waits()),
	"files":       set(figuretest.PingPong(4), figuretest.Other(figuretest.PingPong(5))),
}

// priced is a set with prices.
func priced(f *record.File) *cell.Set {
	s := set(f)
	s.Cost = &cell.Cost{
		Book:    &price.Book{Name: "test", Currency: "USD", Prices: []price.Price{{Type: "a", Option: "on-demand", PerHour: 2}, {Type: "a", Option: "spot", PerHour: 0.7}}},
		Cluster: &price.Cluster{Name: "two", Nodes: []price.Node{{Type: "a", Cores: 8, Count: 2}}},
	}
	return s
}

// each tests every figure of every set; with -short, as under the race detector, those of
// two sets.
func each(t *testing.T, test func(t *testing.T, f *figure.Figure)) {
	for name, s := range drawn {
		if testing.Short() && name != "pairs" && name != "kernels" {
			continue
		}
		figures := figure.All(s)
		if name == "many" {
			figures = figure.Variability(s) // the rest looks as that of fewer launches
		}
		switch name { // the rest looks as that of other kernels
		case "algorithms":
			figures = slices.Concat(figure.Best(s), figure.Choice(s))
		case "hybrid":
			figures = figure.Hybrid(s)
		case "overlap":
			figures = figure.Overlap(s)
		case "storage":
			figures = append(figure.Storage(s), figure.Productivity(s)...)
		case "waits":
			figures = figure.Waits(s)
		}
		for _, k := range figure.Kinds {
			if k.Optional && name != "many" && name != "algorithms" {
				figures = append(figures, k.Draw(s)...)
			}
		}
		seen := map[string]bool{}
		for _, f := range figures {
			t.Run(name+"/"+f.Name, func(t *testing.T) {
				if seen[f.Name] {
					t.Errorf("there are two figures %s", f.Name)
				}
				seen[f.Name] = true
				test(t, f)
			})
		}
	}
}

// Every kind draws figures from these records, so that all kinds are tested.
func TestEveryKindIsDrawn(t *testing.T) {
	for _, k := range figure.Kinds {
		n := 0
		for _, s := range drawn {
			n += len(k.Draw(s))
		}
		if n == 0 {
			t.Errorf("no figure of kind %s", k.Name)
		}
	}
}

func TestEveryFigureHasItsTexts(t *testing.T) {
	each(t, func(t *testing.T, f *figure.Figure) {
		if f.Title == "" || f.Caption == "" || f.Method == "" {
			t.Errorf("title %q, caption %q, method %q", f.Title, f.Caption, f.Method)
		}
	})
}

func TestSVGIsWellFormedAndHasItsNumbers(t *testing.T) {
	each(t, func(t *testing.T, f *figure.Figure) {
		svg, marks := f.SVG()
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Error("the figure has coordinates that are not numbers")
		}
		if len(marks) == 0 {
			t.Error("there are no hover targets")
		}
		if strings.Count(svg, "<text ") == 0 || strings.Contains(svg, "textLength=") {
			t.Error("there are no texts, or texts that cannot be edited")
		}
		width, height := f.Size()
		for _, m := range marks {
			if m.Text == "" || m.At.X < 0 || m.At.X > width || m.At.Y < 0 || m.At.Y > height {
				t.Errorf("mark %v", m)
			}
		}
	})
}

func TestPDF(t *testing.T) {
	var b bytes.Buffer
	if err := figure.PointToPoint(drawn["pingpong"])[0].Write(&b, "pdf"); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(b.Bytes(), []byte("%PDF-")) {
		t.Error("it is no PDF")
	}
}

func TestUnknownNames(t *testing.T) {
	_, err := figure.Named(drawn["pingpong"], "pingpang")
	if _, ok := errors.AsType[*nearest.UnknownError](err); !ok || !strings.Contains(err.Error(), `"pingpong"`) {
		t.Errorf("error %v", err)
	}
	if err := figure.PointToPoint(drawn["pingpong"])[0].Write(io.Discard, "bmp"); err == nil {
		t.Error("a bitmap was written")
	}
}
