// Package tuner measures which algorithms of collective operations and which options of transports
// are the fastest on this machine, and writes them to a table. It starts the program again for each
// launch: gobench coll for algorithms, gobench p2p for options. Package tune chooses.
package tuner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/comm/coll"
	"gobench/experiment"
	"gobench/internal/collect"
	"gobench/internal/exit"
	"gobench/internal/experiment/tune"
	"gobench/internal/human"
	"gobench/internal/launch/child"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/host"
	"gobench/internal/remedy"
	"gobench/internal/terminal"
	"gobench/record"
)

// A Tuner holds the options of gobench tune, as typed.
type Tuner struct {
	Operations string // separated by commas, "all" or "none"
	Settings   string // options of transports, in the same way
	Transports string
	Ranks      string // numbers, separated by commas
	On         experiment.Hosts
	Sizes      string
	Budget     time.Duration // of a cell in all launches
	Launches   int
	File       string // of the table, "" = the default path
	Records    string // file of records, "" = the usual one
	DryRun     bool   // print the plan only
	Quiet      bool   // no notices of the commands and no progress

	digest string // of the program
}

// New returns the usual options.
func New() *Tuner {
	return &Tuner{
		Operations: "all", Settings: "all", Transports: "smem", Ranks: strconv.Itoa(max(2, host.UsualRanks())), Sizes: "8,256,4K,64K,1M", Budget: 60 * time.Millisecond, Launches: 8,
		On: experiment.NewCollective().On,
	}
}

// commands returns the command lines of gobench coll that measure all algorithms, one for each
// transport and number of ranks.
func (t *Tuner) commands() ([][]string, error) {
	var list [][]string
	if t.Operations == nothing {
		return nil, nil
	}
	for _, transport := range strings.Split(t.Transports, ",") {
		for _, word := range strings.Split(t.Ranks, ",") {
			command := []string{"coll", "--op=" + t.Operations, "--algo=all"}
			if transport = strings.TrimSpace(transport); transport != "" {
				command = append(command, "--transport="+transport)
			}
			if t.Ranks != "" {
				n, err := strconv.Atoi(strings.TrimSpace(word))
				if err != nil || n < 2 {
					return nil, remedy.Errorf("%v is %q, want numbers of ranks of 2 or more, such as 2,4", remedy.Named("np"), t.Ranks)
				}
				command = append(command, "-n", strconv.Itoa(n))
			}
			list = append(list, slices.Concat(command, t.hosts(), []string{
				"--sizes=" + t.Sizes, "--budget=" + t.Budget.String(), "--launches=" + strconv.Itoa(t.Launches), "--profile=" + t.profile(), "-o", t.Records}))
		}
	}
	return list, nil
}

// hosts returns the flags about hosts for gobench coll.
func (t *Tuner) hosts() []string {
	var flags []string
	for _, f := range [][2]string{{"--hosts=", t.On.List}, {"--hostfile=", t.On.File}, {"--map=", t.On.Map}, {"--ssh=", t.On.SSH}} {
		if f[1] != "" {
			flags = append(flags, f[0]+f[1])
		}
	}
	if t.On.List+t.On.File != "" {
		flags = append(flags, "--copy="+t.On.Copy)
	}
	flags = append(flags, collect.Each(t.On.Env, func(name string) string { return "--env=" + name })...)
	return flags
}

