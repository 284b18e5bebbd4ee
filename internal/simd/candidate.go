package simd

// A Candidate is one implementation of a routine, by the name that profiles and records have. A
// trial may call any of them: all give the same results, but for the rounding of sums.
type Candidate[F any] struct {
	Name string
	Use  F
}

// Candidates returns the implementations of a routine that this build and processor have, plain Go
// first; pick returns that of a set.
func Candidates[F any](pick func(*Set) F) []Candidate[F] {
	var list []Candidate[F]
	for _, s := range all {
		list = append(list, Candidate[F]{s.Level, pick(s)})
	}
	return list
}
