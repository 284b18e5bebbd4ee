package main

import (
	"math"
	"reflect"
	"testing"
)

func TestReadColl(t *testing.T) {
	points, err := readColl("what a launcher says\ncoll reduce_scatter size_B=8 global_s=2.8e-07 min=2e-07 max=1e-06 n=31 batch=100\n")
	if err != nil {
		t.Fatal(err)
	}
	want := collPoint{cell: cell{"reduce_scatter", 8}, global: 2.8e-7, samples: 31}
	if len(points) != 1 || points[0] != want {
		t.Errorf("got %+v, want one point %+v", points, want)
	}
	if _, err := readColl("coll bcast size_B=eight\n"); err == nil {
		t.Error("a size that is no number was accepted")
	}
	if err := complete(points); err == nil {
		t.Error("one cell passed for all")
	}
}

// A cell whose cores changed their state has several rows.
func TestReadCollRecords(t *testing.T) {
	points, err := readCollRecords(`{"kind":"run"}
{"kind":"point","bench":"bcast","size_B":1024,"algorithm":"binomial","global_s":{"median":5e-7,"n":9}}
{"kind":"point","bench":"bcast","size_B":1024,"algorithm":"binomial","global_s":{"median":3e-7,"n":31}}
{"kind":"point","bench":"bcast","size_B":1024,"algorithm":"binomial","global_s":{"median":4e-7,"n":30}}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := collPoint{cell{"bcast", 1024}, 3e-7, "binomial", 31}
	if len(points) != 1 || points[0] != want {
		t.Errorf("got %+v, want one point %+v", points, want)
	}
	if _, err := readCollRecords("#bytes\n"); err == nil {
		t.Error("a table was accepted as records")
	}
}

// What gobench is asked for in parts must be what the rivals measure at once,
// batched alike.
func TestPartsCoverAllCells(t *testing.T) {
	for _, group := range []string{"smem", "tcp"} {
		got := map[cell]int{}
		for _, part := range partsByBatch(group) {
			for _, op := range part.ops {
				for _, size := range part.sizes {
					got[cell{op, size}] += part.batch
				}
			}
		}
		want := map[cell]int{}
		for _, c := range collCells() {
			want[c] = c.batch(group)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: parts are %v, cells %v", group, got, want)
		}
	}
	if k := (cell{"bcast", 1 << 20}).batch("smem"); k != 3 {
		t.Errorf("1 MiB over smem is batched by %d, want 3", k)
	}
}

// collRounds adds one run for each time, in rounds from 1 on, with the cores so
// far apart before and after.
func collRounds(all *collResults, p collProgram, c cell, distance float64, times ...float64) {
	for i, x := range times {
		all.add(p, i+1, distance, distance, []collPoint{{c, x, "", 0}})
	}
}

func TestCollStates(t *testing.T) {
	all := newCollResults(&pair{floor: 30e-9})
	c := cell{"bcast", 8}
	us := collProgram{name: "gobench", group: "smem", subject: true}
	rival := collProgram{name: "rival", group: "smem"}
	collRounds(all, us, c, 200e-9, 9, 9, 9)
	collRounds(all, us, c, 50e-9, 1)
	collRounds(all, rival, c, 200e-9, 3, 3, 3)
	if got := all.add(rival, 4, 50e-9, 200e-9, []collPoint{{c, 0.1, "", 0}}); got != mixed {
		t.Errorf("a run from 50 to 200 ns is %v, want mixed", got)
	}
	if got := all.state("smem"); got != far {
		t.Errorf("6 of 8 runs are far and the state is %v", got)
	}
	d := comparisons([]collProgram{us, rival}, all, "smem", searched)[1]
	if d.cell != c || d.n != 3 || d.ratio.Median != 3 {
		t.Errorf("got %+v, want a ratio of 3 over the 3 far rounds", d)
	}
	if got := all.series(us, c, near); !reflect.DeepEqual(got, map[int]float64{1: 1}) {
		t.Errorf("near rounds are %v, want the one", got)
	}
}

func TestStrongestRivalHasEnoughRounds(t *testing.T) {
	all := newCollResults(&pair{floor: 30e-9})
	c := cell{"gather", 8}
	lucky := collProgram{name: "lucky", group: "tcp"}
	steady := collProgram{name: "steady", group: "tcp"}
	slow := collProgram{name: "slow", group: "tcp"}
	collRounds(all, lucky, c, 30e-9, 1)
	collRounds(all, steady, c, 30e-9, 2, 2, 2, 2, 2, 2)
	collRounds(all, slow, c, 30e-9, 3, 3, 3, 3, 3, 3)
	name, best, n := strongest([]collProgram{lucky, slow, steady}, all, c, near, 7)
	if name != "steady" || best.Median != 2 || n != 6 {
		t.Errorf("got %s, %v, %d rounds, want steady, 2, 6", name, best, n)
	}
}

func TestCollVerdicts(t *testing.T) {
	all := newCollResults(&pair{floor: 30e-9})
	var programs []collProgram
	for _, group := range []string{"smem", "tcp"} {
		us := collProgram{name: "gobench", group: group, subject: true}
		rival := collProgram{name: "rival", group: group}
		programs = append(programs, us, rival)
		for _, c := range collCells() {
			time := 0.5
			if group == "smem" && c.op == "barrier" {
				time = 2
			}
			collRounds(all, us, c, 30e-9, time, time, time, time, time)
			collRounds(all, rival, c, 30e-9, 1, 1, 1, 1, 1)
		}
	}
	got := collVerdicts(programs, all, nil)
	if len(got) != 6 || got[0].met || !got[1].met || !got[2].met || !got[0].decided {
		t.Errorf("got %+v, want slower in one cell, and both means met", got)
	}
	if mean, _ := geometricMean(comparisons(programs, all, "smem", searched)); math.Abs(mean-math.Pow(2, -31./33)) > 1e-12 {
		t.Errorf("the mean is %v", mean)
	}
	if v := meanAtMost("", comparisons(programs, newCollResults(&pair{floor: 1}), "tcp", searched), 1); v.decided || v.met {
		t.Errorf("%+v, want open: nothing was measured", v)
	}
}
