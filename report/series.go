package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/record/series"
	"gobench/record"
)

// seriesTable returns the table of one command over its launches: the facts of its runs, the rows
// of series.Rows, notes, and ratios if several transports were measured. With estimate, for use
// during the launches, it has headings and rows only.
func seriesTable(runs []record.Run, points []record.Point, scales *series.Scales, t Terminal, estimate bool) string {
	var b strings.Builder
	table := NewTable(&b, t)
	table.estimate = estimate
	table.series(runs, points, scales)
	return b.String()
}

// seriesMarkdown returns the table of seriesTable as Markdown.
func seriesMarkdown(runs []record.Run, points []record.Point, scales *series.Scales) string {
	var b strings.Builder
	table := NewTable(&b, Terminal{})
	table.markdown = true
	table.series(runs, points, scales)
	return b.String()
}

// series prints to a writer that cannot fail.
func (t *Table) series(runs []record.Run, points []record.Point, scales *series.Scales) {
	cells := series.Cells(runs, points, scales)
	t.rows(runs, series.RowsOf(cells, scales), scales)
	if t.estimate {
		return
	}
	ratios := ratioLines(cells, t.pairs)
	for _, line := range ratios {
		io.WriteString(t.w, t.remark(line))
	}
	if t.markdown && len(ratios) > 0 {
		io.WriteString(t.w, "\n")
	}
}

// rows prints the facts of runs and their rows.
func (t *Table) rows(runs []record.Run, rows []record.Point, scales *series.Scales) {
	of := scales.Observe(runs, nil)
	if !t.estimate && len(runs) > 0 {
		t.Run(whole(runs))
	}
	t.describe(rows)
	for _, block := range t.inBlocks(rows) {
		heading := t.heading(block[0])
		if heading != t.block {
			t.End()
		}
		for _, row := range block {
			t.remarks.scale = *scales.Of(of[row.Run])
			t.row(row, heading)
		}
	}
	t.End()
}

// describe sets what headings name beside what was measured, because rows differ in it.
func (t *Table) describe(rows []record.Point) {
	t.pairs = ofPairs(rows)
	t.onHosts = vary(rows, func(p *record.Point) string { return p.Host + "\x00" + p.Map })
	t.labels = vary(rows, func(p *record.Point) string { return p.Label })
	t.details = t.tellApart(rows)
}

// inBlocks groups rows with equal headings, in the order of their first appearance.
func (t *Table) inBlocks(rows []record.Point) [][]*record.Point {
	return collect.By(collect.Pointers(rows), t.heading)
}

// vary reports whether rows differ in a value.
func vary(rows []record.Point, of func(*record.Point) string) bool {
	for i := range rows {
		if of(&rows[i]) != of(&rows[0]) {
			return true
		}
	}
	return false
}

// ofPairs reports whether the rows are of two ranks on several pairs of cores.
func ofPairs(rows []record.Point) bool {
	for i := range rows {
		if len(rows[i].Cores) == 2 && !slices.Equal(rows[i].Cores, rows[0].Cores) && len(rows[0].Cores) == 2 {
			return true
		}
	}
	return false
}

// whole merges the runs of a series: the facts of the first run, the highest noise of each core,
// and all distinct warnings.
func whole(runs []record.Run) record.Run {
	r := runs[0]
	if r.Series != "" {
		r.ID = r.Series
	}
	r.Noise = slices.Clone(r.Noise)
	things := "launches"
	warnings := make([][]string, len(runs))
	for i := range runs {
		warnings[i] = runs[i].Warnings
		if runs[i].Job.Ranks != r.Job.Ranks {
			things = "runs" // a launch has one for each number of ranks
		}
		for _, n := range runs[i].Noise {
			at := slices.IndexFunc(r.Noise, func(o record.Noise) bool { return o.Rank == n.Rank })
			switch {
			case at < 0: // the first run has fewer ranks
				r.Noise = append(r.Noise, n)
			case n.Lost > r.Noise[at].Lost:
				r.Noise[at] = n
			}
		}
	}
	r.Warnings = series.Merge(warnings, things)
	return r
}

