// Command peers compares gobench with Open MPI, MPICH, UCX, NetPIPE and plain
// C programs in one run: every round runs every program, in random order,
// pinned to the same kind of pair of cores.
//
// On virtual machines the distance of two cores changes within seconds, and
// small-message times with it. So each program calibrates the pair itself
// around every size, and a size counts only where the pair was near before and
// after. What was far is run again, a bounded number of times.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
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
}

func peers(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.gobench, "gobench", "bin/gobench", "path of gobench")
	flags.StringVar(&s.c, "c", "peers/c/bin", "folder of the C programs")
	flags.StringVar(&s.out, "o", "results/peers.jsonl", "file to which records are appended")
	flags.IntVar(&s.rounds, "rounds", 7, "rounds; the comparison wants at least 5")
	flags.IntVar(&s.attempts, "attempts", 6, "most runs of one program in one round, until its pair was near for every size")
	flags.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "seed of the order of programs")
	flags.IntVar(&s.ranks, "ranks", 64, "ranks of the start-up test")
	if err := flags.Parse(args); err != nil {
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

	programs := append(sharedMemory(s), overTCP(s)...)
	all := newResults(cores)
	roundsErr := runRounds(ctx, s, cores, programs, all, log, stderr)
	printTables(stdout, programs, all)

	var start *startResult
	if roundsErr == nil {
		start, err = measureStart(ctx, s)
		if err != nil {
			roundsErr = err
		} else {
			start.print(stdout)
			log.write(start)
		}
	}
	printTargets(stdout, programs, all, start)
	if roundsErr != nil {
		return roundsErr
	}
	return log.close()
}
