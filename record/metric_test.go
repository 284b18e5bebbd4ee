package record

import (
	"strings"
	"testing"
)

func TestTheCatalogueIsComplete(t *testing.T) {
	seen := map[string]bool{}
	suffix := map[string]string{"s": "_s", "B/s": "_Bps", "1/s": "_per_s", "op/s": "_Ops", "Mop/s": "", "Mcell/s": "", "1": "", "times": "", "B": "_B"}
	for _, m := range Metrics {
		if m.Meaning == "" || !strings.Contains(m.Formula, "=") || strings.Contains(m.Meaning, "\n") {
			t.Errorf("%s is not explained in one line with a formula", m.Name)
		}
		if m.Direction != Lower && m.Direction != Higher || (m.Time() || m.Unit == "B") != (m.Direction == Lower) {
			t.Errorf("%s: %q cannot be the better direction of %s", m.Name, m.Direction, m.Unit)
		}
		if s, ok := suffix[m.Unit]; !ok || m.Key != m.Name+s {
			t.Errorf("%s in %s has the key %s", m.Name, m.Unit, m.Key)
		}
		for _, name := range []string{m.Name, m.Key} {
			if seen[name] && m.Name != m.Key {
				t.Errorf("%s stands for two metrics", name)
			}
			seen[name] = true
			if got, ok := Lookup(name); !ok || got != m {
				t.Errorf("Lookup(%q) = %v, %v", name, got, ok)
			}
		}
		if _, ok := pointFields[m.Key]; ok {
			t.Errorf("the metric %s is also a factor", m.Key)
		}
	}
	if _, ok := Lookup("latency"); ok {
		t.Error(`there is a metric "latency"`)
	}
	if !strings.HasPrefix(Names(), "half_rtt, rtt, t, ") {
		t.Errorf("names: %s", Names())
	}
}

func TestNewIDDiffers(t *testing.T) {
	a, b := NewID(testTime), NewID(testTime)
	if a == b || !strings.HasPrefix(a, "20261121T120000Z-") {
		t.Errorf("%s and %s", a, b)
	}
}
