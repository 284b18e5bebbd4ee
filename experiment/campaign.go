package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"gobench/bench"
	"gobench/device/profile"
	"gobench/internal/bench/state"
	"gobench/internal/human"
	"gobench/internal/launch/child"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/host"
	"gobench/internal/launch/remote"
	"gobench/internal/record/series"
	"gobench/internal/remedy"
	"gobench/internal/terminal"
	"gobench/record"
	"gobench/report"
	"gobench/stats"
)

// campaign runs the launches of a command, writes their records, and prints one row for each cell
// with the interval between launches. A single launch has no interval, because it does not predict
// the next one (rule 8).
//
// A file that cannot be written (a full disk) does not end a campaign, because the rows are still
// printed. A closed standard output does.
type campaign struct {
	requests  []*measurement  // of one command, in order
	cluster   *remote.Cluster // nil = ranks run on this host
	unwatch   func()          // ends watchAllocation
	connected time.Duration   // time to connect the agents
	timeline  *timeline       // of the launch under way
	timelines []*timeline     // of successful launches, if they must be printed
	stdout    io.Writer
	stderr    io.Writer
	terminal  terminal.Terminal
	screen    screen // progress
	file      *record.Writer
	path      string
	json      *record.Writer // standard output, if the form is JSON
	sink      Sink           // of the caller, nil = none
	lost      LostError

	digest   string // of the program
	series   string
	seed     int64
	begun    time.Time
	launch   int                        // number of the current launch
	launches int                        // number of complete launches
	before   struct{ runs, points int } // of the launches before
	complete time.Duration              // from begun until the last of them was complete
	runs     []record.Run
	points   []record.Point
	leftOut  []bench.LeftOut  // cells that launches leave out
	scale    state.Scale      // of this machine, with the points of all launches so far
	profile  *profile.Profile // of this machine
	speed    speed
}

// newCampaign opens the file of records. When ctx ends, it stops waiting for the reader of a pipe.
// The measurements must be checked; they differ only in the number of ranks and what follows from
// it, or in their cores.
func newCampaign(ctx context.Context, requests []*measurement, s Setup) (*campaign, error) {
	r := requests[0]
	for _, one := range requests {
		if one.Hosts != nil {
			continue // each host tries them itself, and this one may have no ranks
		}
		if err := one.usable(); err != nil {
			return nil, err
		}
	}
	c := &campaign{
		requests: requests, stdout: s.Stdout, stderr: s.Stderr, terminal: terminal.Of(s.Stdout), sink: s.Sink,
		path: r.file(), lost: LostError{File: r.file()}, begun: time.Now(), digest: host.ProgramDigest(), speed: measureSpeed(),
	}
	launch, _ := child.Replicate()
	c.lost.Swept = launch > 0
	c.series = record.NewID(c.begun)
	if c.seed = r.Seed; c.seed == 0 {
		c.seed = c.begun.UnixNano() & (1<<53 - 1) // a whole number in every reader of JSON
	}
	if r.Hosts == nil { // other hosts may have other processors
		c.scale = knownScale()
		if slices.ContainsFunc(r.Plan.Cases, func(cell bench.Case) bool { return cell.MemoryBound(host.LastCache()) }) {
			c.scale.Copy, c.scale.Cache = host.CopySpeed()
		}
	}
	var err error
	if c.profile, err = Profile(ctx, r.profile, c.digest, s.Stderr); err != nil {
		return nil, err
	}
	if err = c.openRecords(ctx); err != nil {
		return nil, err
	}
	if r.Form == report.JSON {
		c.json = record.NewWriter(s.Stdout)
	}
	c.drawOn(terminal.Of(s.Stderr))
	return c, nil
}

// drawOn chooses the terminal that shows the progress, or none; on is the terminal of standard
// error. A table on a terminal is redrawn there. Records on a terminal appear as they are measured,
// which is progress enough.
func (c *campaign) drawOn(on terminal.Terminal) {
	switch form := c.requests[0].Form; {
	case c.requests[0].Quiet:
	case form == report.Text && c.terminal.Live:
		c.screen.w, c.screen.terminal = c.stdout, c.terminal
	case form == report.JSON && c.terminal.Live:
	case on.Live: // nothing else is printed before the launches have ended, or not there
		c.screen.w, c.screen.terminal = c.stderr, on
	}
}

