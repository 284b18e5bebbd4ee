package importer

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// facts holds statements of the lines around a table: the library that was measured, and when.
type facts struct {
	library map[string]string // by family of formats: of the line of a library at its start
	stated  map[string]string // by family: of a line of a script, such as the output of mpirun --version
	when    time.Time
	zone    string   // of when, "" if it is known or not stated
	hosts   []string // of the line that launched the program, or of the lines of its ranks

	osu *osuCommand // the command line of the program of OSU, nil if the log lacks it
	ucx ucxCommand  // of the last command of ucx_perftest that names a test

	perftest struct { // of the last command of perftest
		operation string // "RDMA_Write", "" = not stated
		both      bool
	}

	provider    string // of the last command of a program of libfabric: "tcp;ofi_rxm"
	collective  string // of the last command of nccl-tests: "all_reduce"
	accelerator string // "cuda", if perftest says that its buffers are on one
}

// acceleratorLine matches what perftest prints before it allocates buffers on an accelerator.
var acceleratorLine = match(`(?i)^initializing (cuda|rocm|neuron|hl)\b`)

// ncclCommand matches the command of a program of nccl-tests; ncclBuild a line of its make.
var (
	ncclCommand = match(`(?:^|[\s/"'])([a-z_]+)_perf(?:[\s"':]|$)`)
	ncclBuild   = match(`^(?:Linking|Compiling|Grabbing)\s`)
)

// fabricProvider matches the option of a command of fi_pingpong or fabtests.
var fabricProvider = match(`\bfi_\w+(?:\s.*)?\s-p\s*["']?([\w;]+)`)

// libraryLine matches a line that names the measured library.
type libraryLine struct {
	family string // of the formats: "mpi", "nccl", "ucx", "fabric"
	is     pattern
	name   string
	script bool // the line is printed before programs, and holds for all that follow
}

var libraryLines = []libraryLine{
	{"mpi", match(`MPI startup\(\): Intel\(R\) MPI Library, Version (\d\S*(?: Update \d+)?)`), "Intel MPI", false},
	{"mpi", match(`^MVAPICH2-(\d\S*) Parameters`), "MVAPICH2", false},
	{"mpi", match(`CRAY MPICH version (\d\S*)`), "Cray MPICH", false},
	{"mpi", match(`\bOpen MPI v(\d[^\s,]*)`), "Open MPI", false},
	{"mpi", match(`^(?:mpirun|mpiexec|prterun) \(Open MPI\) (\d\S*)`), "Open MPI", true},
	{"mpi", match(`^Open MPI: (\d\S*)`), "Open MPI", true},
	{"mpi", match(`^Intel\(R\) MPI Library for \S+ OS, Version (\d\S*(?: Update \d+)?)`), "Intel MPI", true},
	{"mpi", match(`^MPICH Version:\s+(\d\S*)`), "MPICH", true},
	{"mpi", match(`^MVAPICH2 Version:\s+(\d\S*)`), "MVAPICH2", true},
	{"mpi", match(`^MVAPICH Version\s*:\s+(\d\S*)`), "MVAPICH", true},
	{"nccl", match(`\bNCCL version (\d[^\s]*)`), "NCCL", false},
	{"nccl", match(`\bRCCL version\s*: (\d[^\s:]*)`), "RCCL", false},
	{"ucx", match(`UCT version=(\d\S*)`), "UCX", true},
	{"ucx", match(`^# Library version: (\d\S*)`), "UCX", true},
	{"ucx", match(`\bUCX version (\d\S*)`), "UCX", false},
	{"fabric", match(`^libfabric: (\d\S*)`), "libfabric", true},
}

// ncclCode matches the library's version code in the title of nccl-tests: 22806 is 2.28.6.
var ncclCode = match(`^# nccl-tests version \S+ .*\bnccl-library=(\d{5})\b`)

// set sets the value of a family in a map that may be nil.
func set(values *map[string]string, family, value string) {
	if *values == nil {
		*values = map[string]string{}
	}
	(*values)[family] = value
}

// observe reads a line.
func (f *facts) observe(l line) {
	for _, known := range libraryLines {
		if m := known.is.FindStringSubmatch(l.text); m != nil {
			name := known.name + " " + strings.TrimRight(m[1], ",.;")
			if known.script {
				set(&f.stated, known.family, name)
			} else {
				set(&f.library, known.family, name)
			}
			break
		}
	}
	if m := ncclCode.FindStringSubmatch(l.text); m != nil {
		code := wholeOf(m[1])
		set(&f.library, "nccl", fmt.Sprintf("NCCL %d.%d.%d", code/10000, code/100%100, code%100))
	}
	if m := ncclCommand.FindStringSubmatch(l.text); m != nil && ncclNames[m[1]].name != "" && !ncclBuild.MatchString(l.text) {
		f.collective = m[1]
	}
	if m := fabricProvider.FindStringSubmatch(l.text); m != nil {
		f.provider = m[1]
	}
	f.setMemory(l.text)
	f.setHosts(l.text)
	if command := osuCommandOf(l.text); command != nil {
		f.osu = command
	}
	f.ucx.read(l.text)
	if m := perftestCommand.FindStringSubmatch(l.text); m != nil {
		f.perftest.operation, f.perftest.both = perftestTitles[m[1]], perftestBoth.MatchString(m[3])
	}
	if when, ok := f.dateOf(l); ok {
		f.when = when
	}
}

