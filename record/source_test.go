package record

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The log of a run and the statistic of a value are kept.
func TestSourceAndStatisticAreKept(t *testing.T) {
	run, p := sampleRun(), samplePoint()
	run.Source = &Source{Name: "imb.log", SHA256: strings.Repeat("0a", 32)}
	p.Metrics = ValuesOf(map[string]Value{"half_rtt_s": {Median: 2e-7, N: 1, Statistic: Mean}})
	var out bytes.Buffer
	w := NewWriter(&out)
	succeed(t, w.WriteRun(run))
	succeed(t, w.WritePoint(p))
	f, err := Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p.Metrics, f.Points[0].Metrics); d != "" {
		t.Error(d)
	}
	if got := f.Runs[0].Source; got == nil || *got != *run.Source {
		t.Errorf("source %+v", got)
	}
}

func TestInvalidSourcesAndStatistics(t *testing.T) {
	for _, s := range []Source{{SHA256: strings.Repeat("0a", 32)}, {Name: "x"}, {Name: "x", SHA256: "0a"}, {Name: "x", SHA256: strings.Repeat("xx", 32)}} {
		run := sampleRun()
		run.Source = &s
		if err := run.Validate(); err == nil || !strings.Contains(err.Error(), "source: ") {
			t.Errorf("%+v: error %v", s, err)
		}
	}
	for _, v := range []Value{{Median: 1, N: 1, Statistic: "mode"}, {Median: 1, Lo: 1, Hi: 1, N: 9, Statistic: Mean}, {Median: 1, P50: 1, N: 9, Statistic: Best}} {
		p := samplePoint()
		p.Metrics = ValuesOf(map[string]Value{"t_s": v})
		if err := p.Validate(); err == nil {
			t.Errorf("%+v is valid", v)
		}
	}
}