// round returns the round of the current launch of a measurement.
func (c *campaign) round(r *measurement) (round, error) {
	order := c.launch - 1
	if launch, _ := child.Replicate(); launch > 0 { // of a sweep
		order = launch
	}
	n := round{Series: c.series, Launch: c.launch, Seed: c.seed, Order: order, Digest: c.digest, Scale: c.scale.Values(), Live: c.screen.terminal.Live, Settings: r.tuned, Profile: c.profile, Stages: r.startup || r.Verbose, Left: c.leftOut}
	n.Scheduler, n.JobID = detect.ScheduledJob()
	n.Placement, n.Program = r.placement(), r.Command[0]
	var err error
	n.Table, err = newTableText(r.Coll.Table)
	return n, err
}

// do runs all launches and returns the error of the command. once runs one launch of a measurement;
// last, if not nil, is called after all of them have succeeded.
func (c *campaign) do(ctx context.Context, once func(context.Context, *measurement, round) error, last func() error) error {
	var err error
	for err == nil && c.next() {
		begin := time.Now()
		for _, r := range c.requests {
			var n round
			if n, err = c.round(r); err == nil {
				c.timeline = newTimeline(r.Ranks)
				err = once(ctx, r, n)
			}
			if err == nil && r.Verbose {
				c.timeline.end(stageEnd, 0)
				c.timelines = append(c.timelines, c.timeline)
			}
			if err != nil {
				break
			}
		}
		if err == nil {
			c.launches, c.complete = c.launch, time.Since(c.begun)
			c.report()
		} else if !errors.Is(err, bench.ErrInterrupted) && !errors.Is(err, errStdoutClosed) {
			c.fail(begin, err)
		}
	}
	if err == nil && last != nil {
		err = last()
	}
	return c.end(err)
}

// fail removes what the launch under way, which has failed, has measured, and writes a row about
// it. A sweep, of which this command may be a launch, reads it and writes its own.
func (c *campaign) fail(begin time.Time, err error) {
	if n := len(c.points) - c.before.points; n > 0 {
		c.notice(fmt.Sprintf("%s of the failed launch left out", human.Count(n, "result", "results")))
	}
	c.runs, c.points = c.runs[:c.before.runs], c.points[:c.before.points]
	command := c.requests[0].Command
	name, _ := os.Hostname()
	row := &record.Failure{
		Run: record.NewID(begin), Time: begin.UTC(), Plan: c.series, Name: strings.Join(command, " "), Command: command, Host: name,
		Launch: c.launch, Block: 1, Attempt: 1, Why: err.Error(), Duration: time.Since(begin).Seconds(),
	}
	if launch, _ := child.Replicate(); launch == 0 {
		c.keep(c.file.WriteFailure(row))
	}
	if c.json != nil {
		c.json.WriteFailure(row) // the command fails in any case
	}
}

// report prints a line about a complete launch to standard error, if no terminal shows the
// progress. A single launch shows no progress, and records on standard output are progress enough.
func (c *campaign) report() {
	r := c.requests[0]
	if r.timed() && c.json == nil {
		c.notice(fmt.Sprintf("launch %d, %.1f s: %s", c.launch, c.complete.Seconds(), report.LaunchLine(c.points[c.before.points:])))
		return
	}
	if c.screen.terminal.Live || c.json != nil || r.Launches == 1 {
		return
	}
	if c.launch > r.Launches {
		c.notice(fmt.Sprintf("launch %d complete, beyond the %d of %v: rows are not known well enough", c.launch, r.Launches, remedy.Named("launches")))
		return
	}
	c.notice(fmt.Sprintf("launch %d of %d complete%s", c.launch, r.Launches, leftText(c.left(c.complete))))
}

// Processes runs the launches with ranks that are processes, on this host or, after Connect, on
// others. The end of ctx takes effect before the next launch. A launch under way gets the signals
// themselves, which it forwards to the ranks.
func (c *campaign) Processes(ctx context.Context) error {
	return c.do(ctx, func(ctx context.Context, r *measurement, n round) error {
		if ctx.Err() != nil {
			return bench.ErrInterrupted
		}
		return c.processes(context.WithoutCancel(ctx), r, n)
	}, nil)
}

// Goroutines runs the launches with ranks that are goroutines of this process.
func (c *campaign) Goroutines(ctx context.Context) error {
	return c.do(ctx, func(ctx context.Context, r *measurement, n round) error { return r.Goroutines(ctx, n, c) }, nil)
}

// next begins another launch, unless the requested precision is reached or the budget is used up.
func (c *campaign) next() bool {
	r := c.requests[0]
	switch spent := time.Since(c.begun); {
	case r.Duration > 0 && c.launch > 0 && spent >= r.Duration:
		return false
	case !r.timed() && c.launch >= r.Launches && !c.goesOn(spent):
		return false
	}
	c.before.runs, c.before.points = len(c.runs), len(c.points)
	if c.launch > 0 && c.terminal.Live && r.Form == report.Text {
		c.screen.redraw(c.table())
	}
	c.launch++
	return true
}

