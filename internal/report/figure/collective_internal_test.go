package figure

import (
	"strings"
	"testing"

	"gobench/internal/report/cell"
	"gobench/record"
)

// A caption states of which rank the time of a collective is: some programs print the mean over
// ranks.
func TestWhoseTimeItIs(t *testing.T) {
	point := func(statistic string) cell.Point {
		return cell.Point{Point: &record.Point{Metrics: record.ValuesOf(map[string]record.Value{"local_s": {Median: 1, N: 1, Statistic: statistic}})}}
	}
	own, slowest, mean := point(""), point(record.Mean), point(record.RankMean)
	for want, points := range map[string][]cell.Point{
		"of the slowest rank, each": {own, slowest},
		"Time: mean over ranks":     {mean, mean},
		"of the slowest rank, or":   {own, mean},
	} {
		if got := whatTime("local_s", points); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := When([]cell.Point{own}); got != "" {
		t.Errorf("results of a log without a date were measured %q", got)
	}
}