// Hosts come from the command of a launcher, which a script echoes before the program begins,
// and those of the ranks that nccl-tests lists.
var (
	launcherLine = match(`\b(?:mpirun|mpiexec(?:\.hydra)?|srun|prun|prterun|jsrun)\s.*?\s(?:-H|-host|--host|-hosts|--hosts|-w|--nodelist)(?:=|\s+)([\w.,:-]+)(?:\s|$)`)
	rankLine     = match(`^(?:#\s+)?Rank\s+\d+ .*\bon\s+([\w.-]+) device\s`)
)

// setHosts reads a line that names hosts.
func (f *facts) setHosts(text string) {
	if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "Rank") {
		if m := rankLine.FindStringSubmatch(text); m != nil && !slices.Contains(f.hosts, m[1]) {
			f.hosts = append(f.hosts, m[1])
		}
		return
	}
	if m := launcherLine.FindStringSubmatch(text); m != nil {
		f.hosts = nil
		for word := range strings.SplitSeq(m[1], ",") {
			name, _, _ := strings.Cut(word, ":") // without the number of slots
			if name != "" && !slices.Contains(f.hosts, name) {
				f.hosts = append(f.hosts, name)
			}
		}
	}
}

// setMemory reads a line that says where perftest allocates its buffers.
func (f *facts) setMemory(text string) {
	if len(text) < 100 && strings.HasPrefix(strings.ToLower(text), "initializing ") {
		if m := acceleratorLine.FindStringSubmatch(text); m != nil {
			f.accelerator = strings.ToLower(m[1])
		}
	}
}

// zoneEnd matches the zone behind a time: numeric, or by one of the usual names, as the words and
// numbers of loggers may follow a time too. At the end of a line it may have two digits behind a
// blank, or any name.
const zoneEnd = `((?: ?(?:Z|[+-]\d\d:?\d\d|UTC|GMT|(?:[ACEMP]|AE|AC)[SD]T|[CEW]ES?T|[BIJK]ST|MSK|HKT|SGT)\b|[+-]\d\d\b| (?:[+-]\d\d|[A-Z]{3,5})$)?)`

// Dates of programs, of date(1), and of loggers. Without a zone they are taken as UTC: programs
// print local times without one.
var (
	unixDate = match(`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +(\d{1,2}) +(\d{1,2}:\d\d:\d\d)(?: ([AP]M))?(?: ([A-Z]{3,5}|[+-]\d\d(?:\d\d)?))? (\d{4})`)
	dayFirst = match(`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}) +(\d{1,2}:\d\d:\d\d)(?: ([AP]M))?` + zoneEnd)
	isoDate  = match(`\b(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,]\d+)?` + zoneEnd)

	// dated matches what may precede a date: nothing, or a label.
	dated = match(`(?i)^[#\s]*(?:[\w ]*\b(?:date|start|started|begin|began|time)\b[\w ]*[:=]?\s*)?$`)
)

// dateOf returns the date of a line: of its prefix, or if it consists of a date.
func (f *facts) dateOf(l line) (time.Time, bool) {
	if l.prefix != "" {
		if when := f.date(l.prefix); !when.IsZero() {
			return when, true
		}
	}
	if len(l.text) > 100 || strings.Count(l.text, ":") < 2 {
		return time.Time{}, false
	}
	if _, _, before, ok := parseDate(l.text); !ok || !dated.MatchString(before) {
		return time.Time{}, false
	}
	return f.date(l.text), true
}

// date returns the first date of a text, zero if there is no date, and keeps the name of its zone.
func (f *facts) date(text string) time.Time {
	when, zone, _, ok := parseDate(text)
	if !ok {
		return time.Time{}
	}
	f.zone = zone
	return when
}

// parseDate returns the first date of a text, the name of its zone if that is not known, so that
// the date was taken as UTC, and the text before it.
func parseDate(text string) (when time.Time, unknown, before string, ok bool) {
	value, layout, zone := "", "2006 Jan 2 15:04:05", ""
	m, twelve := isoDate.FindStringSubmatch(text), ""
	if m != nil {
		value, layout, zone = m[1]+"-"+m[2]+"-"+m[3]+" "+m[4], "2006-01-02 15:04:05", m[5]
	} else if m = unixDate.FindStringSubmatch(text); m != nil {
		value, twelve, zone = m[6]+" "+m[1]+" "+m[2]+" "+m[3], m[4], m[5]
	} else if m = dayFirst.FindStringSubmatch(text); m != nil {
		value, twelve, zone = m[3]+" "+m[2]+" "+m[1]+" "+m[4], m[5], m[6]
	} else {
		return time.Time{}, "", "", false
	}
	if twelve != "" {
		value, layout = value+" "+twelve, "2006 Jan 2 3:04:05 PM"
	}
	switch zone = strings.ReplaceAll(strings.TrimSpace(zone), ":", ""); {
	case strings.ContainsAny(zone, "+-"):
		value, layout = value+" "+(zone + "00")[:5], layout+" -0700"
	case !slices.Contains([]string{"", "Z", "UTC", "GMT"}, zone):
		unknown = zone
	}
	before, _, _ = strings.Cut(text, m[0])
	when, err := time.Parse(layout, value)
	return when.UTC(), unknown, before, err == nil
}

// when returns the time of the program.
func (l *log) when() time.Time {
	if !l.given.Time.IsZero() {
		return l.given.Time
	}
	if l.facts.zone != "" {
		l.warn("the date is in the zone %s and is taken as UTC: zones are read as numbers, such as +0100", l.facts.zone)
	}
	return l.facts.when
}
