package tuner

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"gobench/comm/coll"
	"gobench/device"
	"gobench/experiment"
	"gobench/internal/collect"
	"gobench/internal/experiment/tune"
	"gobench/nearest"
)

// nothing is the list of no operations, or of no options.
const nothing = "none"

// A search finds the best value of an option.
type search struct {
	transport string
	option    device.Option
}

// values returns the values to compare, the default first.
func (s *search) values() []string {
	list := []string{s.option.Default}
	list = append(list, collect.If(s.option.Search.Values, func(v string) bool { return !experiment.SameValue(v, s.option.Default) })...)
	return list
}

// searches returns the searches of the requested options. There are none for ranks on other hosts,
// because near and far are distances of cores on one host.
func (t *Tuner) searches() ([]search, error) {
	if t.Settings == nothing || t.On.List+t.On.File != "" {
		return nil, nil
	}
	asked := strings.Split(t.Settings, ",")
	var list []search
	var known []string
	for _, name := range strings.Split(t.Transports, ",") {
		driver, err := device.Lookup(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		for _, o := range driver.Options() {
			if o.Search == nil {
				continue
			}
			known = append(known, o.Name)
			if t.Settings == "all" || slices.Contains(asked, o.Name) {
				list = append(list, search{driver.Name(), o})
			}
		}
	}
	for _, name := range asked {
		if name != "all" && !slices.Contains(known, name) {
			return nil, &nearest.UnknownError{What: "option to tune", Name: name, Known: append(known, "all", nothing), List: "options"}
		}
	}
	return list, nil
}

// search runs the searches in order, each with the values found before, prints a row for each value
// and distance, and returns the settings that replace defaults.
func (t *Tuner) search(ctx context.Context, searches []search, stdout, stderr io.Writer) ([]coll.Setting, error) {
	if len(searches) == 0 {
		return nil, nil
	}
	var found []coll.Setting
	fmt.Fprintf(stdout, "%-10s %-12s %-9s %8s %6s %7s  %s\n", "#transport", "option", "value", "distance", "time", "+-[%]", "chosen")
	for i, s := range searches {
		fmt.Fprintf(t.notices(stderr), "gobench: option %d of %d: %s of %s\n", i+1, len(searches), s.option.Name, s.transport)
		rounds, err := t.rounds(ctx, &s, found, stderr)
		if err != nil {
			return nil, err
		}
		chosen, effects := tune.ChooseValue(s.option.Default, rounds)
		for _, e := range effects {
			distance, precision, mark := "near", "-", ""
			if e.Far {
				distance = "far"
			}
			if v := e.Ratio; v.Confidence > 0 {
				precision = fmt.Sprintf("%.1f", 100*max(v.Hi-v.Median, v.Median-v.Lo)/v.Median)
			}
			if e.Value == chosen {
				mark = "yes"
			}
			fmt.Fprintf(stdout, "%-10s %-12s %-9s %8s %6.3f %7s  %s\n", s.transport, s.option.Name, e.Value, distance, e.Ratio.Median, precision, mark)
		}
		if chosen != s.option.Default {
			found = append(found, coll.Setting{Transport: s.transport, Option: s.option.Name, Value: chosen})
		}
	}
	_, err := io.WriteString(stdout, "# time relative to the default's, geometric mean over messages, median of launches; a value replaces the default where its\n"+
		"#   interval of 95 % is below 1 at one distance of the cores, above 1 at none, and 3 % are gained\n")
	return found, err
}

// rounds measures all values of an option in turn, in as many rounds as there are launches.
func (t *Tuner) rounds(ctx context.Context, s *search, found []coll.Setting, stderr io.Writer) ([][]tune.Trial, error) {
	values := s.values()
	var rounds [][]tune.Trial
	for n := range t.Launches {
		var round []tune.Trial
		for i := range values {
			value := values[(n+i)%len(values)]
			command := []string{"p2p", "--transport=" + s.transport, "--level=device", "--bench=pingpong", "-n", "2", "--launches=1", "--budget=" + t.Budget.String(),
				"--sizes=" + s.option.Search.Sizes, "--memory=" + s.option.Search.Memory, "--profile=" + t.profile(), "-o", t.Records, "--set=" + s.option.Name + "=" + value}
			for _, f := range found {
				if f.Transport == s.transport {
					command = append(command, "--set="+f.Option+"="+f.Value)
				}
			}
			rows, err := t.measure(ctx, command, stderr)
			if err != nil {
				return nil, err
			}
			round = append(round, tune.Trial{Value: value, Points: rows.Points})
		}
		rounds = append(rounds, round)
	}
	return rounds, nil
}
