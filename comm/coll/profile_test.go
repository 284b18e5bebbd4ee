package coll

import (
	"testing"

	"gobench/comm/schedule"
	"gobench/device/profile"
)

func choice(t *testing.T, kind schedule.Kind, name string) Choice {
	t.Helper()
	c, err := ParseChoice(kind, name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSizedChoicesAsText(t *testing.T) {
	copied, tree := choice(t, schedule.Bcast, "smem-copy"), choice(t, schedule.Bcast, "binomial")
	list := []SizedChoice{{16 << 10, copied}, {64 << 10, copied}, {256 << 10, tree}, {1 << 20, tree}}
	text := FormatSized(list)
	if text != "smem-copy to 65536, binomial" {
		t.Errorf("written as %q", text)
	}
	got, err := parseSized(schedule.Bcast, text)
	if err != nil || len(got) != 2 || got[0].Bytes != 64<<10 || got[0].Choice.Name != "smem-copy" || got[1].Bytes != 0 || got[1].Choice.Name != "binomial" {
		t.Errorf("read as %+v, %v", got, err)
	}
	for _, wrong := range []string{"", "fast", "binomial to much, smem-copy"} {
		if got, err := parseSized(schedule.Bcast, wrong); err == nil {
			t.Errorf("%q is read as %+v", wrong, got)
		}
	}
}

// A profile chooses for two ranks of its transport. Rules of a table come first, and Defaults last.
func TestAProfileChoosesAlgorithms(t *testing.T) {
	p := &profile.Profile{Choices: []profile.Choice{
		{Routine: RoutineOf("smem", schedule.Bcast), Pick: "smem-copy to 64K, binomial"},
		{Routine: RoutineOf("smem", schedule.Scatter), Pick: "smem-copy"}, // the default
		{Routine: RoutineOf("smem", schedule.Gather), Pick: "fast"},
	}}
	own := &Table{Origin: "own", Rules: []Rule{{Kind: schedule.Bcast, Bytes: 100, Choice: choice(t, schedule.Bcast, "flat-nb")}}}
	for _, c := range []struct {
		table     *Table
		transport string
		kind      schedule.Kind
		ranks     int
		bytes     int
		want      string
	}{
		{nil, "smem", schedule.Bcast, 2, 64 << 10, "smem-copy"},
		{nil, "smem", schedule.Bcast, 2, 64<<10 + 1, "binomial"},
		{Defaults(), "smem", schedule.Bcast, 2, 1 << 20, "binomial"},
		{own, "smem", schedule.Bcast, 2, 100, "flat-nb"},
		{own, "smem", schedule.Bcast, 2, 1 << 20, "binomial"},
		{nil, "smem", schedule.Bcast, 3, 1 << 20, "smem-copy"},
		{nil, "smem", schedule.Gather, 2, 1 << 20, "smem-copy"},
	} {
		table := c.table.WithProfile("smem", p)
		shape := schedule.Shape{Kind: c.kind, Ranks: c.ranks, Bytes: c.bytes, Elem: 1}
		if got := table.Choose(c.transport, &shape, true).String(); got != c.want {
			t.Errorf("%v of %d bytes on %d ranks: %s, want %s", c.kind, c.bytes, c.ranks, got, c.want)
		}
	}
	for _, table := range []*Table{nil, Defaults(), own} {
		if table.WithProfile("smem", nil) != table || table.WithProfile("tcp", p) != table {
			t.Errorf("without choices there is another table than %v", table)
		}
	}
	if len(own.Rules) != 1 || own.WithProfile("smem", p).Origin != "own" {
		t.Error("the table of the user has changed")
	}
}
