package experiment

import (
	"gobench/internal/launch/host"
	"gobench/internal/remedy"
)

// Pairs is the value of --pin that places two ranks on each pair of cores in turn.
const Pairs = "pairs"

// each returns r itself or, with Pairs, one measurement for each pair of cores that this process
// may use.
func (r *measurement) each() ([]*measurement, error) {
	if r.Pin != Pairs {
		return []*measurement{r}, nil
	}
	allowed, err := host.AllowedCores()
	if err != nil {
		return nil, err
	}
	pairs := pairsOf(allowed)
	if len(pairs) == 0 {
		return nil, remedy.Errorf("%v needs two cores, and this process may use one", remedy.Set("pin", "pairs"))
	}
	var list []*measurement
	for _, p := range pairs {
		one := *r
		one.Pin, one.pairs = host.ListCores(p[:]), len(pairs)
		list = append(list, &one)
	}
	return list, nil
}

// pairsOf returns all pairs of cores, the lower one first.
func pairsOf(cores []int) [][2]int {
	var pairs [][2]int
	for i, a := range cores {
		for _, b := range cores[i+1:] {
			pairs = append(pairs, [2]int{a, b})
		}
	}
	return pairs
}
