package coll

import (
	"errors"
	"strings"
	"testing"

	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
	"gobench/nearest"
)

func TestParseChoice(t *testing.T) {
	for kind := range schedule.Kind(schedule.Kinds) {
		for _, c := range Choices(kind) {
			back, err := ParseChoice(kind, c.String())
			if err != nil || back.Name != c.Name || back.Number != c.Number || back.Kind != kind {
				t.Errorf("%v %v is read as %v, %v", kind, c, back, err)
			}
		}
	}
	var unknown *nearest.UnknownError
	if _, err := ParseChoice(schedule.Bcast, "mts"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), `did you mean "mst"?`) {
		t.Errorf("a name that is mistyped: %v", err)
	}
	var param *ParamError
	for _, text := range []string{"mst:4", "mst:", "mst:x"} {
		if _, err := ParseChoice(schedule.Bcast, text); !errors.As(err, &param) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ParseChoice(schedule.Bcast, " mst "); err != nil {
		t.Errorf("with blanks: %v", err)
	}
	if c, err := ParseChoice(schedule.ReduceScatter, "bde"); err != nil || c.String() != "recursive-halving" {
		t.Errorf("the former name of recursive-halving: %v, %v", c, err)
	}
}

// namedChoice makes an algorithm that fits some shapes.
func namedChoice(name string, memory bool, fits func(*schedule.Shape) string) Choice {
	a := &Algorithm{Name: name, Kind: schedule.Bcast, Fits: fits}
	if memory {
		a.share = func(*shared.Arena, *shared.Call) error { return nil }
	} else {
		a.Build = func(*schedule.Builder, int) {}
	}
	return Choice{Algorithm: a}
}

func TestTheFirstRuleThatAppliesAndFits(t *testing.T) {
	even := func(s *schedule.Shape) string {
		if s.Ranks%2 != 0 {
			return "it needs an even number of ranks"
		}
		return ""
	}
	table := &Table{Rules: []Rule{
		{"smem", schedule.Bcast, false, 8, 100, namedChoice("memory", true, nil)},
		{"", schedule.Barrier, false, 0, 0, namedChoice("no bcast", false, nil)},
		{"", schedule.Bcast, false, 0, 1000, namedChoice("even", false, even)},
		{"tcp", schedule.Bcast, false, 4, 1000, namedChoice("tcp", false, nil)},
		{"", schedule.Bcast, false, 4, 0, namedChoice("few", false, nil)},
	}}
	const byDefault = ""
	for _, c := range []struct {
		transport    string
		ranks, bytes int
		memory       bool
		want         string
	}{
		{"smem", 8, 100, true, "memory"},
		{"smem", 8, 100, false, "even"},   // no memory to share
		{"smem", 9, 100, true, byDefault}, // odd, many
		{"smem", 8, 101, true, "even"},
		{"tcp", 8, 100, true, "even"},
		{"tcp", 3, 100, true, "tcp"},
		{"smem", 3, 101, true, "few"},
		{"smem", 4, 1001, true, "few"},
		{"smem", 6, 1001, true, byDefault},
	} {
		s := &schedule.Shape{Kind: schedule.Bcast, Ranks: c.ranks, Bytes: c.bytes}
		if c.want == byDefault { // no rule of this table holds
			c.want = Defaults().Choose(c.transport, s, c.memory).Name
		}
		if got := table.Choose(c.transport, s, c.memory).Name; got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Ranks that use messages meet in shared memory first, except where the table never selects it.
func TestTablesThatMixMemoryAndMessages(t *testing.T) {
	few := namedChoice("few", false, func(s *schedule.Shape) string {
		if s.Ranks > 4 {
			return "it is for few ranks"
		}
		return ""
	})
	messages := Rule{Kind: schedule.Bcast, Choice: few}
	memory := Rule{Kind: schedule.Bcast, Choice: namedChoice("memory", true, nil)}
	short := messages
	short.Bytes = 100
	for _, c := range []struct {
		rules     []Rule
		transport string
		ranks     int
		want      bool
	}{
		{nil, "smem", 4, true}, // the defaults
		{nil, "tcp", 4, false},
		{[]Rule{short}, "smem", 4, true},
		{[]Rule{messages}, "smem", 4, false},
		{[]Rule{messages}, "smem", 5, true}, // the rule does not fit
		{[]Rule{messages, memory}, "tcp", 4, false},
		{[]Rule{memory, messages}, "tcp", 4, true},
		{[]Rule{short, memory}, "tcp", 4, true},
	} {
		s := &schedule.Shape{Kind: schedule.Bcast, Ranks: c.ranks}
		if got := (&Table{Rules: c.rules}).shares(c.transport, s); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// All ranks must choose the same algorithm even if their blocks differ.
func TestUnequalBlocksAreMeasuredAlike(t *testing.T) {
	blocks := func(lens ...int) []schedule.Block { return vector(nil, lens...) }
	gather := schedule.Shape{Kind: schedule.Gather, Ranks: 3, Bytes: 7, RecvBlocks: blocks(10, 20, 60)}
	if n := measure(&gather); n != 30 {
		t.Errorf("a gather of 90 bytes counts as %d", n)
	}
	one := schedule.Shape{Kind: schedule.Alltoall, Ranks: 3, SendBlocks: blocks(1, 2, 3), RecvBlocks: blocks(0, 0, 0)}
	other := schedule.Shape{Kind: schedule.Alltoall, Ranks: 3, SendBlocks: blocks(1000, 0, 3), RecvBlocks: blocks(9, 0, 0)}
	if measure(&one) != measure(&other) {
		t.Error("two ranks of an alltoall measure it differently")
	}
}

func TestDigest(t *testing.T) {
	base := Options{}
	c := mstChoice()
	digests := map[uint64]string{base.digest(): "defaults"}
	for name, o := range map[string]Options{
		"strict": {Check: CheckStrict},
		"forced": {Force: [schedule.Kinds]*Choice{schedule.Bcast: &c}},
		"rule":   {Table: &Table{Rules: []Rule{{"", schedule.Bcast, false, 0, 0, c}}}},
		"ranks":  {Table: &Table{Rules: []Rule{{"", schedule.Bcast, false, 4, 0, c}}}},
		"bytes":  {Table: &Table{Rules: []Rule{{"", schedule.Bcast, false, 0, 4, c}}}},
	} {
		d := o.digest()
		if other, ok := digests[d]; ok {
			t.Errorf("%s and %s have the same digest", name, other)
		}
		digests[d] = name
	}
	progress := Options{Progress: ProgressThread, Table: Defaults()}
	if progress.digest() != base.digest() {
		t.Error("how a rank makes progress is its own affair, but is in the digest")
	}
}
