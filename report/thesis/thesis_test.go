package thesis_test

import (
	"errors"
	"strings"
	"testing"

	"gobench/bench/price"
	"gobench/internal/nearest"
	"gobench/report/cell"
	"gobench/report/figure/figuretest"
	"gobench/report/thesis"
)

func records() *cell.Set {
	s := cell.NewSet()
	s.Add("a.jsonl", figuretest.PingPong(6))
	s.Add("b.jsonl", figuretest.Collectives())
	s.Add("c.jsonl", figuretest.Kernels())
	s.Cost = &cell.Cost{
		Book:    &price.Book{Name: "test", Currency: "USD", Prices: []price.Price{{Type: "a", Option: "on-demand", PerHour: 2}}},
		Cluster: &price.Cluster{Name: "one", Nodes: []price.Node{{Type: "a", Cores: 16, Count: 1}}},
	}
	return s
}

// Figures that these records allow are drawn, each with its caption and, where
// the thesis states numbers, with those.
func TestFiguresOfTheThesis(t *testing.T) {
	s := records()
	for name, want := range map[string]string{
		"thesis-1.3":  "sockets over IB: 65 µs",
		"thesis-1.6":  "mxdev, 10 GbE: 9.4 Gbit/s (1.18 GB/s)",
		"thesis-1.7":  "Broadcast performance",
		"thesis-1.8":  "Performance of NPB CG and MG kernels on IB",
		"thesis-1.13": "FDTD parallel application",
		"thesis-1.19": "Price book test",
		"thesis-3.9":  "independent serial copies",
		"thesis-5.3":  "NPB on one core",
		"thesis-5.5":  "number of processes",
		"thesis-7.6":  "best, CC1: 22 on 64 cores",
	} {
		figures, err := thesis.Named(s, name)
		if err != nil || len(figures) == 0 {
			t.Errorf("%s: %d figures, %v", name, len(figures), err)
			continue
		}
		f := figures[0]
		if !strings.Contains(f.Caption, want) || !strings.HasPrefix(f.Name, name) || !strings.HasPrefix(f.Title, "After figure ") {
			t.Errorf("%s is called %s, %q: %s", name, f.Name, f.Title, f.Caption)
		}
		_, marks := f.SVG()
		overlaid := strings.Contains(f.Caption, "for reference (")
		said := false
		for _, m := range marks {
			said = said || strings.HasPrefix(m.Text, "thesis: ")
		}
		if said != overlaid {
			t.Errorf("%s: the caption says %v of an overlay, the figure %v", name, overlaid, said)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	if figures, err := thesis.Named(records(), "thesis-1.16"); err != nil || len(figures) != 0 {
		t.Errorf("IS was drawn without records of IS: %d figures, %v", len(figures), err)
	}
	_, err := thesis.Named(records(), "thesis-9.99")
	if _, ok := errors.AsType[*nearest.UnknownError](err); !ok {
		t.Errorf("error %v", err)
	}
}
