package pairs

import (
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	var samples []Sample
	for i, pair := range [][2]string{{"h1", "h2"}, {"h1", "h3"}, {"h2", "h3"}, {"h1", "h4"}, {"h2", "h4"}, {"h3", "h4"}} {
		s := Sample{A: pair[0], B: pair[1], Stage: Survey, HalfRTT: Times{Median: 10e-6}, Forth: 10e9, Back: 9e9, Both: 15e9}
		if i > 2 {
			s.Back, s.HalfRTT.Median = 4e9, 30e-6 // those of h4
		}
		samples = append(samples, s)
	}
	samples = append(samples, Sample{A: "h1", B: "h2", Stage: Survey, Failed: "lost"}, Sample{A: "h1", B: "h2", Stage: Loaded, Forth: 1, Back: 1})
	facts := []Facts{{Host: "h3"}}
	for host, bound := range map[string]float64{"h1": 15e9, "h2": 15e9, "h4": 5e9} {
		facts = append(facts, Facts{Host: host, Numbers: map[string]float64{NumberBound: bound}})
	}
	for text, want := range map[string]string{
		"bandwidth < 0.8 x median": "h4", "bandwidth<8GB/s": "h4", "bandwidth < 32 Gbit/s": "",
		"half_rtt > 2 x median": "h4", "half_rtt > 20us": "h4", "half_rtt > 1 ms": "", "both < 20 GB/s": "h1 h2 h3 h4",
		"bandwidth < 0.7 x bound": "h1 h2", // h3 has no bound, and h4 reaches 0.8 of its slower link
	} {
		l, err := ParseLimit(text)
		if err != nil {
			t.Error(err)
			continue
		}
		var named []string
		remarks, unjudged := Exceeding(samples, facts, []Limit{l})
		for _, r := range remarks {
			named = append(named, r.Host)
		}
		if bound := strings.Contains(text, "bound"); bound != (len(unjudged) == 1 && unjudged[0].Host == "h3") || !bound && unjudged != nil {
			t.Errorf("%s: not judged: %v", text, unjudged)
		}
		if got := strings.Join(named, " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"bandwidth < 10": "needs a unit", "bandwidth < 10us": "needs a unit", "bandwith < 1GB/s": `"bandwidth"`, "fast": "want such as", "both < 1 x bound": "only bandwidth", "both < 1.2.3 x median": "no number",
	} {
		if _, err := ParseLimit(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if list, unjudged := Exceeding(nil, nil, []Limit{{of: limited["both"], scale: "median"}}); list != nil || unjudged != nil {
		t.Errorf("without results: %v, %v", list, unjudged)
	}
}