// Run measures, chooses algorithms, prints them to stdout and writes the table. After an
// interruption or a failure it writes no table; the records remain. Where experiment.ExitCode of
// the error is 2 an option is wrong, and nothing was measured.
func (t *Tuner) Run(ctx context.Context, stdout, stderr io.Writer) error {
	t.Records, t.digest = cmp.Or(t.Records, experiment.DefaultFile()), host.ProgramDigest()
	commands, err := t.commands()
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	searches, err := t.searches()
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	switch {
	case t.Launches < 1:
		return &exit.UsageError{Err: remedy.Errorf("%v is %d, want 1 or more", remedy.Named("launches"), t.Launches)}
	case len(commands)+len(searches) == 0:
		return &exit.UsageError{Err: remedy.Errorf("nothing is left to tune: name operations with %v, or options with %v (between hosts options are not tuned)", remedy.Named("op"), remedy.Named("settings"))}
	}
	if t.File == "" {
		if t.File, _ = tune.Path(""); t.File == tune.None {
			return &exit.UsageError{Err: remedy.Errorf("there is no directory for the table: name a file with %v", remedy.Named("output"))}
		}
	}
	// Mistakes in the command lines are found before anything is measured.
	plan := io.Discard
	if t.DryRun {
		plan = terminal.Unwrap(stdout)
	}
	for _, c := range commands {
		err := t.run(ctx, append(slices.Clone(c), "--dry-run"), plan, stderr)
		if failed, ok := errors.AsType[*child.ExitError](err); ok && failed.Code > 0 {
			return &exit.ReportedError{Code: failed.Code, Err: err}
		}
		if err != nil {
			return err
		}
	}
	if t.DryRun {
		for _, s := range searches {
			values := fmt.Sprintf("%s of %s: %s, %s", s.option.Name, s.transport, strings.Join(s.values(), ", "), human.Count(t.Launches*len(s.values()), "launch", "launches"))
			io.WriteString(stdout, terminal.Hang("option      ", values, terminal.Of(stdout).Width))
		}
		_, err := fmt.Fprintf(stdout, "table       written to %s\n", t.File)
		return err
	}
	if _, err := experiment.Profile(ctx, tune.Renew, t.digest, t.notices(stderr)); err != nil {
		return err
	}
	settings, err := t.search(ctx, searches, stdout, stderr)
	if err != nil {
		return err
	}
	var measured []*record.File
	for i, c := range commands {
		shown := c[:slices.Index(c, "--sizes="+t.Sizes)]
		fmt.Fprintf(t.notices(stderr), "gobench: launch %d of %d: gobench %s\n", i+1, len(commands), strings.Join(shown, " "))
		rows, err := t.measure(ctx, c, stderr)
		if err != nil {
			return err
		}
		measured = append(measured, rows)
	}
	cases := tune.Choose(measured...)
	if len(commands) > 0 {
		if err := printTuned(stdout, cases); err != nil {
			return err
		}
	}
	table := &coll.Table{
		Rules: tune.Rules(cases, nil), Settings: settings, Origin: t.File,
		Made: coll.Provenance{Date: time.Now(), Gobench: host.Version(), Machine: tune.Here(nil)},
	}
	if old, e := coll.Load(t.File, table.Made.Machine); e == nil { // of this machine
		table.Rules = tune.Rules(cases, old.Rules)
		if made := old.Made.Fingerprint; made == "" || made == tune.Fingerprint(t.digest) { // else they are of another program
			table.Choices, table.Made.Fingerprint = old.Choices, made
		}
		if len(searches) == 0 {
			table.Settings = old.Settings
		}
	}
	err = os.MkdirAll(filepath.Dir(t.File), 0o755)
	if err == nil {
		err = table.Save(t.File)
	}
	if err != nil {
		return fmt.Errorf("the table cannot be written: %w", err)
	}
	use := fmt.Sprintf("loaded where %s or %v names it", tune.Variable, remedy.Named("profile"))
	if path, named := tune.Path(""); path == t.File && !named {
		use = fmt.Sprintf("loaded automatically; %s or %v override it", tune.Variable, remedy.Named("profile"))
	}
	_, err = io.WriteString(stdout, terminal.Hang("", fmt.Sprintf("# written to %s: %s", t.File, use), terminal.Of(stdout).Width))
	return err
}

// profile returns the profile of the commands that measure: that of the machine, without a table.
func (t *Tuner) profile() string {
	path, p := tune.Stored(t.digest)
	if p == nil {
		return tune.None
	}
	return path
}

// notices returns where progress is written.
func (t *Tuner) notices(stderr io.Writer) io.Writer {
	if t.Quiet {
		return io.Discard
	}
	return stderr
}

// run runs a command. Without hosts it stays on this host, which the table is for, even if a
// scheduler has allocated others.
func (t *Tuner) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if t.Quiet {
		args = append(slices.Clone(args), "--quiet")
	}
	c := child.Child{Args: args, Stdout: stdout, Stderr: stderr}
	if t.On.List+t.On.File == "" {
		c.Env = detect.NoAllocation()
	}
	return c.Run(ctx)
}

// measure runs a command and returns its records.
func (t *Tuner) measure(ctx context.Context, command []string, stderr io.Writer) (*record.File, error) {
	var out bytes.Buffer
	err := t.run(ctx, append(slices.Clone(command), "--json=all"), &out, stderr)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("interrupted: no table was written, the records are in %s", t.Records)
	}
	if failed, ok := errors.AsType[*child.ExitError](err); ok && (failed.Code == exit.Usage || failed.Code == exit.Data) {
		return nil, &exit.ReportedError{Code: failed.Code, Err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("%w; no table was written", err)
	}
	rows, err := record.Read(&out)
	if err != nil {
		return nil, fmt.Errorf("the records are unreadable: %w", err)
	}
	return rows, nil
}

// printTuned prints a row for each case: the fastest algorithm, the default and the choice.
func printTuned(w io.Writer, list []tune.Case) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %-14s %5s %8s  %-18s %11s  %-18s %11s  %s\n", "#transport", "operation", "ranks", "size", "fastest", "t[usec]", "default", "t[usec]", "chosen")
	for _, c := range list {
		usual, time := "-", "-"
		if c.Default.Choice.Algorithm != nil {
			usual, time = c.Default.Choice.String(), fmt.Sprintf("%.3f", c.Default.Time.Median*1e6)
		}
		fmt.Fprintf(&b, "%-10s %-14s %5d %8s  %-18s %11.3f  %-18s %11s  %v\n", c.Transport, c.Form(), c.Ranks, human.Size(int64(c.Size)),
			c.Best.Choice, c.Best.Time.Median*1e6, usual, time, c.Chosen)
	}
	b.WriteString("# the default stays where the intervals of the two medians overlap\n")
	_, err := io.WriteString(w, b.String())
	return err
}
