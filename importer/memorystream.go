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

// A streamLog holds what a log of STREAM states about all of its kernels, 0 for what it does not.
type streamLog struct {
	word, array    int // bytes of an element; elements of an array
	ranks, threads int
	times          int  // runs of the loop
	wrong          bool // the arrays were found wrong
	valid          bool // they were found right
}

func readStreamLog(lines []string) (s streamLog) {
	facts := []struct {
		pattern
		to *int
	}{{streamWord, &s.word}, {streamArray, &s.array}, {streamRanks, &s.ranks}, {streamThreads, &s.threads}, {streamTimes, &s.times}}
	for _, line := range lines {
		for _, fact := range facts {
			if m := fact.FindStringSubmatch(line); m != nil && *fact.to == 0 {
				*fact.to = wholeOf(m[1])
			}
		}
		s.wrong = s.wrong || streamWrong.MatchString(line)
		s.valid = s.valid || strings.HasPrefix(line, "Solution Validates")
	}
	return s
}

// size returns the bytes of an array, -1 if the log does not state them.
func (s streamLog) size() int64 {
	if s.array <= 0 || s.word <= 0 || s.array >= 1<<45 || s.word >= 1<<8 {
		return -1
	}
	return int64(s.array) * int64(s.word)
}

// importSTREAM reads the results of McCalpin's STREAM in C or Fortran, with threads or MPI: the
// best rate, and the shortest, mean and longest time. A MB has 10^6 bytes. Points have the size of
// an array, of which a kernel reads and writes two or three. Results of arrays that did not
// validate are left out.
func importSTREAM(l *log) error {
	about := readStreamLog(l.lines)
	return l.each(func(line string) error {
		m := streamRow.FindStringSubmatch(line)
		if m == nil {
			return nil
		}
		return l.addStream(about, strings.ToLower(m[1]), m[2:])
	})
}

// addStream adds the point of a kernel. The columns are rate, mean, shortest and longest time.
func (l *log) addStream(about streamLog, kernel string, columns []string) error {
	values, ok := parseAll(columns)
	if about.wrong {
		return l.leaveOut("the arrays did not validate")
	}
	if !ok || values[0].x <= 0 {
		return l.leaveOut("the rate is no number above 0")
	}
	size, ok := l.sizeOr(about.size())
	if !ok {
		return l.leaveOut("the log does not state the size of the arrays of STREAM: add %v", remedy.Named("size"))
	}
	p := l.point("stream_"+kernel, "none", "raw", max(1, about.ranks))
	p.Size = size
	p.Threads = about.threads
	p.Iterations = int64(about.times)
	p.Amount = 2 * size
	if kernel == "add" || kernel == "triad" {
		p.Amount = 3 * size
	}
	rate, mean, shortest, longest := values[0].times(1e6), values[1].x, values[2], values[3].x
	p.Metrics.Set("bandwidth_Bps", record.Value{Median: rate.x, N: 1, Statistic: record.Best})
	p.Method = "the best run of the loop, as " + l.writer() + " prints it"
	if t := rate.over(float64(p.Amount)); shortest.agrees(t) {
		if mean < t.x || longest < mean { // they are printed with fewer digits
			mean, longest = 0, 0
		}
		p.Metrics.Set("t_s", record.Value{Median: t.x, N: 1, Statistic: record.Best, Mean: mean, Max: longest})
		p.Method += "; the time is computed from the rate, which is printed with more digits"
	} else {
		l.warn("the times of STREAM are left out where they do not match the rates")
	}
	if !about.valid {
		p.Warnings = append(p.Warnings, "the result was not checked")
	}
	return l.add(p)
}