// goesOn reports whether another launch beyond the minimum number is made. If cores changed their
// state so that some cell has no row with an interval, the number may double. If a row is less
// precise than requested, launches continue within the budget, of which spent is used.
func (c *campaign) goesOn(spent time.Duration) bool {
	r := c.requests[0]
	if r.Launches < stats.MinLaunches {
		return false // the user requested too few for an interval
	}
	rows := c.rows()
	if c.launch < 2*r.Launches && !eachKnown(rows) {
		return true
	}
	if r.Budget == 0 || spent+spent/time.Duration(c.launch) > r.budget() {
		return false
	}
	return slices.ContainsFunc(rows, func(row record.Point) bool {
		v := row.Metrics.Get(series.Main(row.Metrics))
		return v.Confidence == 0 || max(v.Hi-v.Median, v.Median-v.Lo) > r.Precision*v.Median
	})
}

// eachKnown reports whether every cell has a row with an interval, in any state of the cores.
func eachKnown(rows []record.Point) bool {
	known := map[string]bool{}
	for i := range rows {
		key := rows[i].CellKey()
		known[key] = known[key] || rows[i].Metrics.Get(series.Main(rows[i].Metrics)).Confidence > 0
	}
	return !slices.Contains(slices.Collect(maps.Values(known)), false)
}

// budget returns the time of all launches together.
func (r *measurement) budget() time.Duration {
	return r.Budget * time.Duration(r.cells())
}

func (c *campaign) rows() []record.Point {
	return series.Rows(c.runs, c.points, new(series.Scales))
}

// Run implements Sink.
func (c *campaign) Run(r record.Run) error {
	known := c.scale.Confirmed()
	r.Copy, r.Cache, r.MinDistance, r.MinLoop = c.scale.Copy, c.scale.Cache, known.Distance, known.Loop
	c.runs = append(c.runs, r)
	c.keep(c.file.WriteRun(&r))
	if c.json != nil {
		if err := c.read(c.json.WriteRun(&r)); err != nil {
			return err
		}
	}
	if c.sink != nil {
		return c.sink.Run(r)
	}
	return nil
}

// Point implements Sink.
func (c *campaign) Point(p record.Point) error {
	err := c.file.WritePoint(&p)
	if _, ok := errors.AsType[*record.InvalidError](err); ok {
		return err // an invalid number must not be printed
	}
	c.points = append(c.points, p)
	c.scale.AddPoint(&p)
	c.keep(err)
	if c.json != nil {
		if err := c.read(c.json.WritePoint(&p)); err != nil {
			return err
		}
	}
	if c.sink != nil {
		return c.sink.Point(p)
	}
	return nil
}

// Event implements Sink.
func (c *campaign) Event(e bench.Event) (err error) {
	switch {
	case e.Progress != nil:
		p := e.Progress
		c.line(fmt.Sprintf("%d/%d %s %s %.3f us", p.Case+1, p.Cases, p.Bench, human.Size(int64(p.Size)), p.Median*1e6))
	case e.Line != "":
		c.line(e.Line)
	case e.Text != "" && c.requests[0].Form == report.Text:
		err = c.read(c.screen.print(c.stdout, fitted(e.Text, c.terminal.Width)))
	case e.Stage != nil:
		c.timeline.end(e.Stage.Name, e.Stage.Resident)
	case e.LeftOut != nil:
		c.leaveOut(*e.LeftOut)
	}
	if err == nil && c.sink != nil {
		err = c.sink.Event(e)
	}
	return err
}

// leaveOut prints once that a cell is left out, and makes later launches leave it out as well.
func (c *campaign) leaveOut(l bench.LeftOut) {
	if slices.ContainsFunc(c.leftOut, l.Same) {
		return
	}
	c.leftOut = append(c.leftOut, l)
	size := human.Size(int64(l.Size))
	c.notice(fmt.Sprintf("%s of %s over %s is left out: one event would take about %v; %v measures it", size, l.Bench, l.Transport, l.Event.Round(100*time.Millisecond), remedy.Set("sizes", l.Size)))
}

// line shows the progress.
func (c *campaign) line(s string) {
	of := fmt.Sprintf(" of %d", max(c.launch, c.requests[0].Launches))
	if c.requests[0].timed() {
		of = ""
	}
	c.screen.line(fmt.Sprintf("launch %d%s: %s%s", c.launch, of, s, leftText(c.left(time.Since(c.begun)))))
}

