package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"gobench/internal/record/series"
	"gobench/record"
)

// No two rows of a table are equal in all that is printed of their factors: hosts, labels,
// libraries, options and other factors that no column shows are in the headings where they differ.
func TestRowsAreToldApart(t *testing.T) {
	at := func(id string, hosts ...string) record.Run {
		r := record.Run{ID: id, Job: record.Job{Ranks: 2}}
		for i, name := range hosts {
			r.Hosts = append(r.Hosts, map[string]any{"hostname": name})
			r.Job.Hosts = append(r.Job.Hosts, i)
		}
		return r
	}
	point := func(run string, change func(*record.Point)) record.Point {
		p := record.Point{Run: run, Bench: "pingpong", Transport: "tcp", Level: "device", Ranks: 2, RankKind: "process", Size: 8, Iterations: 1,
			Options: map[string]string{"wait": "spin", "nodelay": "on"}, Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 1e-6, N: 10}})}
		if change != nil {
			change(&p)
		}
		return p
	}
	runs := []record.Run{at("a", "h1", "h2"), at("b", "h1", "h3"), at("c", "h2", "h3"), at("d", "h1", "h2")}
	runs[3].Label = "after"
	for _, c := range []struct {
		name   string
		points []record.Point
		want   []string // ends of headings
	}{
		{"one", []record.Point{point("a", nil)}, []string{"not pinned"}},
		{"hosts", []record.Point{point("a", nil), point("b", nil), point("c", nil)}, []string{"hosts h[1-2] with ranks 2x1", "hosts h[1,3] with ranks 2x1", "hosts h[2-3] with ranks 2x1"}},
		{"labels", []record.Point{point("a", nil), point("d", nil)}, []string{"not pinned", "not pinned, labelled after"}},
		{"an option", []record.Point{point("a", nil), point("a", func(p *record.Point) { p.Options = map[string]string{"wait": "sleep", "nodelay": "on"} })}, []string{"wait=spin", "wait=sleep"}},
		{"an option and the state of the cores", []record.Point{point("a", func(p *record.Point) { p.DistanceBefore, p.DistanceAfter = 30e-9, 30e-9 }), point("a", func(p *record.Point) {
			p.Options = map[string]string{"wait": "sleep", "nodelay": "on"}
			p.DistanceBefore, p.DistanceAfter = 200e-9, 200e-9
		})}, []string{"wait=spin", "wait=sleep"}},
		{"a library", []record.Point{point("a", nil), point("a", func(p *record.Point) { p.Library = "Open MPI 4.1.4" })}, []string{"not pinned", "not pinned, Open MPI 4.1.4"}},
	} {
		table := seriesTable(runs, c.points, &series.Scales{}, Terminal{}, true)
		var got []string
		for _, m := range regexp.MustCompile("(?m)^# pingpong over tcp, (.*(?:\n#   .*)*)").FindAllStringSubmatch(table, -1) {
			got = append(got, strings.ReplaceAll(m[1], "\n#   ", " "))
		}
		if !slices.EqualFunc(got, c.want, strings.HasSuffix) {
			t.Errorf("%s: headings %q, want the ends %q", c.name, got, c.want)
		}
	}
}
