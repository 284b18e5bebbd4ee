package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gobench/record"
	"gobench/stats"
)

// hyperfineFormat is the file that hyperfine writes with --export-json.
var hyperfineFormat = format{
	name: "hyperfine", read: importHyperfine,
	object: func(fields map[string]json.RawMessage) bool {
		results := string(fields["results"])
		return strings.Contains(results, `"command"`) && strings.Contains(results, `"mean"`) && strings.Contains(results, `"user"`)
	},
}

// hyperfineResult is a command that hyperfine measured. Times are seconds.
type hyperfineResult struct {
	Command    string
	Mean       float64
	Median     float64
	Min, Max   float64
	Times      []float64
	Codes      []*int `json:"exit_codes"` // nil: ended by a signal
	Parameters map[string]any
}

// importHyperfine reads the wall-clock times of commands: the median of the runs of each. A command
// of which a run failed is left out. The benchmark is the command, or that of Given, of which
// several commands are the classes.
func importHyperfine(l *log) error {
	var file struct{ Results []hyperfineResult }
	if err := l.object(&file); err != nil {
		return l.leaveOut("%v", err)
	}
	for _, r := range file.Results {
		l.table++ // a command that occurs again is of another launch
		if err := l.hyperfinePoint(r, len(file.Results) > 1); err != nil {
			return err
		}
	}
	return nil
}

func (l *log) hyperfinePoint(r hyperfineResult, several bool) error {
	l.at = l.lineOf(r.Command)
	failed := slices.ContainsFunc(r.Codes, func(code *int) bool { return code == nil || *code != 0 })
	switch {
	case failed:
		return l.leaveOut("runs of %q failed", r.Command)
	case r.Mean <= 0 && len(r.Times) == 0:
		return l.leaveOut("%q has no times", r.Command)
	case len(r.Times) > 0 && slices.Min(r.Times) <= 0:
		return l.leaveOut("a time of %q is not above 0", r.Command)
	}
	p := l.point(cmp.Or(l.given.Bench, r.Command), "unknown", "comm", cmp.Or(l.given.Ranks, 1))
	if l.given.Bench != "" && several {
		p.Class = r.Command
	}
	for name, value := range r.Parameters { // of -L and -P
		if p.Options == nil {
			p.Options = map[string]string{}
		}
		p.Options[name] = fmt.Sprint(value)
	}
	n := len(r.Times)
	p.Iterations = int64(n)
	p.Metrics.Set("run_s", record.Value{Median: r.Mean, N: 1, Statistic: record.Mean, Min: r.Min, Max: r.Max})
	p.Method = "mean of the runs, as hyperfine prints it"
	if n > 0 {
		v := record.Times(stats.Summarize(r.Times), false)
		if v.Mean = r.Mean; v.Mean < v.Min || v.Mean > v.Max {
			v.Mean = 0
		}
		p.Metrics.Set("run_s", v)
		p.Method = fmt.Sprintf("median of %d runs, of the times that hyperfine prints", n)
	}
	return l.add(p)
}

// lineOf returns the index of the first line from the current one on that contains a JSON text.
func (l *log) lineOf(text string) int {
	var quoted strings.Builder
	out := json.NewEncoder(&quoted)
	out.SetEscapeHTML(false)
	if out.Encode(text) == nil {
		for i := l.at; i < len(l.lines); i++ {
			if strings.Contains(l.lines[i], strings.TrimSpace(quoted.String())) {
				return i
			}
		}
	}
	return l.at
}
