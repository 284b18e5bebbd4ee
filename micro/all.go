package micro

import (
	"slices"
	"strings"

	"gobench/bench"
	"gobench/device"
)

// All returns every benchmark, in the order in which they are shown.
func All() []bench.Benchmark {
	return []bench.Benchmark{
		PingPong(), PingPing(), Sendrecv(), Exchange(), Uniband(), Biband(), MsgRate(),
	}
}

// Lookup finds a benchmark by name or alias, in any case. Otherwise it returns a
// *device.UnknownError; Suggest says what may have been meant.
func Lookup(name string) (bench.Benchmark, error) {
	var names []string
	for _, b := range All() {
		if strings.EqualFold(name, b.Name) || slices.ContainsFunc(b.Aliases, func(a string) bool { return strings.EqualFold(name, a) }) {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return bench.Benchmark{}, &device.UnknownError{What: "benchmark", Name: name, Known: names}
}

// Suggest returns the name of the benchmark that was probably meant, or "".
func Suggest(name string) string {
	best, least := "", 3 // more than two letters wrong is another word
	for _, b := range All() {
		for _, candidate := range append([]string{b.Name}, b.Aliases...) {
			if d := distance(strings.ToLower(name), candidate); d < least {
				best, least = b.Name, d
			}
		}
	}
	return best
}

// distance is the number of letters to insert, delete or replace (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
