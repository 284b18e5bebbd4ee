package main

import (
	"bytes"
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

	"github.com/spf13/cobra"

	"gobench/comm/coll"
	"gobench/experiment"
	"gobench/experiment/tune"
	"gobench/internal/exit"
	"gobench/internal/human"
	"gobench/internal/terminal"
	"gobench/launch/child"
	"gobench/launch/detect"
	"gobench/launch/host"
	"gobench/record"
)

// tuneFlags are the flags of gobench tune.
type tuneFlags struct {
	operations string
	settings   string // options of transports
	transports string
	ranks      string // numbers, separated by commas
	on         experiment.Hosts
	sizes      string
	budget     time.Duration
	launches   int
	file       string // of the table, "" = the default path
	records    string // file of records
	dryRun     bool
	digest     string // of the program
}

func newTune() *cobra.Command {
	flags := tuneFlags{
		operations: "all", settings: "all", transports: "smem", ranks: strconv.Itoa(max(2, host.UsualRanks())), sizes: "8,256,4K,64K,1M", budget: 60 * time.Millisecond, launches: 8,
		on: experiment.NewCollective().On,
	}
	cmd := &cobra.Command{
		Use:   "tune [flags]",
		Short: "Select the fastest algorithms and transport options on this machine",
		Example: `  gobench tune                                  every operation over shared memory, a rank on each of up to 4 cores
  gobench tune --op=allreduce,bcast --transport=smem,tcp -n 2,4
  gobench tune --op=none                        the options of the transport alone
  gobench tune --hosts=a:4,b:4 --transport=smem+tcp    also the algorithms of two levels
  gobench tune -o table.toml && gobench coll --profile=table.toml
  gobench tune --dry-run                        the plan and its expected time`,
		Long: "It measures the profile of the machine again, then messages of two ranks with each value of the options that matter, near and far cores apart, and keeps a value that is significantly faster. Then it measures all algorithms as gobench coll --algo=all does, chooses one for each size, and writes the choice to a file that can be read and edited. " +
			"The file is loaded at start if it was made for this machine. Sizes that are multiples of 4 suit all operations.",
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := unaccompanied(cmd.Name()); err != nil {
				return err
			}
			if flags.on.List != "" || flags.on.File != "" { // then gobench coll has other defaults
				for _, f := range []struct {
					name  string
					value *string
				}{{"transport", &flags.transports}, {"np", &flags.ranks}} {
					if !cmd.Flags().Changed(f.name) {
						*f.value = ""
					}
				}
			}
			if flags.records == "" {
				flags.records = experiment.DefaultFile()
			}
			flags.digest = host.ProgramDigest()
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return flags.tune(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.operations, "op", flags.operations, "`LIST` operations, all, or none")
	f.StringVar(&flags.settings, "settings", flags.settings, "`LIST` transport options to tune, all, or none")
	f.StringVar(&flags.transports, "transport", flags.transports, "`LIST` transports")
	hostFlags(f, &flags.on)
	f.StringVarP(&flags.ranks, "np", "n", flags.ranks, "`LIST` numbers of ranks"+usual)
	f.StringVar(&flags.sizes, "sizes", flags.sizes, "`LIST` sizes: 8, 64K, 1MiB, or 1:4MiB for both ends and the powers of two between them")
	timeVar(f, &flags.budget, "budget", "`TIME` measuring time of one cell over all launches")
	f.IntVar(&flags.launches, "launches", flags.launches, "`N` launches, each with new ranks; below 6 the defaults are kept")
	f.StringVarP(&flags.file, "output", "o", "", "`FILE` write the table to this file (default $GOBENCH_PROFILE, else gobench/table.toml in the user's configuration folder)")
	f.StringVar(&flags.records, "records", "", "`FILE` append records to this file (default results/HOST-DATE.jsonl)")
	f.BoolVar(&flags.dryRun, "dry-run", false, "print the plan: cells and expected time of the algorithms, launches of the options")
	f.SortFlags = false
	return cmd
}

// commands returns the command lines of gobench coll that measure all algorithms, one for each
// transport and number of ranks.
func (t *tuneFlags) commands() ([][]string, error) {
	var list [][]string
	if t.operations == nothing {
		return nil, nil
	}
	for _, transport := range strings.Split(t.transports, ",") {
		for _, word := range strings.Split(t.ranks, ",") {
			command := []string{"coll", "--op=" + t.operations, "--algo=all"}
			if transport = strings.TrimSpace(transport); transport != "" {
				command = append(command, "--transport="+transport)
			}
			if t.ranks != "" {
				n, err := strconv.Atoi(strings.TrimSpace(word))
				if err != nil || n < 2 {
					return nil, fmt.Errorf("-n is %q, want numbers of ranks of 2 or more, such as 2,4", t.ranks)
				}
				command = append(command, "-n", strconv.Itoa(n))
			}
			list = append(list, slices.Concat(command, t.hosts(), []string{
				"--sizes=" + t.sizes, "--budget=" + t.budget.String(), "--launches=" + strconv.Itoa(t.launches), "--profile=" + t.profile(), "-o", t.records}))
		}
	}
	return list, nil
}

// hosts returns the flags about hosts for gobench coll.
func (t *tuneFlags) hosts() []string {
	var flags []string
	for _, f := range [][2]string{{"--hosts=", t.on.List}, {"--hostfile=", t.on.File}, {"--map=", t.on.Map}, {"--ssh=", t.on.SSH}} {
		if f[1] != "" {
			flags = append(flags, f[0]+f[1])
		}
	}
	if t.on.List+t.on.File != "" {
		flags = append(flags, "--copy="+t.on.Copy)
	}
	for _, name := range t.on.Env {
		flags = append(flags, "--env="+name)
	}
	return flags
}

// tune measures, chooses algorithms, prints them and writes the table. After an interruption or a
// failure it writes no table; the records remain.
func (t *tuneFlags) tune(ctx context.Context, stdout, stderr io.Writer) error {
	commands, err := t.commands()
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	searches, err := t.searches()
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	switch {
	case t.launches < 1:
		return &exit.UsageError{Err: fmt.Errorf("--launches is %d, want 1 or more", t.launches)}
	case len(commands)+len(searches) == 0:
		return &exit.UsageError{Err: errors.New("nothing is left to tune: name operations with --op, or options with --settings (between hosts options are not tuned)")}
	}
	if t.file == "" {
		if t.file, _ = tune.Path(""); t.file == tune.None {
			return &exit.UsageError{Err: errors.New("there is no folder for the table: name a file with -o")}
		}
	}
	// Mistakes in the command lines are found before anything is measured.
	plan := io.Discard
	if t.dryRun {
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
	if t.dryRun {
		for _, s := range searches {
			fmt.Fprintf(stdout, "option      %s of %s: %s, %s\n", s.option.Name, s.transport, strings.Join(s.values(), ", "), human.Count(t.launches*len(s.values()), "launch", "launches"))
		}
		_, err := fmt.Fprintf(stdout, "table       written to %s\n", t.file)
		return err
	}
	if _, err := experiment.Profile(ctx, tune.Renew, t.digest, stderr); err != nil {
		return err
	}
	settings, err := t.search(ctx, searches, stdout, stderr)
	if err != nil {
		return err
	}
	var measured []*record.File
	for i, c := range commands {
		shown := c[:slices.Index(c, "--sizes="+t.sizes)]
		fmt.Fprintf(stderr, "gobench: launch %d of %d: gobench %s\n", i+1, len(commands), strings.Join(shown, " "))
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
		Rules: tune.Rules(cases), Settings: settings, Origin: t.file,
		Made: coll.Provenance{Date: time.Now(), Gobench: host.Version(), Machine: tune.Here(nil)},
	}
	if old, e := coll.Load(t.file, table.Made.Machine); e == nil { // of this machine
		if len(commands) == 0 {
			table.Rules = old.Rules
		}
		if len(searches) == 0 {
			table.Settings = old.Settings
		}
	}
	err = os.MkdirAll(filepath.Dir(t.file), 0o755)
	if err == nil {
		err = table.Save(t.file)
	}
	if err != nil {
		return fmt.Errorf("the table cannot be written: %w", err)
	}
	use := "loaded where " + tune.Variable + " or --profile names it"
	if path, named := tune.Path(""); path == t.file && !named {
		use = "loaded automatically; " + tune.Variable + " or --profile override it"
	}
	_, err = io.WriteString(stdout, terminal.Hang("", fmt.Sprintf("# written to %s: %s", t.file, use), terminal.Of(stdout).Width))
	return err
}

// profile returns the profile of the commands that measure: that of the machine, without a table.
func (t *tuneFlags) profile() string {
	path, p := tune.Stored(t.digest)
	if p == nil {
		return tune.None
	}
	return path
}

// run runs a command. Without hosts it stays on this host, which the table is for, even if a
// scheduler has allocated others.
func (t *tuneFlags) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c := child.Child{Args: args, Stdout: stdout, Stderr: stderr}
	if t.on.List+t.on.File == "" {
		c.Env = detect.NoAllocation()
	}
	return c.Run(ctx)
}

// measure runs a command and returns its records.
func (t *tuneFlags) measure(ctx context.Context, command []string, stderr io.Writer) (*record.File, error) {
	var out bytes.Buffer
	err := t.run(ctx, append(slices.Clone(command), "--json=all"), &out, stderr)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("interrupted: no table was written, the records are in %s", t.records)
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
		fmt.Fprintf(&b, "%-10s %-14v %5d %8s  %-18s %11.3f  %-18s %11s  %v\n", c.Transport, c.Kind, c.Ranks, human.Size(int64(c.Size)),
			c.Best.Choice, c.Best.Time.Median*1e6, usual, time, c.Chosen)
	}
	b.WriteString("# the default stays where the intervals of the two medians overlap\n")
	_, err := io.WriteString(w, b.String())
	return err
}
