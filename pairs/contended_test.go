package pairs

import "testing"

// Where other programs take part of the cores of most hosts, times of small messages name nobody,
// and the verdict that names nobody is not conclusive.
func TestContendedHosts(t *testing.T) {
	facts := func(left ...float64) (list []Facts) {
		for _, v := range left {
			list = append(list, Facts{Numbers: map[string]float64{NumberLeft: v}})
		}
		return list
	}
	if Contended(facts(0.5, 1, 0.99)) || !Contended(facts(0.5, 0.6, 1)) || Contended(nil) {
		t.Error("contended hosts are those of which the median loses a tenth of a core")
	}
	for _, contended := range []bool{false, true} {
		w := newWorld(16, 7)
		w.delay[4] = 3
		v := w.study(Options{Seed: 1, Contended: contended})
		if named := len(v.Findings) > 0; named == contended || v.Contended != contended || contended && v.Conclusive() {
			t.Errorf("contended %v: %+v, conclusive %v", contended, v.Findings, v.Conclusive())
		}
	}
}
