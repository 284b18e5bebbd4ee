package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/importer"
	"gobench/internal/lazyregexp"
	"gobench/nearest"
	"gobench/record"
)

// foreignTable is the name of the table of a program that is not gobench. Its output is imported,
// so that it can be compared with results of gobench.
const foreignTable = "program"

// wallTime is the importer of programs whose output does not count: the result is the wall time of
// the whole command.
const wallTime = "time"

// numbersImporter is the importer of the numbers that pattern or json select.
const numbersImporter = "numbers"

// foreignKeys lists the keys of the table. Any other key is a factor: its value replaces {KEY} in
// command, server, env and log.
var foreignKeys = []string{"command", "server", "library", "importer", "transport", "np", "bench", "sizes", "env", "log", "limit", "version",
	"pattern", "json", "unit", "success", "setup", "prepare", "cleanup", "warmup"}

// defaultLimit is the time limit of a foreign program.
const defaultLimit = time.Minute

// foreign is the content of a table [[program]] for one combination of its factors.
type foreign struct {
	library   string // the measured library
	format    string // of its output; "" = detected by its content
	transport string
	bench     []string // its benchmarks, for the number of samples and for logs that do not name them
	sizes     []int64
	ranks     int
	limit     time.Duration
	numbers   importer.Numbers // of the format numbersFormat
	success   []int            // exit codes of a run that counts
	warmup    int              // number of runs before the first launch that do not count

	// Command lines of a shell: once before the first launch and its warm-up, before each run, and
	// once after the last launch.
	setup, prepare, cleanup string

	command, server string   // with placeholders
	env             []string // with placeholders
	log             string   // file that is read instead of the output, with placeholders
	version         string   // command that prints the version
	factors         map[string]string
}

// isForeign reports whether a command is one of a foreign program.
func (c Command) isForeign() bool { return c.Verb == foreignTable }

// library returns the library of a foreign program: without one its command names it.
func (c Command) library() string { return cmp.Or(c.Flag("library"), c.Flag("command")) }

// placeholder matches a name in a command that a value replaces.
var placeholder = lazyregexp.New(`\{([a-z][a-z0-9_-]*)\}`)

// opened matches the begin of a word, or of the value in it, that is quoted. An apostrophe within a
// name is no quote.
var opened = lazyregexp.New(`(^|=)["']`)

// given lists the placeholders that the sweep replaces itself.
var given = []string{"np", "cores", "dir", "setup_dir", "port", "plan", "samples", "batch", "sizes", "bench", "transport", "library"}

// foreignOf reads the command of a foreign program. An error is one of the file.
func foreignOf(c Command) (*foreign, error) {
	f := &foreign{limit: defaultLimit, factors: map[string]string{}, success: []int{0}}
	texts := map[string]*string{
		"command": &f.command, "server": &f.server, "library": &f.library, "transport": &f.transport, "log": &f.log, "version": &f.version,
		"setup": &f.setup, "prepare": &f.prepare, "cleanup": &f.cleanup,
		"pattern": &f.numbers.Pattern, "json": &f.numbers.Path, "unit": &f.numbers.Unit,
	}
	for _, arg := range c.Args {
		key, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if text, ok := texts[key]; ok {
			*text = value
			continue
		}
		var err error
		switch key {
		case "importer":
			if known := append(importer.Formats(), wallTime); !slices.Contains(known, value) {
				err = &nearest.UnknownError{What: "importer", Name: value, Known: known}
			}
			f.format = value
		case "np":
			if f.ranks, err = strconv.Atoi(value); err != nil || f.ranks < 1 {
				err = fmt.Errorf("np is %q, want a number of at least 1, or \"cores\"", value)
			}
		case "bench":
			f.bench = strings.Split(value, ",")
		case "sizes":
			f.sizes, err = bytesOf(value)
		case "env":
			f.env = append(f.env, value)
		case "limit":
			f.limit, err = limitOf(value, defaultLimit)
		case "warmup":
			if f.warmup, err = strconv.Atoi(value); err != nil || f.warmup < 0 {
				err = fmt.Errorf("warmup is %q, want a number of runs", value)
			}
		case "success":
			f.success, err = codesOf(value)
		default:
			f.factors[key] = value
		}
		if err != nil {
			return nil, err
		}
	}
	if f.numbers != (importer.Numbers{}) || f.format == numbersImporter {
		if err := f.numbers.Check(); err != nil {
			return nil, err
		}
		if f.format != "" && f.format != numbersImporter {
			return nil, fmt.Errorf("importer = %q reads the output: leave out pattern, json and unit", f.format)
		}
		f.format = numbersImporter
	}
	switch {
	case f.command == "":
		return nil, fmt.Errorf("[[%s]] needs a command", foreignTable)
	case f.library == "" && f.format != wallTime:
		return nil, fmt.Errorf("[[%s]] needs the library that it measures; without one, importer = %q records the wall time of the command", foreignTable, wallTime)
	case f.format == wallTime && f.server != "":
		return nil, fmt.Errorf("importer = %q is for a command without a server", wallTime)
	}
	f.library = c.library()
	if f.ranks == 0 {
		f.ranks = 2
		if f.format == wallTime || f.format == numbersImporter {
			f.ranks = 1
		}
	}
	return f, f.check()
}

