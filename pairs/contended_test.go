package pairs

import (
	"math"
	"testing"
)

// Where other programs take part of the cores of most hosts, the fastest messages show a delay, and
// the verdict that names nobody is not conclusive.
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
	for _, factor := range []float64{1, 10} {
		right := 0
		const runs = 20
		for run := range runs {
			w := newWorld(16, uint64(run))
			w.delay[4], w.send[4], w.recv[4] = factor, 3*factor-2, 3*factor-2 // TCP waits for acknowledgements
			w.wait = func() float64 { return math.Exp(math.Abs(1.5 * w.rng.NormFloat64())) }
			v := w.study(Options{Seed: uint64(run + 1), Contended: true})
			if !v.Contended || v.Conclusive() {
				t.Errorf("factor %v, run %d: contended %v, conclusive %v", factor, run, v.Contended, v.Conclusive())
			}
			if named := len(v.Findings) == 1 && v.Findings[0].Kind == Delay && v.Findings[0].Hosts[0] == "h5"; named == (factor > 1) && (named || len(v.Findings) == 0) {
				right++
			} else {
				t.Logf("factor %v, run %d: %+v", factor, run, v.Findings)
			}
		}
		if right < runs*95/100 {
			t.Errorf("factor %v: right in %d of %d runs", factor, right, runs)
		}
	}
}

// Where other programs are seen only after the measurements, a host that was named for a factor
// below minContended is not named any more.
func TestContendAfterwards(t *testing.T) {
	kept := Verdict{Findings: []Finding{{Hosts: []string{"h1", "h2"}, Kind: Delay}}}
	if kept.Withdraw([]Finding{{Hosts: []string{"h2"}, Kind: Jitter}}); kept.Withdrawn != nil {
		t.Errorf("withdrawn, although its group is named: %+v", kept.Withdrawn)
	}
	named, wrong := 0, 0
	for run := range 20 {
		w := newWorld(16, uint64(run))
		w.delay[4] = 1.6
		s := w.studied(Options{Seed: uint64(run + 1)})
		before := s.Verdict(nil).Findings
		named += len(before)
		s.Contend()
		v := s.Verdict(nil)
		v.Withdraw(append(before, before...))
		if !v.Contended || len(v.Findings) > 0 || len(v.Withdrawn) != len(before) {
			wrong++
			t.Logf("run %d: %+v", run, v)
		}
	}
	if named < 15 || wrong > 0 {
		t.Errorf("%d were named before, and in %d runs after", named, wrong)
	}
}
