package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gobench/internal/record/series"
	"gobench/record"
)

// swept returns a file of a sweep: 6 launches of two commands, by one or two programs, each with
// its own series.
func swept(programs ...string) *record.File {
	file := &record.File{}
	for _, program := range programs {
		for launch := 1; launch <= 6; launch++ {
			for _, transport := range []string{"smem", "tcp"} {
				id := fmt.Sprint(program, launch, transport)
				file.Runs = append(file.Runs, record.Run{ID: id, Series: "s" + id, Command: []string{"gobench", "p2p"}, Job: record.Job{Launcher: "local", Ranks: 2}})
				p := record.Point{Run: id, Bench: "pingpong", Transport: transport, Level: "device", Ranks: 2, RankKind: "process", Size: 8, Launch: launch, Block: launch,
					Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 1e-6 * float64(1+launch%4), N: 10}})}
				file.Points = append(file.Points, p)
				file.Launches = append(file.Launches, record.Launch{Run: id, Series: "s" + id, Sweep: "two", Plan: "abc", Program: program, Launch: launch, Block: launch})
			}
		}
	}
	return file
}

func rowsOf(c Command) (all []string) {
	for _, r := range series.Rows(c.Runs, c.Points, &series.Scales{}) {
		all = append(all, fmt.Sprint(r.Transport, " ", r.Launches))
	}
	return all
}

// Exports name the programs that a plan compares: by the end of the path, if that tells them apart.
func TestProgramsOfASweepHaveNames(t *testing.T) {
	for want, programs := range map[string][]string{
		`[""]`: {""}, `["gb" "gbx"]`: {"/old/gb", "/new/gbx"}, `["/old/gb" "/new/gb"]`: {"/old/gb", "/new/gb"},
	} {
		commands := Series(swept(programs...))
		var names []string
		for i := range commands {
			names = append(names, commands[i].programAmong(commands))
		}
		if got := fmt.Sprintf("%q", names); got != want {
			t.Errorf("%q are %s, want %s", programs, got, want)
		}
	}
}

// All launches of a sweep make one table, whose rows count them.
func TestASweepIsOneTable(t *testing.T) {
	commands := Series(swept(""))
	if len(commands) != 1 {
		t.Fatalf("%d tables, want 1", len(commands))
	}
	if got := rowsOf(commands[0]); !slices.Equal(got, []string{"smem 6", "tcp 6"}) {
		t.Errorf("rows with launches: %v", got)
	}
	table := seriesTable(commands[0].Runs, commands[0].Points, &series.Scales{}, Terminal{}, false)
	if !strings.Contains(table, "# run   sweep two: 12 launches of plan abc\n") {
		t.Errorf("got\n%s", table)
	}
}

func TestASweepOfProgramsIsATableForEach(t *testing.T) {
	commands := Series(swept("old", "new"))
	if len(commands) != 2 {
		t.Fatalf("%d tables, want 2", len(commands))
	}
	for i, c := range commands {
		if got := rowsOf(c); !slices.Equal(got, []string{"smem 6", "tcp 6"}) {
			t.Errorf("table %d has %v", i, got)
		}
	}
}

// A self-test is not a launch of a measurement without faults.
func TestASelfTestIsATableOfItsOwn(t *testing.T) {
	file := swept("")
	for i := range file.Points {
		if file.Points[i].Launch > 3 {
			file.Points[i].Warnings = []string{record.SelfTest + "every send is delayed"}
		}
	}
	commands := Series(file)
	if len(commands) != 2 || !slices.Equal(rowsOf(commands[0]), []string{"smem 3", "tcp 3"}) {
		t.Errorf("%d tables", len(commands))
	}
}

// An interrupted launch has points, but no record of its completion.
func TestAnInterruptedLaunchIsOfItsSweep(t *testing.T) {
	file := swept("")
	file.Launches = file.Launches[:len(file.Launches)-1]
	if commands := Series(file); len(commands) != 1 {
		t.Errorf("%d tables, want 1", len(commands))
	}
	file = swept("old", "new")
	file.Launches = file.Launches[:len(file.Launches)-1]
	if commands := Series(file); len(commands) != 3 {
		t.Errorf("%d tables, want 3: nobody knows by which program the last launch is", len(commands))
	}
}

// Launches of a command share a series; a run of an older file is a separate command.
func TestACommandIsItsSeries(t *testing.T) {
	file := swept("")
	file.Launches = nil
	for i := range file.Points {
		file.Points[i].Block = 0
		if i >= 2 {
			file.Runs[i].Series = "same"
		} else {
			file.Runs[i].Series = ""
		}
	}
	commands := Series(file)
	if len(commands) != 3 || !slices.Equal(rowsOf(commands[2]), []string{"smem 5", "tcp 5"}) {
		t.Errorf("%d tables", len(commands))
	}
}

// The head of a table has the facts of the first launch, the worst noise of each core, and each
// warning once, with the number of launches that have it.
func TestWholeRun(t *testing.T) {
	run := func(id string, ranks int, lost float64, warnings ...string) record.Run {
		return record.Run{ID: id, Series: "s", Job: record.Job{Ranks: ranks}, Noise: []record.Noise{{Rank: 0, Lost: 0.1}, {Rank: 1, Lost: lost}}, Warnings: warnings}
	}
	runs := []record.Run{run("a", 2, 0.2, "rank 1 lost 20 % of its time"), run("b", 2, 0.5, "rank 1 lost 50 % of its time"), run("c", 2, 0)}
	r := whole(runs)
	if r.ID != "s" || r.Noise[0].Lost != 0.1 || r.Noise[1].Lost != 0.5 {
		t.Errorf("%+v", r)
	}
	if want := []string{"in 2 of 3 launches: rank 1 lost 20 % of its time"}; !slices.Equal(r.Warnings, want) {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
	if runs[0].Noise[1].Lost != 0.2 {
		t.Error("the run itself was changed")
	}
	runs[2].Job.Ranks = 4 // one launch has a run for each number of ranks
	runs[2].Noise = append(runs[2].Noise, record.Noise{Rank: 3, Lost: 0.7})
	if noise := whole(runs).Noise; len(noise) != 3 || noise[2].Lost != 0.7 {
		t.Errorf("without the noise of all ranks: %+v", noise)
	}
	if want := []string{"in 2 of 3 runs: rank 1 lost 20 % of its time"}; !slices.Equal(whole(runs).Warnings, want) {
		t.Errorf("warnings %q, want %q", whole(runs).Warnings, want)
	}
}

// Launches measure cells in random order; rows with equal headings are together.
func TestRowsAreGroupedInBlocks(t *testing.T) {
	var list []record.Point
	for _, of := range []string{"a 1", "b 1", "a 2", "c 1", "b 2"} {
		p := record.Point{Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 1}})}
		fmt.Sscan(of, &p.Bench, &p.Size)
		list = append(list, p)
	}
	var got []string
	for _, block := range (&Table{}).inBlocks(list) {
		for _, p := range block {
			got = append(got, fmt.Sprint(p.Bench, p.Size))
		}
	}
	if want := []string{"a1", "a2", "b1", "b2", "c1"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
