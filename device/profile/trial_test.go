package profile_test

import (
	"errors"
	"testing"
	"time"

	"gobench/device/profile"
)

// fake is a machine on which each candidate takes a known time, multiplied by what else runs.
type fake struct {
	takes  []time.Duration
	factor func(run int) float64
	runs   int
	order  []int
}

func (f *fake) run(candidate int) (time.Duration, error) {
	f.order = append(f.order, candidate)
	t := float64(f.takes[candidate])
	if f.factor != nil {
		t *= f.factor(f.runs)
	}
	f.runs++
	return time.Duration(t), nil
}

func rounds(n int) func(int) (bool, error) {
	return func(round int) (bool, error) { return round < n, nil }
}

func TestTheFastestIsChosen(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		takes  []time.Duration
		factor func(run int) float64
		want   int
	}{
		"slow first":             {[]time.Duration{10 * ms, 5 * ms}, nil, 1},
		"slow last":              {[]time.Duration{5 * ms, 10 * ms}, nil, 0},
		"of three":               {[]time.Duration{9 * ms, 8 * ms, 3 * ms}, nil, 2},
		"a tie":                  {[]time.Duration{5 * ms, 5 * ms}, nil, 0},
		"too little":             {[]time.Duration{100 * ms, 96 * ms}, nil, 0},
		"enough":                 {[]time.Duration{100 * ms, 94 * ms}, nil, 1},
		"the machine slows down": {[]time.Duration{5 * ms, 5 * ms}, func(run int) float64 { return 1 + float64(run)/4 }, 0},
		"and becomes fast":       {[]time.Duration{5 * ms, 5 * ms}, func(run int) float64 { return 1 + float64(100-run)/4 }, 0},
		"bursts": {[]time.Duration{10 * ms, 8 * ms}, func(run int) float64 {
			if run%3 == 0 {
				return 20
			}
			return 1
		}, 1},
	} {
		f := &fake{takes: c.takes, factor: c.factor}
		best, _, err := profile.Trial{Names: make([]string, len(c.takes)), Run: f.run, More: rounds(8)}.Try()
		if err != nil || best != c.want {
			t.Errorf("%s: candidate %d is chosen, want %d, %v", name, best, c.want, err)
		}
		if f.order[0] != 0 || f.order[len(c.takes)] != len(c.takes)-1 {
			t.Errorf("%s: the order does not alternate: %v", name, f.order)
		}
	}
}

func TestDisturbance(t *testing.T) {
	f := &fake{takes: []time.Duration{time.Millisecond}}
	_, quiet, _ := profile.Trial{Names: []string{"a"}, Run: f.run, More: rounds(8)}.Try()
	f.factor = func(run int) float64 { return 1 + float64(run%4) }
	_, loud, _ := profile.Trial{Names: []string{"a"}, Run: f.run, More: rounds(8)}.Try()
	best, none, _ := profile.Trial{Names: []string{"a", "b"}, Run: f.run, More: rounds(0)}.Try()
	if best != 0 {
		t.Errorf("without a round candidate %d is chosen", best)
	}
	for _, c := range []struct {
		spreads []float64
		want    bool
	}{
		{nil, false},
		{[]float64{quiet}, false},
		{[]float64{loud}, true},
		{[]float64{none}, true},
		{[]float64{quiet, quiet, loud}, false},
		{[]float64{quiet, loud, loud}, true},
	} {
		var p profile.Profile
		for _, s := range c.spreads {
			p.Choices = append(p.Choices, profile.Choice{Spread: s})
		}
		if got := p.Disturbed(); got != c.want {
			t.Errorf("a profile with the spreads %v is disturbed: %v, want %v", c.spreads, got, c.want)
		}
	}
}

func TestRounds(t *testing.T) {
	at := time.Unix(0, 0)
	more := profile.Rounds(2, 4, at.Add(10), at.Add(20), func() time.Time { return at })
	for _, c := range []struct {
		round int
		at    time.Duration
		want  bool
	}{{0, 0, true}, {3, 9, true}, {4, 9, false}, {1, 15, true}, {2, 15, false}, {0, 25, false}} {
		at = time.Unix(0, 0).Add(c.at)
		if got, _ := more(c.round); got != c.want {
			t.Errorf("round %d at %d begins: %v, want %v", c.round, c.at, got, c.want)
		}
	}
}

func TestErrorsEndATrial(t *testing.T) {
	broken := errors.New("broken")
	run := func(int) (time.Duration, error) { return 0, broken }
	more := func(int) (bool, error) { return false, broken }
	fine := func(int) (time.Duration, error) { return 1, nil }
	for _, one := range []profile.Trial{{Names: []string{"a"}, Run: run, More: rounds(1)}, {Names: []string{"a"}, Run: fine, More: more}} {
		if _, _, err := one.Try(); !errors.Is(err, broken) {
			t.Errorf("the trial returns %v", err)
		}
	}
}

func TestProfile(t *testing.T) {
	var none *profile.Profile
	if none.Pick("a") != "" || none.Hash() != "" || none.Disturbed() {
		t.Error("a nil profile has choices")
	}
	p := none.With([]profile.Choice{{Routine: "a", Pick: "x", Spread: 0.1}, {Routine: "b", Pick: "y"}})
	q := p.With([]profile.Choice{{Routine: "a", Pick: "z"}})
	if p.Pick("a") != "x" || q.Pick("a") != "z" || q.Pick("b") != "y" || len(q.Choices) != 2 {
		t.Errorf("%+v and then %+v", p, q)
	}
	if again := p.With([]profile.Choice{{Routine: "a", Pick: "x", Spread: 0.2}}); again.Hash() != p.Hash() || q.Hash() == p.Hash() {
		t.Errorf("hashes are %s, %s with another spread, %s with another choice", p.Hash(), again.Hash(), q.Hash())
	}
	calm, loud := []profile.Choice{{Routine: "a", Pick: "x"}}, []profile.Choice{{Routine: "a", Pick: "y", Spread: 1}}
	for _, c := range []struct {
		old, made []profile.Choice
		want      string
	}{{nil, loud, "y"}, {calm, loud, "x"}, {loud, calm, "x"}, {loud, loud, "y"}, {calm, q.Choices, "z"}} {
		if got := none.With(c.old).Improved(c.made).Pick("a"); got != c.want {
			t.Errorf("%v improved by %v is %q, want %q", c.old, c.made, got, c.want)
		}
	}
	if p := none.With(loud); p.Settled("a") != "" || none.Settled("a") != "" || none.With(calm).Settled("a") != "x" {
		t.Errorf("a disturbed choice is settled: %q", p.Settled("a"))
	}
}
