package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"gobench/cmd/gobench/internal/glossary"
	"gobench/internal/experiment/sweep"
	"gobench/internal/micro"
	"gobench/internal/micro/collective"
	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
)

// Every benchmark and every form of an operation can be planned by the command that gobench explain
// prints, is a benchmark of a sweep, and has a figure of its records.
func TestEveryBenchmarkIsSweptAndDrawn(t *testing.T) {
	list := micro.All()
	for _, b := range collective.All() {
		kind, _ := collective.Lookup(b.Name)
		list = append(list, b, collective.Form{Kind: kind.Kind, NonBlocking: true}.Benchmark())
		if uneven := (collective.Form{Kind: kind.Kind, Uneven: true}).Benchmark(); collective.CheckVector(kind.Kind) == nil && uneven.Name != b.Name {
			list = append(list, uneven)
		}
	}
	var plan bytes.Buffer
	for _, b := range list {
		words := strings.Fields(glossary.Command(b.Name))[1:]
		if !b.OneSided { // a transport that this build lacks
			var out, said bytes.Buffer
			if code := gobench(t.Context(), append(slices.Clone(words), "--dry-run"), &out, &said); code != 0 {
				t.Errorf("%s: %q ends with %d: %s", b.Name, words, code, said.String())
			}
		}
		plan.WriteString("[[" + words[0] + "]]\n" + map[string]string{"p2p": "bench", "coll": "op"}[words[0]] + " = \"" + b.Name + "\"\n")
		records := figuretest.PingPong(1)
		if b.Collective != nil {
			records = figuretest.Collectives()
		}
		for i := range records.Points {
			p := &records.Points[i]
			time := p.Metrics.Get(p.Metrics.Times().Key())
			p.Bench, p.Metrics = b.Name, record.ValuesOf(map[string]record.Value{b.Metric: time, "bandwidth_Bps": p.Metrics.Get("bandwidth_Bps")})
		}
		set := cell.NewSet()
		set.Add("a.jsonl", records)
		if figures, err := figure.Named(set, b.Name); !strings.HasSuffix(b.Name, "barrier") && (err != nil || len(figures) == 0) {
			t.Errorf("%s has no figure: %v", b.Name, err)
		}
	}
	if _, err := sweep.Parse(plan.Bytes(), "all.toml", sweepVerbs(program.Root(nil))); err != nil {
		t.Error(err)
	}
}
