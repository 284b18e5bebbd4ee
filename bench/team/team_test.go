package team

import (
	"testing"

	"gobench/internal/allocs"
)

func TestTeamRunsEveryThreadOnce(t *testing.T) {
	rounds := 1000
	if testing.Short() { // the race detector makes waiting slow, and has seen all after some
		rounds = 30
	}
	for _, threads := range []int{1, 2, 3, 7} {
		team, err := New(threads, nil)
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]int, threads)
		count := func(thread int) { counts[thread]++ }
		for range rounds {
			team.Run(count)
		}
		for thread, n := range counts {
			if n != rounds {
				t.Errorf("thread %d of %d ran %d times, want %d", thread, threads, n, rounds)
			}
		}
		if !testing.Short() {
			if n := allocs.Count(100, func() { team.Run(count) }); n > 0 {
				t.Errorf("a team of %d allocates %v times per run", threads, n)
			}
		}
		team.Close()
	}
}
