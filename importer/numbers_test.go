package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Results are found in any output by an expression or a path: the median of the numbers of each
// benchmark, in the unit of records.
func TestNumbers(t *testing.T) {
	const (
		lines = "starting\nencode: 1.5 ms\ndecode: 4 ms\nencode: 2.5 ms\n"
		json  = "{\"version\": 7, \"results\": [{\"mean\": 2, \"times\": [1, 3]}, {\"mean\": 4, \"times\": [5]}]}\n"
	)
	for _, c := range []struct {
		name, output string
		find         Numbers
		want         string // benchmark, metric, median and number of values; or the end of the error
	}{
		{"only group", lines, Numbers{Pattern: `^decode: ([0-9.]+)`, Unit: "us"}, "mine t_s 4e-06 1"},
		{"named groups", lines, Numbers{Pattern: `^(?<bench>\w+): (?<value>[0-9.]+) ms$`, Unit: "ms"}, "decode t_s 0.004 1, encode t_s 0.002 2"},
		{"all elements", json, Numbers{Path: "results[].mean", Unit: "MB/s"}, "mine bandwidth_Bps 3e+06 2"},
		{"one element", json, Numbers{Path: "$.results[0].times[*]", Unit: "s"}, "mine t_s 2 2"},
		{"lines of JSON", "{\"x\":5}\n{\"x\":7}\n", Numbers{Path: "x", Unit: "Mop/s"}, "mine mops 6 2"},
		{"nothing", lines, Numbers{Pattern: `^none: (\d+)`, Unit: "s"}, `the output has no number at ^none: (\d+)`},
		{"a word", lines, Numbers{Pattern: `^(start)`, Unit: "s"}, `the pattern finds "start", which is no number`},
		{"an array", json, Numbers{Path: "results", Unit: "s"}, "the output has no number at results"},
		{"no JSON", lines, Numbers{Path: "x", Unit: "s"}, "the output is not JSON: invalid character 's' looking for beginning of value"},
		{"below 0", "{\"x\":-5}\n", Numbers{Path: "x", Unit: "s"}, "t_s: median is -5, must be a finite number of at least 0"},
	} {
		if err := c.find.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		launches, err := Import("x", []byte(c.output), Given{Format: "numbers", Numbers: c.find, Bench: "mine", Library: "new", Ran: true, Strict: true})
		if err != nil {
			if !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var got []string
		for _, p := range launches[0].Points {
			for key, v := range p.Metrics.All() {
				got = append(got, fmt.Sprint(p.Bench, " ", key, " ", v.Median, " ", v.N))
			}
		}
		if slices.Sort(got); strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		find Numbers
		want string
	}{
		{Numbers{Pattern: "x", Unit: "s"}, "the pattern has no group for the number"},
		{Numbers{Pattern: "(", Unit: "s"}, "pattern is no regular expression"},
		{Numbers{Path: "x[y]", Unit: "s"}, `json is "x[y]", want a path`},
		{Numbers{Path: "x[1", Unit: "s"}, `json is "x[1", want a path`},
		{Numbers{Pattern: "(x)", Path: "x", Unit: "s"}, "want a pattern or a path of JSON, and not both"},
		{Numbers{Path: "x", Unit: "sec"}, `unknown unit "sec"`},
	} {
		if err := c.find.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.find, err)
		}
	}
}
