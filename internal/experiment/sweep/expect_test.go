package sweep

import "testing"

func TestExpect(t *testing.T) {
	p := plan(3)
	s := &State{done: map[string]map[int]bool{}, times: map[string]taken{}, commands: p.block(1, 1)}
	guess := func(l Launch) Guess {
		if l.Command.Flag("transport") == "gni" {
			return Guess{} // unknown
		}
		return Guess{1, 2}
	}
	all := p.Order(1, 1)
	want := func(when string, list []Launch, want Span) {
		t.Helper()
		if got := s.Expect(list, guess); got != want {
			t.Errorf("%s: %+v, want %+v", when, got, want)
		}
	}
	want("before the first", all, Span{Max: 18, Likely: 13.5, Unknown: 3})

	of := func(transport string) Launch {
		for _, l := range s.commands {
			if l.Command.Flag("transport") == transport {
				return l
			}
		}
		panic(transport)
	}
	s.Took(of("smem"), 6) // three times its upper bound: the others may also take that long
	want("after one", all, Span{Max: 54, Likely: 54, Unknown: 3})
	s.Took(of("smem"), 0.5)
	s.Took(of("gni"), 10)
	s.Took(of("gni"), 12)
	want("after some", all, Span{Max: 54 + 3*12*12, Likely: 9*3.25 + 3*11}) // smem: 0.5 to 6 s
	want("of nothing", nil, Span{})
}

func TestWordsOfASpan(t *testing.T) {
	s := Span{Max: 130, Likely: 80, Unknown: 1}
	if got := s.String(); got != "about 1m20s, at most 2m10s and 1 launch of unknown time" {
		t.Error(got)
	}
	if got := (Span{Unknown: 2}).String(); got != "2 launches of unknown time" {
		t.Error(got)
	}
}
