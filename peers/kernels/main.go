// Command kernels compares the kernels of gobench with equivalent C programs. Each round runs every
// program and a memory bandwidth test (stream) in random order. It prints the median of each, their
// ratio, and the rate that memory bandwidth allows.
//
// Compute times differ by some percent from round to round, and more on a busy machine, so only
// ratios of one run are comparable.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(compare(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// settings is the parsed command line.
type settings struct {
	gobench string // path of the program under test
	c       string // folder of the C programs
	kernels []string
	classes []string
	fdtd    []string // problems
	ranks   []int
	native  []library
	rounds  int
	seed    uint64
}

// A cell is a problem that both programs solve.
type cell struct {
	kernel, class string
	ranks         int
}

func compare(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("kernels", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.gobench, "gobench", "bin/gobench", "path of gobench")
	flags.StringVar(&s.c, "c", "peers/c/bin", "folder of the C programs")
	kernels := flags.String("kernels", "bt,cg,ep,ft,is,lu,mg,sp", "kernels, separated by commas")
	classes := flags.String("classes", "A", "classes, separated by commas")
	problems := flags.String("fdtd", "4096x4096x60-single,4096x4096x60-double", "problems of FDTD, separated by commas; empty = none")
	ranks := flags.String("ranks", "1,4", "ranks, and threads of the C programs, separated by commas")
	flags.Func("npb", "NPB itself, as FOLDER=COMMAND: built programs and what starts so many ranks of them; may be repeated, the best one counts", func(text string) error {
		l, err := parseLibrary(text)
		s.native = append(s.native, l)
		return err
	})
	flags.IntVar(&s.rounds, "rounds", 5, "rounds")
	flags.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "seed of the order of programs")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	s.kernels, s.classes = strings.Split(*kernels, ","), strings.Split(*classes, ",")
	s.kernels = slices.DeleteFunc(s.kernels, func(name string) bool { return name == "" })
	if *problems != "" {
		s.fdtd = strings.Split(*problems, ",")
	}
	for _, class := range s.fdtd {
		if _, err := parseFDTD(class); err != nil {
			fmt.Fprintf(stderr, "kernels: %v\n", err)
			return 2
		}
	}
	for _, word := range strings.Split(*ranks, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			fmt.Fprintf(stderr, "kernels: -ranks is %q, want numbers such as 1,4\n", *ranks)
			return 2
		}
		s.ranks = append(s.ranks, n)
	}
	results := measured{}
	if err := s.run(ctx, results); err != nil {
		fmt.Fprintf(stderr, "kernels: %v\n", err)
		return 1
	}
	fmt.Fprint(stdout, results.table(s.cells()))
	return 0
}

func (s settings) cells() []cell {
	var list []cell
	for _, k := range s.kernels {
		for _, c := range s.classes {
			for _, n := range s.ranks {
				list = append(list, cell{k, c, n})
			}
		}
	}
	for _, c := range s.fdtd {
		for _, n := range s.ranks {
			list = append(list, cell{fdtd, c, n})
		}
	}
	return list
}

// run runs all rounds.
func (s settings) run(ctx context.Context, results measured) error {
	random := rand.New(rand.NewPCG(s.seed, 0))
	programs := []func(context.Context, cell, measured) error{s.ours, s.twin, s.stream}
	for i, l := range s.native {
		programs = append(programs, func(ctx context.Context, c cell, results measured) error {
			return l.run(ctx, c, native+kind(i), results)
		})
	}
	for range s.rounds {
		cells := s.cells()
		random.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		for _, c := range cells {
			for _, i := range random.Perm(len(programs)) {
				if err := programs[i](ctx, c, results); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
