package importer

import (
	"strings"

	"gobench/internal/remedy"
	"gobench/record"
)

var streamFormat = format{
	name: "STREAM", version: streamVersion, read: importSTREAM,
	banners: []pattern{
		match(`Assuming +\d+ bytes per `), // Fortran, above the title
		streamVersion,
		match(`Function +(?:Best )?Rate \(?MB/s\)? +Avg time`),
	},
}

var (
	streamVersion = match(`STREAM [Vv]ersion \$Revision: ([0-9.]+) ?\$`)
	streamWord    = match(`\b(?:uses|Assuming) +(\d+) bytes per `)
	streamArray   = match(`^(?:Total Aggregate )?Array size = +(\d+)`)
	streamRanks   = match(`^Data is distributed across (\d+) MPI ranks`)
	streamThreads = match(`^Number of (?:Threads|processors)[^=]*= +(\d+)`)
	streamTimes   = match(`(?i)\b(?:executed|each test|each test is run) +(\d+) times`)
	streamRow     = match(`^(Copy|Scale|Add|Triad): +(\S+) +(\S+) +(\S+) +(\S+)$`)
	streamWrong   = match(`(?i)^(?:failed validation|.*\bsolution did not validate|.*errors were found)`)
)

// importSTREAM reads the results of McCalpin's STREAM in C or Fortran, with threads or MPI: the
// best rate, and the least, mean and longest time. A MB has 10^6 bytes. It is the size of an
// array, of which a kernel reads and writes two or three. Results of arrays that did not validate
// are left out.
func importSTREAM(l *log) error {
	facts := map[string]int{}
	valid := false
	for _, line := range l.lines {
		for name, p := range map[string]pattern{
			"word": streamWord, "array": streamArray, "ranks": streamRanks, "threads": streamThreads, "times": streamTimes,
		} {
			if m := p.FindStringSubmatch(line); m != nil && facts[name] == 0 {
				facts[name] = wholeOf(m[1])
			}
		}
		if streamWrong.MatchString(line) {
			facts["wrong"] = 1
		}
		valid = valid || strings.HasPrefix(line, "Solution Validates")
	}
	return l.each(func(line string) error {
		m := streamRow.FindStringSubmatch(line)
		if m == nil {
			return nil
		}
		values, ok := parseAll(m[2:])
		switch {
		case facts["wrong"] != 0:
			return l.leaveOut("the arrays did not validate")
		case !ok || values[0].x <= 0:
			return l.leaveOut("the rate is no number above 0")
		}
		return l.streamPoint(strings.ToLower(m[1]), facts, values, valid)
	})
}

// streamPoint adds the point of a kernel, of rate, mean, least and longest time.
func (l *log) streamPoint(kernel string, facts map[string]int, values []number, valid bool) error {
	p := l.point("stream_"+kernel, "none", "raw", max(1, facts["ranks"]))
	size := int64(-1)
	if array, word := facts["array"], facts["word"]; array > 0 && word > 0 && array < 1<<45 && word < 1<<8 {
		size = int64(array) * int64(word)
	}
	size, ok := l.sizeOr(size)
	if !ok {
		return l.leaveOut("the log does not state the size of the arrays of STREAM: add %v", remedy.Named("size"))
	}
	p.Size = size
	p.Threads = facts["threads"]
	p.Iterations = int64(facts["times"])
	p.Amount = 2 * p.Size
	if kernel == "add" || kernel == "triad" {
		p.Amount = 3 * p.Size
	}
	bandwidth := values[0].times(1e6)
	p.Metrics.Set("bandwidth_Bps", record.Value{Median: bandwidth.x, N: 1, Statistic: record.Best})
	p.Method = "the best run of the loop, as " + l.writer() + " prints it"
	if t := bandwidth.over(float64(p.Amount)); values[2].agrees(t) {
		v := record.Value{Median: t.x, N: 1, Statistic: record.Best, Mean: values[1].x, Max: values[3].x}
		if v.Mean < t.x || v.Max < v.Mean { // they are printed with fewer digits
			v.Mean, v.Max = 0, 0
		}
		p.Metrics.Set("t_s", v)
		p.Method += "; the time is computed from the rate, which is printed with more digits"
	} else {
		l.warn("the times of STREAM are left out where they do not match the rates")
	}
	if !valid {
		p.Warnings = append(p.Warnings, "the result was not checked")
	}
	return l.add(p)
}
