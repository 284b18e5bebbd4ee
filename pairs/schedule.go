package pairs

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
)

// Circle returns the rounds of a tournament in which every two of n players meet once, by the
// circle method: one player stays, the others move around. With an odd n one player rests in each
// round.
func Circle(n int) [][][2]int {
	even := n + n%2
	var rounds [][][2]int
	for r := range max(even-1, 0) {
		rounds = append(rounds, circleRound(n, r))
	}
	return rounds
}

// circleRound returns round r of Circle.
func circleRound(n, r int) [][2]int {
	even := n + n%2
	var round [][2]int
	for i := range even / 2 {
		a, b := even-1, r
		if i > 0 {
			a, b = (r+i)%(even-1), (r-i+even-1)%(even-1)
		}
		if a < n && b < n {
			round = append(round, [2]int{a, b})
		}
	}
	return round
}

// DefaultRounds returns the number of rounds of a survey of n hosts: 2 log2 n, but at least
// minRounds.
func DefaultRounds(n int) int {
	if n < 2 {
		return 0
	}
	return max(minRounds, 2*bits.Len(uint(n-1)))
}

// minRounds is the number of measurements from which the median of a host tolerates two that
// deviate. A few hosts meet again for that.
const minRounds = 6

// Schedule returns rounds of disjoint pairs of hosts, in random order. Without places the rounds
// belong to tournaments: no pair meets again before all have met. With places each round has
// partners of one distance, as far as there are such, and all distances occur in turn.
func Schedule(hosts []Host, rounds int, rng *rand.Rand) [][][2]int {
	n := len(hosts)
	whole := n + n%2 - 1
	levels := 0
	if n > 0 {
		levels = len(hosts[0].Location)
	}
	if rounds >= whole || levels == 0 {
		return drawn(n, rounds, rng)
	}
	met := map[[2]int]bool{}
	var plan [][][2]int
	for r := range rounds {
		// The distance is the number of levels that the places of two hosts do not share.
		plan = append(plan, atDistance(hosts, (r+1)%(levels+1), met, rng))
	}
	return plan
}

// drawn returns random rounds of tournaments of n players with random numbers.
func drawn(n, rounds int, rng *rand.Rand) [][][2]int {
	var plan [][][2]int
	for n > 1 && len(plan) < rounds {
		names := rng.Perm(n)
		for _, r := range rng.Perm(n + n%2 - 1) {
			round := circleRound(n, r)
			for i, p := range round {
				round[i] = swapped(names[p[0]], names[p[1]], rng)
			}
			plan = append(plan, round)
		}
	}
	return plan[:min(rounds, len(plan))]
}

func swapped(a, b int, rng *rand.Rand) [2]int {
	if rng.IntN(2) == 0 {
		return [2]int{a, b}
	}
	return [2]int{b, a}
}

// Distance returns the number of levels that the places of two hosts do not share.
func Distance(a, b Host) int {
	for i := range a.Location {
		if a.Location[i] != b.Location[i] {
			return len(a.Location) - i
		}
	}
	return 0
}

// atDistance returns a round of pairs with the given distance. Hosts for which there is no such
// partner are paired with each other. It avoids pairs that have met, and adds its own to these.
func atDistance(hosts []Host, distance int, met map[[2]int]bool, rng *rand.Rand) [][2]int {
	order := rng.Perm(len(hosts))
	key := func(i, levels int) string { return strings.Join(hosts[i].Location[:levels], "\x00") }
	levels := len(hosts[0].Location)
	groups := map[string][]int{}
	for _, i := range order {
		k := key(i, levels-distance)
		groups[k] = append(groups[k], i)
	}
	var round [][2]int
	var rest []int
	pair := func(a, b int) {
		met[[2]int{min(a, b), max(a, b)}] = true
		round = append(round, swapped(a, b, rng))
	}
	for _, name := range sortedKeys(groups) { // the order of a map is random, and that of the seed is not
		free := groups[name]
		if distance > 0 {
			// Sorted by the next level, in random order, partners are in different groups if they
			// are further apart than the largest group is long.
			turn := map[string]int{}
			for _, k := range rng.Perm(len(free)) {
				turn[key(free[k], levels-distance+1)] = k
			}
			slices.SortStableFunc(free, func(a, b int) int {
				return turn[key(a, levels-distance+1)] - turn[key(b, levels-distance+1)]
			})
		}
		largest := 1
		if distance > 0 {
			count := map[string]int{}
			for _, i := range free {
				k := key(i, levels-distance+1)
				count[k]++
				largest = max(largest, count[k])
			}
		}
		shift := largest + rng.IntN(max(1, len(free)-2*largest+1))
		taken := make([]bool, len(free))
		for i, a := range free {
			if taken[i] {
				continue
			}
			best := -1
			for k := range free {
				j := (i + shift + k) % len(free)
				if taken[j] || j == i || Distance(hosts[a], hosts[free[j]]) != distance {
					continue
				}
				if best < 0 {
					best = j
				}
				if !met[[2]int{min(a, free[j]), max(a, free[j])}] {
					best = j
					break
				}
			}
			if best < 0 {
				rest = append(rest, a)
				taken[i] = true
				continue
			}
			taken[i], taken[best] = true, true
			pair(a, free[best])
		}
	}
	for i := 0; i+1 < len(rest); i += 2 {
		pair(rest[i], rest[i+1])
	}
	return round
}
