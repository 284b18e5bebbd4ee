package collective

import "gobench/bench"

// match compares data with that of a stream and returns the first defect, or nil.
func match(data []byte, s bench.Stream, iteration uint64) *bench.DataError {
	if at, want := s.Check(data, iteration); at >= 0 {
		return &bench.DataError{Size: len(data), Source: s.Rank, Offset: at, Want: want, Got: data[at]}
	}
	return nil
}

// part returns block i of a buffer of equal blocks.
func part(data []byte, i, bytes int) []byte { return data[i*bytes : (i+1)*bytes] }
