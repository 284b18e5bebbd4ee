package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gobench/nearest"
	"gobench/record"
	"gobench/stats"
)

// numbersFormat is the output of any program, in which Given.Numbers finds the results.
var numbersFormat = format{name: "numbers", read: importNumbers}

// Numbers selects results in the output of a program that has no format of its own, by an
// expression or by a path. The zero value selects nothing.
type Numbers struct {
	// Pattern is a regular expression in the syntax of package regexp, in which ^ and $ match at
	// lines. Its group "value", or its only group, is the number, and its group "bench" names the
	// benchmark.
	Pattern string
	// Path selects numbers in the JSON values of the output: results[].mean selects the field mean
	// of all elements of the field results, results[0] the first element.
	Path string
	Unit string // of the numbers, a name of units
}

// units are the units of Numbers, each with its metric.
var units = []struct {
	name, metric string
	scale        float64
}{
	{"s", "t_s", 1}, {"ms", "t_s", 1e-3}, {"us", "t_s", 1e-6}, {"ns", "t_s", 1e-9},
	{"B/s", "bandwidth_Bps", 1}, {"MB/s", "bandwidth_Bps", 1e6}, {"GB/s", "bandwidth_Bps", 1e9},
	{"op/s", "mops", 1e-6}, {"Mop/s", "mops", 1},
}

// Check returns an error for a selection that can find nothing.
func (n Numbers) Check() (err error) {
	switch {
	case (n.Pattern == "") == (n.Path == ""):
		return errors.New("want a pattern or a path of JSON, and not both")
	case n.Path != "":
		_, err = n.steps()
	default:
		_, _, err = n.expression()
	}
	if err == nil {
		_, _, err = n.metric()
	}
	return err
}

// metric returns the metric of the unit, and the factor from the unit to that of the metric.
func (n Numbers) metric() (key string, scale float64, err error) {
	var known []string
	for _, u := range units {
		if u.name == n.Unit {
			return u.metric, u.scale, nil
		}
		known = append(known, u.name)
	}
	return "", 0, &nearest.UnknownError{What: "unit", Name: n.Unit, Known: known}
}

// expression returns the compiled pattern and the number of the group that is the value.
func (n Numbers) expression() (e *regexp.Regexp, value int, err error) {
	if e, err = regexp.Compile("(?m)" + n.Pattern); err != nil {
		return nil, 0, fmt.Errorf("pattern is no regular expression: %w", err)
	}
	if value = e.SubexpIndex("value"); value < 0 {
		value = 1
		if e.NumSubexp() != 1 {
			return nil, 0, errors.New(`the pattern has no group for the number: write it as (?<value>[0-9.]+)`)
		}
	}
	return e, value, nil
}

// step is one step of a path: to a field, to an element by its number, or to all elements.
type step struct {
	field string // "" = to elements
	index int    // -1 = all
}

// steps returns the steps of the path.
func (n Numbers) steps() (steps []step, err error) {
	for word := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(n.Path, "$"), "."), ".") {
		field, rest, _ := strings.Cut(word, "[")
		if field != "" {
			steps = append(steps, step{field: field})
		}
		for rest != "" {
			inside, after, closed := strings.Cut(rest, "]")
			rest = strings.TrimPrefix(after, "[")
			at := step{index: -1}
			if inside != "" && inside != "*" {
				at.index, err = strconv.Atoi(inside)
			}
			if err != nil || !closed || at.index < -1 {
				return nil, fmt.Errorf("json is %q, want a path such as results[].mean or results[0].times[]", n.Path)
			}
			steps = append(steps, at)
		}
	}
	return steps, nil
}

// follow appends the numbers to which steps lead from a JSON value.
func follow(value any, steps []step, found []float64) []float64 {
	switch v := value.(type) {
	case float64:
		if len(steps) == 0 {
			found = append(found, v)
		}
	case map[string]any:
		if len(steps) > 0 {
			found = follow(v[steps[0].field], steps[1:], found)
		}
	case []any:
		for i, next := range v {
			if len(steps) > 0 && steps[0].field == "" && (steps[0].index < 0 || steps[0].index == i) {
				found = follow(next, steps[1:], found)
			}
		}
	}
	return found
}

// find returns the numbers of an output in its unit and their benchmarks, "" where the output does
// not name them, in the order of the output.
func (n Numbers) find(output string) (values []float64, benches []string, err error) {
	if n.Path != "" {
		steps, err := n.steps()
		for in := json.NewDecoder(strings.NewReader(output)); err == nil; {
			var value any
			if err = in.Decode(&value); err == nil {
				values = follow(value, steps, values)
			}
		}
		if err != nil && err != io.EOF {
			return nil, nil, fmt.Errorf("the output is not JSON: %w", err)
		}
		return values, make([]string, len(values)), nil
	}
	e, value, err := n.expression()
	if err != nil {
		return nil, nil, err
	}
	for _, m := range e.FindAllStringSubmatch(output, -1) {
		x, err := strconv.ParseFloat(m[value], 64)
		if err != nil {
			return nil, nil, fmt.Errorf("the pattern finds %q, which is no number", m[value])
		}
		bench := ""
		if i := e.SubexpIndex("bench"); i >= 0 {
			bench = m[i]
		}
		values, benches = append(values, x), append(benches, bench)
	}
	return values, benches, nil
}

// importNumbers reads the numbers that Given.Numbers selects. Those of a benchmark are the samples
// of one launch, and its result is their median.
func importNumbers(l *log) error {
	n := l.given.Numbers
	key, scale, err := n.metric()
	if err != nil {
		return err
	}
	values, benches, err := n.find(strings.Join(l.lines, "\n"))
	switch {
	case err != nil:
		return l.leaveOut("%v", err)
	case len(values) == 0:
		return l.leaveOut("the output has no number at %s", cmp.Or(n.Path, n.Pattern))
	}
	samples := map[string][]float64{} // by benchmark
	for i, bench := range benches {
		samples[bench] = append(samples[bench], values[i]*scale)
	}
	for _, bench := range slices.Sorted(maps.Keys(samples)) {
		p := l.point(cmp.Or(bench, l.given.Bench, "command"), "unknown", "comm", cmp.Or(l.given.Ranks, 1))
		p.Iterations = int64(len(samples[bench]))
		p.Method = "median of the numbers that the program printed in a launch"
		p.Metrics.Set(key, record.Value{Median: stats.Median(samples[bench]), N: len(samples[bench])})
		if err := l.add(p); err != nil {
			return err
		}
	}
	return nil
}

// streamed adds the bandwidth and the message rate of a stream of messages to a point. It returns
// false if the log has neither. For small messages the bandwidth is often printed with fewer digits
// than size x message rate, which is then used.
func (l *log) streamed(p *record.Point, bandwidth, messages number) bool {
	if messages.x > 0 {
		p.Metrics.Set("message_rate_per_s", mean(messages.x))
	}
	if computed := messages.times(float64(p.Size)); computed.x > 0 && computed.agrees(bandwidth) && computed.relative() < bandwidth.relative() {
		bandwidth = computed
		p.Method += "; the bandwidth is computed from the message rate, which is printed with more digits"
	}
	if bandwidth.x > 0 {
		p.Metrics.Set("bandwidth_Bps", mean(bandwidth.x))
	}
	return p.Metrics.Len() > 0
}
