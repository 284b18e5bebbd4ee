package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gobench/record"
)

var testTime = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// point returns a ping-pong over TCP of one launch, with an interval of 2 %.
func point(run string, size int64, median float64) record.Point {
	return record.Point{
		Run: run, Time: testTime, Bench: "pingpong", Transport: "tcp", Level: "device", Size: size, Ranks: 2, RankKind: "process",
		Cache: "warm", Iterations: 1000,
		Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: median, Lo: 0.98 * median, Hi: 1.02 * median, Confidence: 0.95, N: 1000}}),
	}
}

func run(id, host, commit string) record.Run {
	return record.Run{
		ID: id, Time: testTime, Command: []string{"gobench"}, Job: record.Job{Launcher: "local", Ranks: 2},
		Hosts:   []any{map[string]any{"hostname": host, "kernel": "6.1", "load_1min": 0.5}},
		Program: map[string]any{"commit": commit},
	}
}

// campaign is a model of one side: launches with cells of all sizes. The medians vary by sigma
// between launches and are multiplied by slow.
type campaign struct {
	name     string
	launches int
	sizes    int
	sigma    float64
	slow     func(size int64) float64
	host     string
	commit   string
	hour     int  // of the day in which it is measured
	turns    bool // its launches alternate with those of others of the same hour
}

func (c campaign) source(seed uint64) Source {
	random := rand.New(rand.NewPCG(seed, 0xc0))
	f := &record.File{}
	if c.host == "" {
		c.host = "n1"
	}
	for launch := range c.launches {
		id := fmt.Sprintf("%s-%d", c.name, launch)
		f.Runs = append(f.Runs, run(id, c.host, c.commit))
		at := testTime.Add(time.Duration(c.hour)*time.Hour + time.Duration(launch)*time.Minute)
		if !c.turns {
			at = at.Add(time.Duration(c.name[0]) * 24 * time.Hour)
		}
		for i := range c.sizes {
			size := int64(8) << i
			median := 1e-6 * (1 + float64(size)/1000) * math.Exp(c.sigma*random.NormFloat64())
			if c.slow != nil {
				median *= c.slow(size)
			}
			p := point(id, size, median)
			p.Launch, p.Time = launch+1, at
			f.Points = append(f.Points, p)
		}
	}
	return Source{c.name, f}
}

func always(factor float64) func(int64) float64 { return func(int64) float64 { return factor } }