// WriteCSV writes a CSV line for each row.
func WriteCSV(w io.Writer, rows []record.Point) error {
	c, err := record.NewCSV(w, metricsOf(rows))
	if err != nil {
		return err
	}
	for i := range rows {
		if err := c.Write(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// Series groups the points of files by the command that measured them, in the order of their first
// appearance. Launches of a command share a series key, those of a sweep its plan; a run without
// either is a group of its own.
func Series(file *record.File) []Command {
	runs := make(map[string]*record.Run, len(file.Runs))
	for i := range file.Runs {
		runs[file.Runs[i].ID] = &file.Runs[i]
	}
	swept := newSweeps(file)
	at := map[string]int{} // index in list
	type part struct {     // points of one run that belong together
		run, test string
		swept     bool
	}
	known := map[part]int{}
	type member struct { // a run of a command
		command int
		run     string
	}
	members := map[member]bool{}
	var list []Command
	var counts []int
	of := make([]int, len(file.Points))
	for i := range file.Points {
		p := &file.Points[i]
		in := part{p.Run, p.SelfTest(), p.Block > 0}
		n, ok := known[in]
		if !ok {
			key, r := p.Run, runs[p.Run]
			if r != nil && r.Series != "" {
				key = r.Series
			}
			launch := swept.launch(p, key)
			if launch != nil {
				// Points of other programs or machines, or of self-tests, form other groups.
				key = fmt.Sprintf("%q", append(program(launch), in.test))
			}
			if n, ok = at[key]; !ok {
				n = len(list)
				at[key] = n
				list, counts = append(list, Command{sweep: launch}), append(counts, 0)
			}
			known[in] = n
			if of := (member{n, p.Run}); r != nil && !members[of] {
				members[of] = true
				list[n].Runs = append(list[n].Runs, *r)
			}
		}
		of[i] = n
		counts[n]++
	}
	for n := range list {
		list[n].name()
	}
	for i, n := range of {
		list[n].add(file.Points, i, counts[n])
	}
	return list
}

// A Command holds the runs and points of one command.
type Command struct {
	Runs   []record.Run // of its launches
	Points []record.Point
	sweep  *record.Launch // a launch of their sweep, nil = they are not of a sweep
	first  *record.Run    // the first run of a sweep as recorded, before name changes it
	next   int            // index of the point behind Points; 0 once they are copied
}

// add adds the i-th of all points to the points of the command, of which there are count. Those
// that follow each other are not copied, because points are large.
func (c *Command) add(all []record.Point, i, count int) {
	switch {
	case len(c.Points) == 0:
		c.Points, c.next = all[i:i+1:i+1], i+1
	case c.next == i:
		c.Points, c.next = all[i-len(c.Points):i+1:i+1], i+1
	case c.next > 0:
		c.Points, c.next = append(make([]record.Point, 0, count), c.Points...), 0
		fallthrough
	default:
		c.Points = append(c.Points, all[i])
	}
}

// name replaces the series and the command line of the first run by those of the sweep.
func (c *Command) name() {
	if c.sweep == nil || len(c.Runs) == 0 {
		return
	}
	r := &c.Runs[0]
	first := *r
	c.first = &first
	r.Series = strings.TrimSpace("sweep " + c.sweep.Sweep)
	r.Command = []string{launchesText(len(c.Runs), false) + " of plan " + c.sweep.Plan}
	if c.sweep.Program != "" {
		r.Command = append(r.Command, "by", c.sweep.Program)
	}
}

// sweeps finds the completed launch of a sweep by its run or series.
type sweeps struct {
	launches map[string]*record.Launch
	only     *record.Launch // a launch, if all are of one plan and program; otherwise nil
}

func newSweeps(file *record.File) sweeps {
	s := sweeps{launches: map[string]*record.Launch{}}
	for i := range file.Launches {
		l := &file.Launches[i]
		s.launches[cmp.Or(l.Series, l.Run)] = l
		if i == 0 {
			s.only = l
		} else if s.only != nil && !slices.Equal(program(s.only), program(l)) {
			s.only = nil
		}
	}
	return s
}

// launch returns the launch of a point with this run or series key, nil if it is not of a sweep. An
// interrupted launch has no row of its own and is assigned to the only plan.
func (s sweeps) launch(p *record.Point, key string) *record.Launch {
	if p.Block == 0 {
		return nil
	}
	return cmp.Or(s.launches[key], s.only)
}

// program returns equal keys for launches of one plan by one program on one machine.
func program(l *record.Launch) []string {
	return []string{l.Sweep, l.Plan, l.Program, l.Version, l.Build, l.Host}
}

// programAmong returns the name of the program of a command if commands of the same plan ran other
// programs: the end of its path, or all of it if another has the same end.
func (c *Command) programAmong(commands []Command) (name string) {
	for i := range commands {
		l := commands[i].sweep
		if l == nil || c.sweep == nil || l.Sweep != c.sweep.Sweep || l.Plan != c.sweep.Plan || l.Program == c.sweep.Program {
			continue
		}
		if filepath.Base(l.Program) == filepath.Base(c.sweep.Program) {
			return c.sweep.Program
		}
		name = filepath.Base(c.sweep.Program)
	}
	return name
}

// launchesText formats the number of launches of a row.
func launchesText(n int, round bool) string {
	if round {
		return human.Count(n, "round", "rounds")
	}
	return human.Count(n, "launch", "launches")
}
