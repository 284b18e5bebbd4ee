package experiment

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/kernels/application"
	"gobench/stats"
)

// Stages of a launch, in their order. All but the first and the last end when rank 0 knows that all
// ranks have completed them. gobench startup has the barrier instead of calibration and
// measurement.
const (
	stageFork      = "fork"      // all processes have been started
	stageProcesses = "processes" // they have exchanged a message through the launcher
	stageConnect   = "connect"   // the transport is open
	stageAgree     = "agree"     // the first messages over it: the ranks have agreed about their options, along a tree
	stageBarrier   = "barrier"   // every rank has received a message
	stageCalibrate = "calibrate" // cores, clocks and noise have been measured
	stageMeasure   = "measure"   // all cells are complete
	stageEnd       = "end"       // all processes have ended
)

// stages lists all stages with their printed names.
var stages = []struct{ name, printed string }{
	{stageFork, stageFork}, {stageProcesses, "start"}, {stageConnect, stageConnect}, {stageAgree, stageAgree}, {stageBarrier, stageBarrier},
	{stageCalibrate, stageCalibrate}, {stageMeasure, stageMeasure}, {stageEnd, stageEnd},
}

// startStages are the stages of gobench startup, whose times add up to that of a start.
var startStages = []string{stageProcesses, stageConnect, stageAgree, stageBarrier}

// A stageEnding is the end of a stage.
type stageEnding struct {
	name     string
	at       time.Duration // since the launch began
	resident int64         // memory of rank 0 then, bytes; 0 where rank 0 has not sent it
}

// A timeline holds the ends of the stages of one launch, in order. A stage ends several times if a
// launch opens several transports.
type timeline struct {
	ranks int
	begun time.Time

	mu      sync.Mutex
	endings []stageEnding
}

func newTimeline(ranks int) *timeline { return &timeline{ranks: ranks, begun: time.Now()} }

// end records the end of a stage.
func (c *timeline) end(name string, resident int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endings = append(c.endings, stageEnding{name, time.Since(c.begun), resident})
}

// last returns the last end of a stage, false if the launch has not reached it.
func (c *timeline) last(name string) (e stageEnding, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range slices.Backward(c.endings) {
		if e.name == name {
			return e, true
		}
	}
	return e, false
}

// seconds returns the time spent in each stage.
func (c *timeline) seconds() map[string]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	spent := map[string]float64{}
	var before time.Duration
	for _, e := range c.endings {
		spent[e.name] += (e.at - before).Seconds()
		before = e.at
	}
	return spent
}

// start returns the time of each part of a start, and the memory of rank 0 after it, in bytes.
func (c *timeline) start() (parts application.Split, resident map[string]int64) {
	parts, resident = application.Split{}, map[string]int64{}
	var before time.Duration
	for _, name := range startStages {
		e, _ := c.last(name)
		t := (e.at - before).Seconds()
		parts[name], resident[name] = application.Share{Min: t, Mean: t, Max: t}, e.resident
		before = e.at
	}
	return parts, resident
}

// writeTimelines prints, for each number of ranks, the time that launches spent in each stage, and
// the memory of rank 0 at its end.
func writeTimelines(w io.Writer, timelines []*timeline) {
	for _, same := range collect.By(timelines, func(c *timeline) int { return c.ranks }) {
		fmt.Fprintf(w, "gobench: time of %s of %d ranks in seconds (median, least, most), memory of rank 0 at the end of each part:\n", human.Count(len(same), "launch", "launches"), same[0].ranks)
		for _, s := range stages {
			var times []float64
			var memory int64
			for _, c := range same {
				if e, ok := c.last(s.name); ok {
					times, memory = append(times, c.seconds()[s.name]), e.resident
				}
			}
			if times == nil {
				continue
			}
			t := stats.Summarize(times)
			fmt.Fprintf(w, "gobench: %-10s %9.3f %9.3f %9.3f", s.printed, t.P50, t.Min, t.Max)
			if memory > 0 {
				fmt.Fprintf(w, " %6d MB", memory/1e6)
			}
			fmt.Fprintln(w)
		}
	}
}
