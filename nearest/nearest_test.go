package nearest

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	known := []string{"smem", "tcp", "ibv", "pingpong", "pingping", "sendrecv", "half_rtt"}
	for word, want := range map[string]string{
		"ib":        "ibv",
		"tpc":       "tcp",
		"sme":       "smem",
		"shmem":     "smem",
		"SMEM":      "smem",
		"pingpog":   "pingpong",
		"ping-pong": "pingpong",
		"half-rtt":  "half_rtt",
		"half":      "half_rtt",
		"x":         "",
		"":          "",
		"bananas":   "",
	} {
		got, ok := Name(word, known)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestNearestOfSeveral(t *testing.T) {
	for _, c := range []struct{ why, word, known, want string }{
		{"begins with the word", "dt", "bt dt-bh dt-sh", "dt-bh"},
		{"fewer edits before more shared letters", "abcdef", "abcxxf xbcdef", "xbcdef"},
		{"shares more letters", "--sise", "--ssh --size --sizes --sise2", "--sise2"},
		{"shares more letters, both two edits away", "--sise", "--ssh --sizes", "--sizes"},
		{"ends alike", "alltoalv", "alltoall alltoallv", "alltoallv"},
		{"closer length", "abcdef", "abcd abcdxx", "abcdxx"},
		{"closer length of what begins with the word", "pi", "pingpong ping", "ping"},
		{"first", "abcd", "abcx abcy", "abcx"},
	} {
		if got, _ := Name(c.word, strings.Fields(c.known)); got != c.want {
			t.Errorf("%s: %q of %s: got %q, want %q", c.why, c.word, c.known, got, c.want)
		}
	}
}

func TestUnknownError(t *testing.T) {
	for _, c := range []struct {
		err  UnknownError
		want string
	}{
		{UnknownError{What: "transport", Name: "ib", Known: []string{"ibv", "smem"}, Shown: []string{"smem"}, List: "available here"},
			`unknown transport "ib": did you mean "ibv"? available here: smem`},
		{UnknownError{What: "transport", Name: "ib", Known: []string{"ibv", "smem"}, List: "available here", Where: "see there"},
			`unknown transport "ib": did you mean "ibv"? available here: ibv, smem`},
		{UnknownError{What: "level", Name: "deep", Known: []string{"device", "raw"}},
			`unknown level "deep"; known: device, raw`},
		{UnknownError{What: "class", Name: "Z", Known: []string{"S", "A"}}, `unknown class "Z"; known: S, A`},
		{UnknownError{What: "flag", Name: "--x"}, `unknown flag "--x"`},
		{UnknownError{What: "letter", Name: "xyz", Known: strings.Split("abcdefghijkl", ""), Where: "see the alphabet"},
			`unknown letter "xyz"; see the alphabet`},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
