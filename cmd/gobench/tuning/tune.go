package tuning

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/bench/record"
	"gobench/comm/coll"
	"gobench/internal/exit"
	"gobench/internal/terminal"
	"gobench/launch/child"
	"gobench/launch/host"
)

// Asked is the command line of gobench tune.
type Asked struct {
	Operations string
	Transports string
	Ranks      string // numbers, separated by commas
	Sizes      string
	Budget     time.Duration
	Launches   int
	File       string // of the table; "" = where it is looked for
	Records    string // file of records
	Version    string
	DryRun     bool
}

// Default is what is measured where nothing is asked for.
var Default = Asked{
	Operations: "all", Transports: "smem", Ranks: strconv.Itoa(max(2, host.UsualRanks())), Sizes: "8,256,4K,64K,1M", Budget: 60 * time.Millisecond, Launches: 8,
}

// launch is one run of gobench coll.
type launch struct {
	transport string
	ranks     int
}

func (a *Asked) launches() ([]launch, error) {
	var list []launch
	for _, transport := range strings.Split(a.Transports, ",") {
		for _, word := range strings.Split(a.Ranks, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 2 {
				return nil, fmt.Errorf("-n is %q, want numbers of ranks of 2 or more, such as 2,4", a.Ranks)
			}
			list = append(list, launch{strings.TrimSpace(transport), n})
		}
	}
	return list, nil
}

// command is the command line of a launch: this program measures with itself.
func (a *Asked) command(l launch) []string {
	return []string{"coll", "--op=" + a.Operations, "--algo=all", "--transport=" + l.transport, "-n", strconv.Itoa(l.ranks),
		"--sizes=" + a.Sizes, "--budget=" + a.Budget.String(), "--launches=" + strconv.Itoa(a.Launches), "--table=" + None, "--json", "-o", a.Records}
}

// Tune measures, fits and writes the table, and prints what it has found. Interrupted or failed
// it writes no table; the records stay.
func Tune(ctx context.Context, a Asked, stdout, stderr io.Writer) error {
	list, err := a.launches()
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	if a.File == "" {
		if a.File, _ = Path(""); a.File == None {
			return &exit.UsageError{Err: fmt.Errorf("there is no folder for the table: name a file with -o")}
		}
	}
	if a.DryRun {
		return a.plan(ctx, list, stdout, stderr)
	}
	var points []record.Point
	for i, l := range list {
		fmt.Fprintf(stderr, "gobench: launch %d of %d: every algorithm over %s with %d ranks\n", i+1, len(list), l.transport, l.ranks)
		out, err := a.run(ctx, l, stderr)
		if err != nil {
			return err
		}
		file, err := record.Read(bytes.NewReader(out))
		if err != nil {
			return fmt.Errorf("what was measured is unreadable: %w", err)
		}
		points = append(points, file.Points...)
	}
	found := cells(points)
	table := &coll.Table{
		Rules: rules(found), Origin: a.File,
		Made: coll.Provenance{Date: time.Now(), Gobench: a.Version, Machine: Here(nil)},
	}
	if err := print(stdout, found); err != nil {
		return err
	}
	if err := save(table, a.File); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, terminal.Hang("", fmt.Sprintf("# written to %s: %s", a.File, a.use()), terminal.Of(stdout).Width))
	return err
}

// use says when the file is in force.
func (a *Asked) use() string {
	if path, asked := Path(""); path == a.File && !asked {
		return "loaded automatically; " + Variable + " or --table override it"
	}
	return "loaded where " + Variable + " or --table names it"
}

// run measures one launch and returns its records.
func (a *Asked) run(ctx context.Context, l launch, stderr io.Writer) ([]byte, error) {
	var out bytes.Buffer
	err := child.Child{Args: a.command(l), Stdout: &out, Stderr: stderr}.Run(ctx)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("interrupted: no table was written, what was measured is in %s", a.Records)
	}
	if failed, ok := errors.AsType[*child.ExitError](err); ok && failed.Code == exit.Usage {
		return nil, &exit.ReportedError{Code: exit.Usage, Err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("%w; no table was written", err)
	}
	return out.Bytes(), nil
}

// plan prints what would be measured.
func (a *Asked) plan(ctx context.Context, list []launch, stdout, stderr io.Writer) error {
	for _, l := range list {
		args := slices.DeleteFunc(a.command(l), func(arg string) bool { return arg == "--json" })
		if err := (child.Child{Args: append(args, "--dry-run"), Stdout: stdout, Stderr: stderr}).Run(ctx); err != nil {
			return &exit.ReportedError{Code: exit.Usage, Err: err}
		}
	}
	_, err := fmt.Fprintf(stdout, "table       written to %s\n", a.File)
	return err
}
