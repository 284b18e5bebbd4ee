package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// modeRate returns the share of samples of size n in which modes are found.
func modeRate(runs, n int, draw func(r *rand.Rand) float64) float64 {
	found := 0
	for run := range runs {
		r := rand.New(rand.NewPCG(uint64(run), 11))
		samples := make([]float64, n)
		for i := range samples {
			samples[i] = draw(r)
		}
		slices.Sort(samples)
		if FindModes(samples).Found() {
			found++
		}
	}
	return float64(found) / float64(runs)
}

func TestModesOfUnimodalSamplesAreNotFound(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(r *rand.Rand) float64{
		"log-uniform":        func(r *rand.Rand) float64 { return math.Exp(3 * r.Float64()) },
		"uniform":            func(r *rand.Rand) float64 { return 1 + r.Float64() },
		"normal":             func(r *rand.Rand) float64 { return 100 + 5*r.NormFloat64() },
		"exponential":        func(r *rand.Rand) float64 { return 1 + r.ExpFloat64() },
		"log-normal":         func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) },
		"pareto":             func(r *rand.Rand) float64 { return math.Pow(1-r.Float64(), -1/1.5) },
		"coarse clock, 3":    func(r *rand.Rand) float64 { return 20 + math.Round(r.NormFloat64()) },
		"coarse clock, 20":   func(r *rand.Rand) float64 { return 20 + math.Round(5*r.NormFloat64()) },
		"coarse uniform, 20": func(r *rand.Rand) float64 { return 100 + float64(r.IntN(20)) },
		"2 % outliers": func(r *rand.Rand) float64 {
			if r.Float64() < 0.02 {
				return 400 + 5*r.NormFloat64()
			}
			return 100 + 5*r.NormFloat64()
		},
		"constant": func(r *rand.Rand) float64 { return 42 },
	} {
		for _, n := range []int{30, 45, 102, 300, 1000, 10000} {
			runs := simulations(n, 40, 600)
			rate := modeRate(runs, n, draw)
			t.Logf("%s n=%d: %.3f", name, n, rate)
			if rate > 0.01+1e-9 {
				t.Errorf("%s n=%d: modes in %.3f of unimodal samples", name, n, rate)
			}
		}
	}
}

func TestTwoModesAreFound(t *testing.T) {
	// Near and far virtual CPUs (rule 25), and milder cases.
	two := func(share, low, high, spread float64) func(r *rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			m := low
			if r.Float64() < share {
				m = high
			}
			return m * (1 + spread*r.NormFloat64())
		}
	}
	for _, c := range []struct {
		name string
		n    int
		draw func(r *rand.Rand) float64
		want float64
	}{
		{"near and far, half", 45, two(0.5, 30, 160, 0.05), 0.9},
		{"near and far, half", 300, two(0.5, 30, 160, 0.05), 0.99},
		{"near and far, a fifth", 300, two(0.2, 30, 160, 0.05), 0.99},
		{"a tenth", 1000, two(0.1, 30, 160, 0.05), 0.99},
		{"30 % apart", 1000, two(0.4, 100, 130, 0.04), 0.95},
		{"coarse clock", 1000, func(r *rand.Rand) float64 { return 20 + 10*float64(r.IntN(2)) + float64(r.IntN(2)) }, 0.95},
	} {
		rate := modeRate(simulations(c.n, 80, 200), c.n, c.draw)
		t.Logf("%s n=%d: %.3f", c.name, c.n, rate)
		if rate < c.want {
			t.Errorf("%s n=%d: modes found in %.3f of samples, want %.2f", c.name, c.n, rate, c.want)
		}
	}
}

func TestPositionsOfModes(t *testing.T) {
	var samples []float64
	for i := range 100 {
		samples = append(samples, 30+float64(i)/50, 160+float64(i)/10)
	}
	slices.Sort(samples)
	m := FindModes(samples)
	if m.Low < 30 || m.Low > 32 || m.High < 160 || m.High > 170 {
		t.Errorf("modes at %v and %v, want 30 to 32 and 160 to 170", m.Low, m.High)
	}
	s := Summarize(samples)
	if len(s.Warnings) == 0 || !strings.Contains(strings.Join(s.Warnings, ";"), "modes") {
		t.Errorf("warnings %q do not mention the modes", s.Warnings)
	}
}

// The factor between modes is formatted without an exponent.
func TestFormatOfTheFactorBetweenModes(t *testing.T) {
	for high, want := range map[float64]string{1.38: "a factor of 1.4", 12.4: "a factor of 12", 172.3: "a factor of 172", 5321: "a factor of 5321"} {
		m := Modes{Low: 1, High: high}
		if got := m.String(); got != "multimodal sample (modes differ by "+want+"): the median is not representative" {
			t.Errorf("%v: %s", high, got)
		}
	}
}
