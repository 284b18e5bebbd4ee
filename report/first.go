package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gobench/internal/collect"
	"gobench/internal/record/series"
	"gobench/internal/remedy"
	"gobench/internal/report/host"
	"gobench/internal/terminal"
	"gobench/record"
)

// UsualHeight is the number of lines of a terminal that does not say how many it has.
const UsualHeight = 24

// narrow is the number of columns below which texts take more lines.
const narrow = 60

// firstScreen is the result of one command on one screen: a head, a headline with intervals,
// whether the numbers are usual for this kind of machine, whether they can be trusted and why not,
// a table with one row for each size or problem, and where more is.
type firstScreen struct {
	terminal Terminal
	view     View
	runs     []record.Run
	rows     []record.Point // of all cells and states
	visible  []record.Point // see View.visible
	cells    []*series.Cell
	of       map[string]*series.Cell // by the keys of their rows, see cellOf
	table    *Table                  // for names
	panels   []*panel
	scales   *series.Scales
	filled   bool // a row is of another state of the cores than its column
	short    bool // sizes did not fit
}

// firstScreenOf returns the results of one command for a terminal: at most as many lines as that
// has, of 24 if it does not say, as long as there are no more than four lanes and problems.
// estimate leaves out all but the headline and the table, while launches follow.
func firstScreenOf(runs []record.Run, points []record.Point, scales *series.Scales, t Terminal, v View, estimate bool) string {
	s := newFirstScreen(runs, points, scales, t, v)
	if s == nil {
		return ""
	}
	s.table = NewTable(nil, Terminal{})
	s.table.describe(s.rows)
	if estimate {
		return s.join(s.results(s.height()-1, true))
	}
	head := append(s.head(), "")
	s.short = true
	limit := s.height() - len(head) - len(s.foot()) - 1 // the prompt
	s.short = false
	body := s.results(limit, false)
	return s.join(append(append(head, body...), s.foot()...))
}

// newFirstScreen assembles the rows, nil if there are none.
func newFirstScreen(runs []record.Run, points []record.Point, scales *series.Scales, t Terminal, v View) *firstScreen {
	cells := series.Cells(runs, points, scales)
	rows := series.RowsOf(cells, scales)
	if len(rows) == 0 {
		return nil
	}
	return &firstScreen{terminal: t, view: v, runs: runs, rows: rows, visible: v.visible(rows), cells: cells, scales: scales}
}

func (s *firstScreen) height() int { return cmp.Or(s.terminal.Height, UsualHeight) }

