package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gobench/bench/record"
)

// machine is a model of a shared machine on which two programs are measured: the logarithms of the
// launches of a cell vary by sigma, each resembles the one before by rho, and each
// occasion is another by tau. In some launches the cores are far from each other, and in some they change
// within, which makes two points of a launch.
type machine struct {
	sigma, rho, tau float64
	launches, cells int
	turns           bool // both programs in one sweep, in random order within a block; else one after the other
	flips           bool
}

// sides measures two programs, of which the second is slow times slower in the cells below planted.
func (m machine) sides(seed uint64, planted int, slow float64) (a, b Source) {
	random := rand.New(rand.NewPCG(seed, 0x51))
	files := [2]*record.File{{}, {}}
	begin := testTime
	runs := [2][]time.Time{}
	for block := range m.launches {
		first := random.IntN(2)
		for i := range 2 {
			side, at := (first+i)%2, begin.Add(time.Duration(2*block+i)*time.Second)
			if !m.turns {
				side, at = i, begin.Add(time.Duration(i)*time.Hour+time.Duration(block)*time.Second)
			}
			runs[side] = append(runs[side], at)
			files[side].Runs = append(files[side].Runs, run(fmt.Sprintf("%d-%d", side, block), "n1", ""))
		}
	}
	far := make([][2][]int, m.launches) // of each side: 0 near, 1 far, 2 both
	for block := range far {
		for side := range 2 {
			kind := 0
			if m.flips {
				kind = []int{0, 0, 0, 1, 2}[random.IntN(5)]
			}
			far[block][side] = []int{kind}
		}
	}
	for cell := range m.cells {
		noise := m.noise(random)
		size := int64(8) << cell
		for side := range 2 {
			for launch, at := range runs[side] {
				value := 1e-6 * math.Exp(noise[side][launch])
				if side == 1 && cell < planted {
					value *= slow
				}
				kind := far[launch][side][0]
				for state, distance := range []float64{40e-9, 200e-9} {
					if kind != 2 && kind != state {
						continue
					}
					p := point(fmt.Sprintf("%d-%d", side, launch), size, value*float64(1+2*state))
					p.Time = at
					if m.flips {
						p.StateDistance, p.StateShare = distance, 1
					}
					files[side].Points = append(files[side].Points, p)
				}
			}
		}
	}
	return Source{"old", files[0]}, Source{"new", files[1]}
}

// noise of both sides of a cell.
func (m machine) noise(random *rand.Rand) (sides [2][]float64) {
	if m.turns {
		both := m.serial(random, 2*m.launches)
		for i, x := range both {
			sides[i%2] = append(sides[i%2], x)
		}
		return sides
	}
	for side := range sides {
		sides[side] = m.serial(random, m.launches)
		occasion := m.tau * random.NormFloat64()
		for i := range sides[side] {
			sides[side][i] += occasion
		}
	}
	return sides
}

// serial is a stationary series in which each value resembles the one before.
func (m machine) serial(random *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	x[0] = random.NormFloat64()
	for i := 1; i < n; i++ {
		x[i] = m.rho*x[i-1] + math.Sqrt(1-m.rho*m.rho)*random.NormFloat64()
	}
	for i := range x {
		x[i] *= m.sigma
	}
	return x
}

func TestExplore(t *testing.T) {
	for _, cells := range []int{16} {
		for _, turns := range []bool{true, false} {
			for _, flips := range []bool{false, true} {
				for _, n := range []int{8, 16, 24, 48} {
					for _, x := range [][3]float64{{.03, .3, .01}, {.04, .4, .015}, {.05, .5, .02}, {.03, .5, .02}, {.05, .3, .01}} {
						m := machine{sigma: x[0], rho: x[1], tau: x[2], launches: n, cells: cells, turns: turns, flips: flips}
						const times = 200
						any, rc := 0, map[Conclusion]int{}
						found, gates, extra := 0, 0, 0
						rho, det := 0.0, 0.0
						for i := range uint64(times) {
							a, b := m.sides(i, 0, 1)
							r := mustCompare(t, Options{Gate: true}, a, b)
							rc[r.Gate.Conclusion]++
							if r.Count(Slower)+r.Count(Faster) > 0 {
								any++
							}
							rho += r.Correlation
							det += min(9, r.Rows[cells/2].Detectable)
							a, b = m.sides(i+1000, 4, 1.15)
							r = mustCompare(t, Options{Gate: true}, a, b)
							if r.Gate.Conclusion == Failed {
								gates++
							}
							for _, row := range r.Rows {
								if row.Verdict == Slower {
									if row.Cell.Sample.Size < 8<<4 {
										found++
									} else {
										extra++
									}
								}
							}
						}
						t.Logf("turns %5v flips %5v n %2d %v: any %.1f%% rc0 %.0f%% rc4 %.1f%% rc5 %.0f%% | planted: cell %.1f%% gate %.1f%% extra %d | rho %.2f detect %.3f",
							turns, flips, n, x, 100*float64(any)/times, 100*float64(rc[Passed])/times, 100*float64(rc[Failed])/times, 100*float64(rc[Noisy])/times,
							100*float64(found)/4/times, 100*float64(gates)/times, extra, rho/times, det/times)
					}
				}
			}
		}
	}
}
