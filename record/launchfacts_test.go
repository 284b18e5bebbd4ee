package record

import (
	"slices"
	"testing"
)

func TestLaunchFactsCompleteAPoint(t *testing.T) {
	f := LaunchFacts{
		Seed: 7, Launch: 3, Block: 2, Precision: 0.02, Check: "strict", Shared: "4 ranks on 2 cores", SelfTest: SelfTest + "damaged", PerProcess: 4,
		Options: map[string]map[string]string{"tcp": {"engine": "net", "merge": "auto", "chunk": "1MiB"}, "smem": {"wait": "spin"}},
		Same:    func(a, b string) bool { return a == b || a == "1048576" && b == "1MiB" },
	}
	options := map[string]string{"engine": "poll", "merge": "4096", "chunk": "1048576", "wait": "yield"}
	p := Point{Transport: "tcp", Algorithm: "ring", Options: options}
	f.Complete(&p)
	if p.Options["per_process"] != "4" || p.Options["engine"] != "poll" || options["per_process"] != "" {
		t.Errorf("options %v, of the transport %v", p.Options, options)
	}
	want := []string{Oversubscribed + "4 ranks on 2 cores", "option engine is poll, not net as requested", SelfTest + "damaged"}
	if !slices.Equal(p.Warnings, want) || p.Seed != 7 || p.Launch != 3 || p.Block != 2 || p.Round != 0 || p.Precision != 0.02 || p.Check != "strict" {
		t.Errorf("%+v", p)
	}
	p = Point{Transport: "tcp", Warnings: []string{Oversubscribed + "more precise"}}
	if f.Complete(&p); p.Check != "" || len(p.Warnings) != 2 {
		t.Errorf("without an algorithm and with a warning: %+v", p)
	}
}
