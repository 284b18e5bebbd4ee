package sweep

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/internal/fuzzing"
	"gobench/record"
)

var verbs = []Verb{
	{Name: "p2p", Flags: []string{"transport", "level", "np", "sizes", "set", "budget", "in-place", "seed", "output"}},
	{Name: "npb", Flags: []string{"class", "np"}, Positional: "kernel"},
}

func TestFactorsAreCrossed(t *testing.T) {
	p, err := Parse([]byte(`
name = "all"           # a comment
launches = 7
seed = 42
budget = "90s"
skip-unavailable = true
programs = ["old/gobench", "bin/gobench"]

[[p2p]]
transport = ["smem", "tcp"]
sizes = "8,64K"
set = [["a=1", "b=2"], "a=3"]
in-place = true

[[npb]]
class = ["S", "W"]
kernel = "cg ep"
np = [
  1,
  4,
]
`), "all.toml", verbs)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "all" || p.Launches != 7 || p.Seed != 42 || p.Budget != 90*time.Second || !p.Skip || !slices.Equal(p.Programs, []string{"old/gobench", "bin/gobench"}) {
		t.Errorf("%+v", p)
	}
	want := []string{
		"p2p --transport=smem --sizes=8,64K --set=a=1 --set=b=2 --in-place=true",
		"p2p --transport=smem --sizes=8,64K --set=a=3 --in-place=true",
		"p2p --transport=tcp --sizes=8,64K --set=a=1 --set=b=2 --in-place=true",
		"p2p --transport=tcp --sizes=8,64K --set=a=3 --in-place=true",
		"npb cg ep --class=S --np=1", "npb cg ep --class=S --np=4", "npb cg ep --class=W --np=1", "npb cg ep --class=W --np=4",
	}
	var got []string
	for _, c := range p.Commands {
		got = append(got, c.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if p.Commands[0].Line != 9 || p.Commands[4].Line != 15 || p.Commands[2].Flag("transport") != "tcp" || p.Commands[4].Flag("transport") != "" {
		t.Errorf("%+v", p.Commands)
	}
}

// A mistake in a file is an error with its line.
func TestMistakesInFiles(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"name = \"x\"\nlaunchs = 3\n[[p2p]]\n", `f.toml:2: unknown key "launchs": did you mean "launches"?`},
		{"[[p2p]]\ntransport = \"smem\"\ntransprot = \"tcp\"\n", `f.toml:3: unknown key "transprot": did you mean "transport"?`},
		{"[[p2p]]\n[[p2p]]\nnp = 2\nsize = 8\n", `f.toml:4: unknown key "size": did you mean "sizes"?`},
		{"[[p2q]]\n", `f.toml:1: unknown table "p2q": did you mean "p2p"?`},
		{"[p2p]\nnp = 2\n", "f.toml:1: [p2p] is a single table; write [[p2p]]"},
		{"launches = 0\n[[p2p]]\n", "f.toml:1: launches is 0, want a number from 1 to 10000"},
		{"launches = \"many\"\n", "f.toml:1: launches is many, want a number from 1 to 10000"},
		{"budget = \"soon\"\n", "f.toml:1: budget is soon, want a time"},
		{"[[p2p]]\nnp = 2\n[[p2p]]\nnp = [4, 2]\n", "f.toml:3: gobench p2p --np=2 is there twice"},
		{"[[program]]\nlibrary = \"x\"\ncommand = \"echo 'a b'\"\n", "f.toml:1: the word 'a has a quote without its other one"},
		{"[[program]]\nlibrary = \"x\"\ncommand = 'x --name=\"a b\"'\n", `f.toml:1: the word --name="a has a quote without its other one`},
		{"programs = [\"a\", \"a\"]\n", "f.toml:1: programs is [a a], want a list of different paths"},
		{"[[p2p]]\nseed = 3\n", "f.toml:2: seed is set by the sweep itself"},
		{"[[p2p]]\nno-records = true\n", "f.toml:2: no-records is set by the sweep itself"},
		{"[[p2p]]\nduration = \"1m\"\n", "f.toml:2: duration is set by the sweep itself"},
		{"[[p2p]]\ntimeout = \"1m\"\n", "f.toml:2: timeout is set by the sweep itself"},
		{"[[p2p]]\nnp = []\n", "f.toml:2: np is an empty list"},
		{"[[p2p]]\nnp = {a = 1}\n", "f.toml:2: np is map[a:1], want a string, a number, or a list of them"},
		{"[[p2p]]\nnp = = 2\n", "f.toml:2: "},
		{"[[p2p]]\nnp = 2; sizes = 8\n", "f.toml:2: "},
		{"[[p2p]]\nnp = 2\n\"s\\u0069zes\" = \"8\"\n", `f.toml:1: key "sizes" is not found: write sizes = ... on a line of its own`},
		{"\"l\\u0061unches\" = 3\n[[p2p]]\n", `f.toml: key "launches" is not found: write launches = ... on a line of its own`},
		{"name = \"nothing\"\n", "f.toml: it has nothing to measure"},
		{"", "f.toml: it has nothing to measure"},
		{"[[p2p]]\nnp = [" + strings.Repeat("1,", 200) + "]\nsizes = [" + strings.Repeat("1,", 200) + "]\n", "f.toml:3: the table up to this line has 40000 launches in each block"},
	} {
		_, err := Parse([]byte(c.file), "f.toml", verbs)
		var file *record.FileError
		if !errors.As(err, &file) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.file, err, c.want)
		}
	}
}

// A key counts whatever stands before it or around it: a byte order mark, quotes, CR LF.
func TestKeysInAnySpelling(t *testing.T) {
	for _, file := range []string{"\ufefflaunches = 3\r\n[[p2p]]\r\nnp = 2\r\n", "'launches' = 3\n[[p2p]]\n'np' = 2\n", "\"launches\" = 3\n[[p2p]]\n\"np\"= 2\n"} {
		p, err := Parse([]byte(file), "f.toml", verbs)
		if err != nil || p.Launches != 3 || len(p.Commands) != 1 || p.Commands[0].String() != "p2p --np=2" {
			t.Errorf("%q: %+v, %v", file, p, err)
		}
	}
}

func FuzzParse(t *testing.F) {
	f := fuzzing.New(t)
	f.Add([]byte("name = \"x\"\n[[p2p]]\nnp = [1, [2, 3]]\n"))
	f.Add([]byte("[p2p]\n[[p2p.x]]\n\"a b\" = 1\np2p = 3\n[[npb]]\nkernel = [\"cg\"]"))
	f.Add([]byte("[[program]]\nlibrary = [\"x\"]\ncommand = \"y {np} {z} {plan}\"\nz = [1, \"{np}\"]\npeak-memory = true\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := Parse(data, "f.toml", verbs); err == nil && len(p.Commands) == 0 {
			t.Error("nothing is asked for")
		}
	})
}
