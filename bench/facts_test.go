package bench

import (
	"slices"
	"testing"
	"time"

	"gobench/device"
	"gobench/record"
)

// Facts describe a point of any origin. What a program of others has stated itself stays.
func TestFactsDescribeAPoint(t *testing.T) {
	when := time.Date(2026, 11, 26, 1, 2, 3, 0, time.UTC)
	info := device.Info{Transport: "tcp", Ranks: "process", Options: map[string]string{"engine": "poll"}, Route: "eth0", MTU: 9000, MemoryPerPair: 7, Warnings: []string{"slow"}}
	f := Facts{
		Run: "r", Bench: "pingpong", Level: "device", Begin: when, Duration: 2, Ranks: 2, Cores: []int{0, 1}, Over: &info,
		Loop: 1e-6, Before: 1e-7, After: 2e-7, RingMin: 3e-7, RingMax: 4e-7,
	}
	p := f.Point()
	if p.Run != "r" || p.Bench != "pingpong" || p.Level != "device" || !p.Time.Equal(when) || p.Duration != 2 || p.Ranks != 2 || !slices.Equal(p.Cores, []int{0, 1}) ||
		p.Transport != "tcp" || p.RankKind != "process" || p.Options["engine"] != "poll" || p.Route != "eth0" || p.MTU != 9000 || p.MemoryPerPair != 7 || p.Loop != 1e-6 ||
		p.DistanceBefore != 1e-7 || p.DistanceAfter != 2e-7 || p.DistanceMin != 3e-7 || p.DistanceMax != 4e-7 || !slices.Equal(p.Warnings, []string{"slow"}) {
		t.Errorf("%+v", p)
	}
	f.Over = nil
	foreign := record.Point{Run: "log", Time: when.Add(time.Hour), Bench: "osu_latency", Level: "comm", Transport: "ib", Ranks: 4, RankKind: "process", Cores: []int{3}, Loop: 5, DistanceBefore: 6, Duration: 7}
	want := foreign
	want.Run, want.DistanceAfter, want.DistanceMin, want.DistanceMax = "r", 2e-7, 3e-7, 4e-7
	if f.Describe(&foreign); !foreign.Time.Equal(want.Time) || foreign.Run != want.Run || foreign.Bench != want.Bench || foreign.Level != want.Level || foreign.Transport != want.Transport ||
		foreign.Ranks != want.Ranks || !slices.Equal(foreign.Cores, want.Cores) || foreign.Loop != want.Loop || foreign.DistanceBefore != 6 || foreign.DistanceAfter != 2e-7 || foreign.Duration != 7 {
		t.Errorf("%+v, want %+v", foreign, want)
	}
}
