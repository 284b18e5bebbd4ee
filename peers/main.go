// Command peers compares gobench with Open MPI, MPICH, UCX, NetPIPE and plain C programs: every
// round runs every program, in random order, pinned to the same kind of pair of cores.
//
// On virtual machines the core-to-core latency changes within seconds, and small-message latency
// with it. Each program therefore measures it around every size, and a size is valid only if the
// pair was near before and after. Other sizes are repeated a bounded number of times.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(peers(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// settings is the parsed command line.
type settings struct {
	gobench  string // path of the program under test
	c        string // folder of the C programs
	out      string // file of records
	rounds   int
	attempts int    // of one program in one round
	seed     uint64 // of the order within rounds
	ranks    int    // of the start-up test
	only     string // the one part to run; empty = all
	plan     *plan  // how samples are taken
}

// parts lists the parts that can be compared alone: point-to-point, collectives, and startup time.
var parts = []string{"p2p", "coll", "start"}

func (s settings) runs(part string) bool { return s.only == "" || s.only == part }

func peers(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s := settings{plan: newPlan()}
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.gobench, "gobench", "bin/gobench", "path of gobench")
	flags.StringVar(&s.c, "c", "peers/c/bin", "folder of the C programs")
	flags.StringVar(&s.out, "o", "results/peers.jsonl", "file to which records are appended")
	flags.IntVar(&s.rounds, "rounds", 7, "rounds; the comparison wants at least 5")
	flags.IntVar(&s.attempts, "attempts", 6, "most runs of one program in one round, until its pair was near for every size")
	flags.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "seed of the order of programs")
	flags.IntVar(&s.ranks, "ranks", 64, "ranks of the start-up test")
	flags.StringVar(&s.only, "only", "", "run one part alone: p2p, coll or start")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if s.only != "" && !slices.Contains(parts, s.only) {
		fmt.Fprintf(stderr, "peers: no part is called %q: there are %s\n", s.only, strings.Join(parts, ", "))
		return 2
	}
	if flags.NArg() > 0 || s.rounds < 1 || s.attempts < 1 || s.ranks < 2 {
		fmt.Fprintln(stderr, "peers: want rounds and attempts of at least 1, ranks of at least 2, and no arguments")
		return 2
	}
	if err := compare(ctx, s, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "peers:", err)
		return 1
	}
	return 0
}

// compare runs everything and prints the tables.
func compare(ctx context.Context, s settings, stdout, stderr io.Writer) error {
	cores, err := newPair(ctx, s.c)
	if err != nil {
		return err
	}
	log, err := openRecords(s.out)
	if err != nil {
		return err
	}
	defer log.close() // again below, where its error counts

	fmt.Fprintf(stdout, "peers: %d rounds, seed %d, cores %v, one shared line %.0f ns at best\n",
		s.rounds, s.seed, cores.all, cores.floor*1e9)
	for _, line := range versions(ctx, s) {
		fmt.Fprintln(stdout, "  "+line)
	}

	var list []verdict
	for _, part := range []struct {
		name string
		run  func() ([]verdict, error)
	}{
		{"p2p", func() ([]verdict, error) { return comparePairs(ctx, s, cores, log, stdout, stderr) }},
		{"coll", func() ([]verdict, error) { return compareColl(ctx, s, cores, log, stdout, stderr) }},
		{"start", func() ([]verdict, error) { return compareStart(ctx, s, log, stdout, stderr) }},
	} {
		if !s.runs(part.name) || stopped(ctx) {
			continue
		}
		more, failed := part.run()
		list = append(list, more...)
		if failed != nil {
			fmt.Fprintf(stderr, "peers: %s: %v\n", part.name, failed)
			err = errors.Join(err, fmt.Errorf("%s: %w", part.name, failed))
		}
	}
	printTargets(stdout, list)
	if err != nil {
		return err
	}
	return log.close()
}

// comparePairs runs point-to-point and prints its tables, including what was measured before an
// error.
func comparePairs(ctx context.Context, s settings, cores *pair, log *records, stdout, stderr io.Writer) ([]verdict, error) {
	programs := append(sharedMemory(s), overTCP(s)...)
	all, retries := newResults(cores), newRetryPolicy(s.rounds, stderr)
	err := runRounds(ctx, s, cores, programs, all, retries, log, stderr)
	printTables(stdout, programs, all)
	retries.print(stdout)
	return verdicts(programs, all), err
}

// compareColl runs collectives and prints their tables, including what was measured before an
// error.
func compareColl(ctx context.Context, s settings, cores *pair, log *records, stdout, stderr io.Writer) ([]verdict, error) {
	programs := append(collsOverMemory(s), collsOverTCP(s)...)
	all, retries := newCollResults(cores), newRetryPolicy(s.rounds, stderr)
	err := runColl(ctx, s, cores, programs, all, retries, log, stderr)
	printColl(stdout, programs, all, "smem")
	printColl(stdout, programs, all, "tcp")
	retries.print(stdout)
	var scale *scaling
	if err == nil {
		if scale, err = measureScaling(ctx, s, retries); err == nil {
			scale.print(stdout)
			log.write(scale)
		}
	}
	return collVerdicts(programs, all, scale), err
}

func compareStart(ctx context.Context, s settings, log *records, stdout, stderr io.Writer) ([]verdict, error) {
	retries := newRetryPolicy(1, stderr)
	start, err := measureStart(ctx, s, retries)
	if err != nil {
		return nil, err
	}
	start.print(stdout)
	retries.print(stdout)
	log.write(start)
	return start.verdicts(), nil
}