func (s *firstScreen) join(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		if line == "" && i > 0 && lines[i-1] == "" {
			continue
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// keyOf returns the key of a cell that its rows have, too; see cellOf.
func keyOf(c *series.Cell) string {
	p := c.First()
	key := p.CellKey()
	if c.Run != nil {
		key = strings.Join(c.Run.HostNames(), " ") + "\x00" + c.Run.Job.Map() + "\x00" + c.Run.Label + "\x00" + key
	} else {
		key = "\x00\x00\x00" + key
	}
	return key
}

// cellOf returns the cell of a row.
func (s *firstScreen) cellOf(r *record.Point) *series.Cell {
	if s.of == nil {
		s.of = map[string]*series.Cell{}
		for _, c := range s.cells {
			s.of[keyOf(c)] = c
		}
	}
	return s.of[r.Host+"\x00"+r.Map+"\x00"+r.Label+"\x00"+r.CellKey()]
}

// results returns the headline and the tables, in at most limit lines if that is possible.
func (s *firstScreen) results(limit int, estimate bool) []string {
	applications := collect.If(s.rows, func(r record.Point) bool { return r.IsApplication() })
	messages := collect.If(s.rows, func(r record.Point) bool { return !r.IsApplication() })
	var lines []string
	trust := s.trust()
	if estimate {
		trust = nil
	}
	if len(applications) > 0 {
		lines = append(append(lines, s.applications(s.view.visible(applications))...), "")
	}
	if len(messages) == 0 {
		return append(lines, trust...)
	}
	s.panels = (&split{table: s.table, view: s.view}).panelsOf(messages)
	headline := s.headline(s.panels, false)
	if len(headline) > limit-len(lines)-len(trust)-2 {
		headline = s.headline(s.panels, true)
	}
	if room := limit - len(lines) - len(trust) - 2; len(headline) > room && room > 3 && !s.view.States {
		left := len(headline) - room + 1
		headline = append(headline[:room-1:room-1], fmt.Sprintf("... %d more lines: %s", left, s.more("full")))
	}
	lines = append(lines, headline...)
	if !estimate {
		if s.terminal.Width >= narrow || s.height() > UsualHeight {
			lines = append(lines, s.usual()...)
		}
	}
	lines = append(append(lines, ""), trust...)
	for _, p := range s.panels {
		room := limit - len(lines) - 1
		if table := s.algorithmTable(p, room-1); table != nil {
			lines = append(append(lines, table...), "")
			continue
		}
		if len(s.panels) > 1 && len(p.sizes)+3 > room || len(p.sizes) < 2 {
			s.short = s.short || len(p.sizes) > 1
			continue
		}
		if s.view.States {
			room = math.MaxInt
		}
		s.filled = false
		table, left := s.sizeTable(p, max(3, room-1))
		if s.filled { // the note below takes a line
			table, left = s.sizeTable(p, max(3, room-2))
		}
		s.short = s.short || left
		if len(s.panels) > 1 {
			lines = append(lines, p.name)
		}
		lines = append(lines, table...)
		if s.filled {
			lines = append(lines, "* on cores in another state: "+remedy.Named("states").String())
		}
		lines = append(lines, "")
	}
	return lines
}

// head returns the line about program, machine and launches, as much as fits.
func (s *firstScreen) head() []string {
	if len(s.runs) == 0 {
		return []string{"gobench: records without a run"}
	}
	r := &s.runs[0]
	program := "gobench"
	if imported := s.rows[0].Library; imported != "" {
		program = imported
	} else if v := strings.Trim(r.Fact("version"), "()"); v != "" && v != "devel" && v != "unknown" {
		program += " " + v
	} else if c := r.Fact("commit"); c != "" {
		program += " " + c[:min(8, len(c))]
	}
	var machine []string
	hosts := host.Of(r)
	if len(hosts) > 0 {
		machine = machineWords(hosts)
	}
	ranks := record.RanksText(fmt.Sprint(s.rows[0].Ranks))
	if vary(s.rows, func(p *record.Point) string { return fmt.Sprint(p.Ranks) }) {
		ranks = "" // the table has them
	}
	launches := 0
	for i := range s.rows {
		launches = max(launches, s.rows[i].Launches)
	}
	if c := s.cellOf(&s.rows[0]); c != nil {
		launches = max(launches, c.Launches)
	}
	how := []string{ranks, launchesText(max(1, launches), s.rows[0].Round > 0), s.took()}
	how = slices.DeleteFunc(how, func(w string) bool { return w == "" })
	for n := len(machine); ; n-- {
		line := strings.Join(slices.DeleteFunc([]string{program, strings.Join(machine[:n], ", "), strings.Join(how, ", ")}, func(w string) bool { return w == "" }), "   ")
		if n == 0 && len(how) > 1 && len([]rune(line)) > s.terminal.Width && s.terminal.Width > 0 {
			how, n = how[:len(how)-1], 1 // without the time
			continue
		}
		if n == 0 || s.terminal.Width == 0 || len([]rune(line)) <= s.terminal.Width {
			return []string{terminal.Snip(line, max(20, cmp.Or(s.terminal.Width, 1000)))}
		}
	}
}

// machineWords describes the machines of hosts, the most important words first.
func machineWords(hosts []host.Facts) []string {
	f := hosts[0]
	words := []string{cmp.Or(f.Hostname, "unnamed")}
	if len(hosts) > 1 {
		words[0] = fmt.Sprintf("%d hosts", len(hosts))
	}
	if model := shortModel(f.CPU.Model); model != "" {
		words = append(words, model)
	}
	if f.CPU.Cores > 0 {
		cores := fmt.Sprintf("%d cores", f.CPU.Cores)
		if f.CPU.Packages > 1 {
			cores = fmt.Sprintf("%d sockets, %d cores", f.CPU.Packages, f.CPU.Cores)
		}
		words = append(words, cores)
	}
	if f.Virtual() {
		words = append(words, f.Hypervisor+" guest")
	}
	return words
}

// shortModel leaves out the words of the name of a processor that say nothing.
func shortModel(model string) string {
	model, _, _ = strings.Cut(model, " @ ")
	model = strings.NewReplacer("(R)", "", "(TM)", "", " CPU", "", " Processor", "").Replace(model)
	words := strings.Fields(model)
	words = slices.DeleteFunc(words, func(w string) bool { return strings.HasSuffix(w, "-Core") })
	return strings.Join(words, " ")
}

// took returns the time from the start of the first launch to the end of the last cell.
func (s *firstScreen) took() string {
	var from, to time.Time
	for i := range s.runs {
		if t := s.runs[i].Time; !t.IsZero() && (from.IsZero() || t.Before(from)) {
			from = t
		}
	}
	for _, c := range s.cells {
		for _, points := range c.States {
			for _, p := range points {
				if end := p.Time.Add(time.Duration(p.Duration * float64(time.Second))); end.After(to) && !p.Time.IsZero() {
					to = end
				}
			}
		}
	}
	switch d := to.Sub(from); {
	case from.IsZero() || d <= 0:
		return ""
	case d < 100*time.Second:
		return fmt.Sprintf("%.2g s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}

// more returns the command that shows more, by an option.
func (s *firstScreen) more(option string) string {
	if s.view.Records == "" {
		return remedy.Named(option).String()
	}
	return "gobench show " + s.view.Records + " --" + option
}

// foot returns the pointers to more.
func (s *firstScreen) foot() []string {
	records := cmp.Or(s.view.Records, "FILE")
	what := "p99, paths, method, clock"
	if s.short {
		what = "all sizes, p99, paths, method"
	} else if len(s.panels) == 0 {
		what = "all columns, method, clock"
	}
	var lines []string
	pointers := [][2]string{{what + ":", s.more("full")}}
	first := &s.rows[0]
	raced := slices.ContainsFunc(s.rows, func(p record.Point) bool {
		return p.Bench == first.Bench && p.Size == first.Size && p.Transport == first.Transport && p.Algorithm != first.Algorithm
	})
	if first.Algorithm != "" && first.Library == "" && !raced { // the table chose it
		pointers = append(pointers, [2]string{"the best algorithm:", "gobench coll " + first.Bench + " " + remedy.Set("algo", "all").String()})
	}
	for _, l := range append(pointers, [2]string{"figures:", "gobench report " + records + "   words: gobench explain ±"}) {
		line := l[0] + "  " + l[1]
		if s.terminal.Width > 0 && len([]rune(line)) > s.terminal.Width {
			lines = append(lines, strings.TrimSuffix(terminal.Hang("", line, s.terminal.Width), "\n"))
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// ScreenWords returns the words of first screens that are no names of benchmarks or transports.
func ScreenWords() []string {
	words := []string{"latency", "time", "peak", "takes", "has", "by", "next", "like", "tie", "usual", "bound", "size", "us", "± %", "±", "!", "*",
		"problem", "over", "cores", "label", "ranks", "threads", "t", "speedup", "effic.", "comm", "verified", "MB/rank", "start", "connect", "agree", "barrier", "end",
		"p99", "path", "algorithm", "STEADY", "FAIR", "NOISY", "ONCE", "FEW", "UNSURE", "SHARED", "TEST", "bus", "peak bus", "Mop/s", "Mcell/s"}
	for _, e := range extraKeys {
		words = append(words, e.name)
	}
	return words
}