// left estimates the remaining time, 0 if unknown: in the first launch from the plan, later from
// the launches so far, and beyond the minimum number of launches from the budget.
func (c *campaign) left(spent time.Duration) time.Duration {
	r := c.requests[0]
	switch {
	case r.timed():
		return max(0, r.Duration-spent)
	case c.launches >= r.Launches && r.Budget > 0:
		return r.budget() - spent
	case c.launches >= r.Launches:
		return c.complete/time.Duration(c.launches)*time.Duration(c.launch) - spent
	case c.launches > 0:
		return c.complete*time.Duration(r.Launches)/time.Duration(c.launches) - spent
	case r.Jobs == nil:
		smallest, _ := r.expectedTime(c.speed)
		smallest *= time.Duration(max(1, len(c.requests)/max(1, r.pairs)))
		if n := len(c.points); n > 0 { // the cells so far may be slower than the plan expects
			cells := r.cells() * max(1, len(c.requests)/max(1, r.pairs))
			smallest = max(smallest, spent*time.Duration(r.Launches)*time.Duration(cells)/time.Duration(min(n, cells)))
		}
		return smallest - spent
	}
	return 0
}

// leftText formats the remaining time, "" if it is short.
func leftText(left time.Duration) string {
	if left <= 5*time.Second {
		return ""
	}
	return fmt.Sprintf(", %v left", left.Round(time.Second))
}

// keep counts a record, and whether it was written. It prints the first failure immediately,
// because the user may be able to make room.
func (c *campaign) keep(err error) {
	c.lost.Of++
	if err == nil {
		return
	}
	c.lost.Rows++
	if c.lost.Err == nil {
		c.lost.Err = err
		c.screen.print(c.stderr, fmt.Sprintf("gobench: %v; measuring goes on\n", err))
	}
}

// read converts an error of standard output to one that ends the run.
func (c *campaign) read(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return errStdoutClosed
	}
	return err
}

// end prints the rows after the last launch has ended with err, and returns the error of the
// command.
func (c *campaign) end(err error) error {
	c.screen.clear()
	var rows []record.Point
	var renamed *record.RenamedError
	if !errors.Is(err, errStdoutClosed) {
		rows = c.rows()
	}
	for i := range rows {
		c.keep(c.file.WriteSummary(&rows[i]))
	}
	if e := c.file.Close(); errors.As(e, &renamed) {
		fmt.Fprintf(c.stderr, "gobench: %v\n", renamed)
		c.path = renamed.To
	} else if e != nil {
		c.lost.Rows, c.lost.Err = c.lost.Of, cmp.Or(c.lost.Err, e)
	}
	if len(rows) > 0 {
		err = cmp.Or(err, c.read(c.print(rows)))
		for _, e := range c.requests[0].Exports {
			warnings, failed := e.Write([]report.Command{{Runs: c.runs, Points: c.points}})
			for _, warning := range warnings {
				fmt.Fprintf(c.stderr, "gobench: %s\n", warning)
			}
			err = cmp.Or(err, failed)
		}
	}
	if c.timelines != nil && c.cluster != nil {
		fmt.Fprintf(c.stderr, "gobench: the hosts were connected once, in %.3f s\n", c.connected.Seconds())
	}
	writeTimelines(c.stderr, c.timelines)
	err = cmp.Or(err, c.read(c.logRecords()))
	if c.cluster == nil {
		learnScale(c.scale)
	}
	if errors.Is(err, bench.ErrInterrupted) && c.requests[0].Endless && c.launches > 0 {
		err = nil // the usual end
	}
	if err == nil {
		err = checkLimits(c.requests[0].limits, rows)
	}
	if errors.Is(err, bench.ErrInterrupted) {
		err = &interruptedError{c.launches, max(c.launch, c.requests[0].Launches), len(c.points), c.path, lateOf(err)}
	}
	switch {
	case c.lost.Err == nil:
		return err
	case err == nil:
		return &c.lost
	default:
		return fmt.Errorf("%w; %w", err, &c.lost)
	}
}

// print writes the rows of all launches to standard output.
func (c *campaign) print(rows []record.Point) error {
	switch c.requests[0].Form {
	case report.JSON:
		return c.json.WriteSummaries(rows)
	case report.CSV:
		return report.WriteCSV(c.stdout, rows)
	case report.Rows:
		return record.NewWriter(c.stdout).WriteSummaries(rows)
	}
	o := c.output()
	if err := o.Text(c.runs, c.points); err != nil || o.View.Records == "" {
		return err
	}
	where := "records: " + c.path + ", series " + c.series
	switch {
	case o.View.Full:
		_, err := io.WriteString(c.stdout, terminal.Hang("# ", where, c.terminal.Width))
		return err
	case c.terminal.Width == 0:
		fmt.Fprintln(c.stderr, "gobench: "+where)
	}
	return nil
}