// check returns an error for a placeholder without a value, a factor without a placeholder, or a
// word that only a shell would have joined.
func (f *foreign) check() error {
	for word := range strings.FieldsSeq(f.command + " " + f.server) {
		if at := opened.FindStringIndex(word); at != nil && !strings.Contains(word[at[1]:], word[at[1]-1:at[1]]) {
			return fmt.Errorf("the word %s has a quote without its other one: commands are split at blanks and not run by a shell, but may be a script", word)
		}
	}
	used := map[string]bool{}
	for _, text := range append([]string{f.command, f.server, f.log}, f.env...) {
		for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
			name := m[1]
			used[name] = true
			core, isCore := strings.CutPrefix(name, "core")
			n, err := strconv.Atoi(core)
			if _, ok := f.factors[name]; ok || slices.Contains(given, name) || isCore && err == nil && n < f.ranks {
				continue
			}
			return &nearest.UnknownError{What: "placeholder", Name: name, Known: append(slices.Clone(given), "core0", "core1"), Where: "other keys of the table are also placeholders"}
		}
	}
	for name := range f.factors {
		if !used[name] {
			return &nearest.UnknownError{What: "key", Name: name, Known: foreignKeys, List: "keys of [[" + foreignTable + "]]",
				Where: fmt.Sprintf("another key is a factor, which replaces {%s} in command, server, env or log", name)}
		}
	}
	if f.server != "" && !used["port"] {
		return fmt.Errorf("server has no {port}: the command starts when a process listens on that port")
	}
	return nil
}

// limitOf parses the time limit of a program; "" gives standard.
func limitOf(text string, standard time.Duration) (time.Duration, error) {
	if text == "" {
		return standard, nil
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return 0, fmt.Errorf("limit is %q, want a time such as \"60s\"", text)
	}
	return limit, nil
}

// codesOf parses exit codes, separated by commas.
func codesOf(text string) (codes []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		code, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || code < 0 || code > 255 {
			return nil, fmt.Errorf("success is %q, want exit codes such as \"0,1\"", text)
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// bytesOf parses sizes in bytes, separated by commas.
func bytesOf(text string) ([]int64, error) {
	var sizes []int64
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("sizes is %q, want bytes such as \"8,1024\"", text)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// String returns the name of the program for messages: "Open MPI over smem".
func (f *foreign) String() string {
	if f.transport == "" {
		return f.library
	}
	return f.library + " over " + f.transport
}

// follows reports whether the program uses the number of samples of a launch of gobench.
func (f *foreign) follows() bool {
	return strings.Contains(f.command, "{plan}") || strings.Contains(f.command, "{samples}") || strings.Contains(f.command, "{batch}")
}

// expand replaces the placeholders of a text by values and factors. Values of factors may contain
// placeholders.
func (f *foreign) expand(text string, values map[string]string) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		name = name[1 : len(name)-1]
		if value, ok := values[name]; ok {
			return value
		}
		return placeholder.ReplaceAllStringFunc(f.factors[name], func(inner string) string { return values[inner[1:len(inner)-1]] })
	})
}

// sampling holds the number of samples of a cell (of messages, for a window) and the number of
// operations between two readings of the clock. Both programs of a comparison use the same numbers,
// because the median depends on them.
type sampling struct{ samples, batch int }

// unmeasured is the sampling of cells that gobench has not measured.
var unmeasured = sampling{1000, 1}

// sampled identifies a cell whose sampling is known.
type sampled struct {
	bench, transport string
	ranks            int
	size             int64
}

// samplings holds the sampling of the last launch of each cell by gobench.
type samplings struct {
	cells map[sampled]sampling
	runs  map[sampled]string // ID of the run of that launch
}

func newSamplings() *samplings {
	return &samplings{map[sampled]sampling{}, map[sampled]string{}}
}

// add adds the points of a launch. The samples in several states of the cores are added: a rival
// takes as many in any state. Ranks of other programs are processes: goroutines have cells of their
// own.
func (s *samplings) add(points []record.Point) {
	taken := map[string]int{} // by run and cell
	for i := range points {
		p := &points[i]
		n := int64(p.Metrics.Get(record.TimeKey(p.Metrics)).N)
		if p.Library != "" || p.RankKind == "goroutine" || n < 1 {
			continue
		}
		id := p.Run + "\x00" + p.CellKey()
		taken[id] += int(n) * max(1, p.Window)
		cell := sampled{p.Bench, p.Transport, p.Ranks, p.Size}
		if s.runs[cell] == p.Run && taken[id] < s.cells[cell].samples {
			continue // another algorithm or level had more
		}
		s.runs[cell], s.cells[cell] = p.Run, sampling{taken[id], max(1, p.Batched)}
	}
}

func (s *samplings) of(cell sampled) sampling {
	if known, ok := s.cells[cell]; ok {
		return known
	}
	return unmeasured
}

// plan returns the value of {plan}: BENCH:SIZE:SAMPLES:BATCH of all cells of a foreign program,
// separated by commas. A barrier has no size.
func (s *samplings) plan(f *foreign) (plan string, first sampling) {
	var words []string
	for _, bench := range f.bench {
		sizes := f.sizes
		if len(sizes) == 0 || strings.HasSuffix(bench, "barrier") {
			sizes = []int64{0}
		}
		for _, size := range sizes {
			how := s.of(sampled{bench, f.transport, f.ranks, size})
			if len(words) == 0 {
				first = how
			}
			words = append(words, fmt.Sprintf("%s:%d:%d:%d", bench, size, how.samples, how.batch))
		}
	}
	if len(words) == 0 {
		first = unmeasured
	}
	return strings.Join(words, ","), first
}
