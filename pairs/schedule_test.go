package pairs

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// disjoint fails unless no player is twice in a round.
func disjoint(t *testing.T, round [][2]int) {
	t.Helper()
	seen := map[int]bool{}
	for _, p := range round {
		if p[0] == p[1] || seen[p[0]] || seen[p[1]] {
			t.Fatalf("a player is twice in %v", round)
		}
		seen[p[0]], seen[p[1]] = true, true
	}
}

func TestCircleHasEachPairOnce(t *testing.T) {
	for n := range 18 {
		met := map[[2]int]int{}
		rounds := Circle(n)
		for _, round := range rounds {
			disjoint(t, round)
			for _, p := range round {
				met[[2]int{min(p[0], p[1]), max(p[0], p[1])}]++
			}
		}
		if len(met) != n*(n-1)/2 || n > 1 && len(rounds) != n-1+n%2 {
			t.Errorf("%d players: %d pairs in %d rounds", n, len(met), len(rounds))
		}
		for p, times := range met {
			if times != 1 {
				t.Errorf("%d players: %v meet %d times", n, p, times)
			}
		}
	}
}

func TestScheduleWithoutLocations(t *testing.T) {
	for _, n := range []int{2, 3, 7, 64} {
		hosts := make([]Host, n)
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		plan := Schedule(hosts, DefaultRounds(n), rng)
		if len(plan) != DefaultRounds(n) {
			t.Errorf("%d hosts: %d rounds, want %d", n, len(plan), DefaultRounds(n))
		}
		met := map[[2]int]int{}
		for _, round := range plan {
			disjoint(t, round)
			if len(round) != n/2 {
				t.Errorf("%d hosts: a round of %d pairs", n, len(round))
			}
			for _, p := range round {
				met[[2]int{min(p[0], p[1]), max(p[0], p[1])}]++
			}
		}
		for p, times := range met {
			if limit := (len(plan) + n - 2) / (n - 1); times > limit {
				t.Errorf("%d hosts: %v meet %d times, want at most %d", n, p, times, limit)
			}
		}
	}
	if plan := Schedule(make([]Host, 1), 6, rand.New(rand.NewPCG(1, 1))); len(plan) != 0 {
		t.Errorf("one host has the rounds %v", plan)
	}
}

// Each host has partners at all distances, most of them at that of the round, and almost all hosts
// have one in each round.
func TestScheduleWithLocations(t *testing.T) {
	const n = 96
	var hosts []Host
	for i := range n {
		hosts = append(hosts, Host{Name: fmt.Sprint(i), Location: []string{fmt.Sprint("spine", i/32), fmt.Sprint("leaf", i/8)}})
	}
	plan := Schedule(hosts, DefaultRounds(n), rand.New(rand.NewPCG(1, 1)))
	counts := make([][3]int, n)
	pairs, right := 0, 0
	for r, round := range plan {
		disjoint(t, round)
		for _, p := range round {
			d := Distance(hosts[p[0]], hosts[p[1]])
			if d == (r+1)%3 {
				right++
			}
			counts[p[0]][d]++
			counts[p[1]][d]++
			pairs++
		}
	}
	if pairs < len(plan)*n/2*9/10 {
		t.Errorf("%d pairs in %d rounds of %d hosts", pairs, len(plan), n)
	}
	if right < pairs*3/4 {
		t.Errorf("%d of %d pairs have the distance of their round", right, pairs)
	}
	for i, c := range counts {
		if c[0] == 0 || c[1] == 0 || c[2] == 0 {
			t.Errorf("host %d has partners at the distances %v", i, c)
		}
	}
}

func TestScheduleIsThatOfItsSeed(t *testing.T) {
	var hosts []Host
	for i := range 24 {
		hosts = append(hosts, Host{Location: []string{fmt.Sprint(i / 6)}})
	}
	first := fmt.Sprint(Schedule(hosts, 9, rand.New(rand.NewPCG(5, 5))))
	for range 10 {
		if again := fmt.Sprint(Schedule(hosts, 9, rand.New(rand.NewPCG(5, 5)))); again != first {
			t.Fatalf("plans of one seed:\n%s\n%s", first, again)
		}
	}
}
