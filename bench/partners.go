package bench

import "fmt"

// Pattern says which ranks talk to each other.
type Pattern int

const (
	// Pairs: rank i talks to rank i + n/2, n even, as in IMB-P2P.
	Pairs Pattern = iota
	// Chain: rank i talks to its neighbours i-1 and i+1 around the ring, n >= 2, as in
	// IMB-MPI1's Sendrecv and Exchange.
	Chain
)

// check returns a sentence for a number of ranks that does not fit.
func (p Pattern) check(bench string, ranks int) error {
	if ranks < 2 {
		return &PlanError{fmt.Sprintf("%s needs at least 2 ranks, there is %d: use -n 2", bench, ranks)}
	}
	if p == Pairs && ranks%2 != 0 {
		return &PlanError{fmt.Sprintf("%s works in pairs and needs an even number of ranks, there are %d: use -n %d", bench, ranks, ranks+1)}
	}
	return nil
}

// partner is the rank with which rank 0 hands a cache line to and fro.
func (p Pattern) partner(ranks int) int {
	if p == Pairs {
		return ranks / 2
	}
	return 1
}
