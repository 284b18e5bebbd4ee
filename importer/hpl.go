package importer

import (
	"fmt"
	"time"

	"gobench/record"
)

var hplFormat = format{
	name: "HPL", family: "mpi", version: hplVersion, read: importHPL, tables: true,
	banners: []pattern{
		hplVersion,
		match(`T/V +N +NB +P +Q +Time +Gflops`),
	},
}

var (
	hplVersion = match(`HPL(?:inpack|-NVIDIA|-MxP)? (\d\S*) +--`)
	// "WR11C2R4   4000   128   1   2   0.52   8.2001e+01"; builds of vendors add columns
	hplRow = match(`^(W[RC]\d\w*)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+([0-9.]+)\s+([0-9.]+(?:[eE][+-]?\d+)?)(?:\s|$)`)
	hplOdd = match(`^W[RC]\d\w*(?:\s+\S+){6}`)
	// ||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   2.74440985e-03 ...... PASSED
	hplStart = match(`^HPL_\w+\(\) start time +(.*)`)
	hplCheck = match(`^\|\|Ax-b\|\|.*\b(PASSED|FAILED)\b`)
)

// importHPL reads the results of High Performance Linpack. A Gflop/s is 1000 Mop/s. The class is
// the size of the problem with all that was tuned, as HPL names it. A result that failed the check
// is left out; one without a check is marked.
func importHPL(l *log) error {
	return l.each(func(line string) error {
		m := hplRow.FindStringSubmatch(line)
		if m == nil && hplOdd.MatchString(line) {
			return l.leaveOut("%q is no row of HPL", line)
		}
		if m == nil {
			return nil
		}
		l.table++
		checked := false
		var when time.Time
		for _, line := range l.lines[l.at+1:] {
			if hplOdd.MatchString(line) {
				break
			}
			if s := hplStart.FindStringSubmatch(line); s != nil {
				when = l.facts.date(s[1])
			}
			if c := hplCheck.FindStringSubmatch(line); c != nil {
				if checked = true; c[1] == "FAILED" {
					return l.leaveOut("the result failed the check of its residual")
				}
			}
		}
		return l.hplPoint(m, checked, when)
	})
}

// hplPoint adds the point of a row; when is the time at which it began, zero if it is not printed.
func (l *log) hplPoint(m []string, checked bool, when time.Time) error {
	rows, columns := wholeOf(m[4]), wholeOf(m[5])
	seconds, _ := parse(m[6])
	rate, _ := parse(m[7])
	if rate.x <= 0 || rows <= 0 || columns <= 0 || rows > 1<<24 || columns > 1<<24 {
		return l.leaveOut("the rate is 0, or the grid of processes is empty")
	}
	p := l.point("hpl", "unknown", "comm", rows*columns)
	p.Iterations = 1
	if !when.IsZero() && l.given.Time.IsZero() {
		p.Time = when
		if l.facts.when.IsZero() {
			l.facts.when = when
		}
	}
	p.Class = fmt.Sprintf("N=%s NB=%s %dx%d %s", m[2], m[3], rows, columns, m[1])
	p.Method = "one run, as " + l.writer() + " prints it"
	if seconds.x > 0 {
		p.Metrics.Set("run_s", record.Value{Median: seconds.x, N: 1})
		p.Method += fmt.Sprintf("; the time of %s s is known to %.2g %%, the rate to %.2g %%", m[6], 100*seconds.relative(), 100*rate.relative())
	} else {
		p.Method += "; the time is too short to be printed, the rate is not"
	}
	p.Metrics.Set("mops", record.Value{Median: rate.x * 1000, N: 1})
	if !checked {
		p.Warnings = append(p.Warnings, "the result was not checked")
	}
	return l.add(p)
}
