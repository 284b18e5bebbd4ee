package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

func TestExamplesAreWrapped(t *testing.T) {
	const given = "  gobench a --flag    one two three four five\n  gobench b | sort"
	for width, want := range map[int]string{
		60: given + "\n",
		44: "  gobench a --flag    one two three four\n                      five\n  gobench b | sort\n",
		30: "  gobench a --flag\n      one two three four five\n  gobench b | sort\n",
	} {
		if got := examples(given, width); got != want {
			t.Errorf("%d columns:\n%swant:\n%s", width, got, want)
		}
	}
}

// The short help has the text of a flag up to a semicolon, as the verb words it.
func TestShortHelpOfFlags(t *testing.T) {
	root, verb := &cobra.Command{Use: "gobench"}, &cobra.Command{Use: "draw", Short: "Draw", Run: func(*cobra.Command, []string) {}}
	root.AddCommand(verb)
	verb.Flags().StringP("output", "o", "a.svg", "`FILE` output file: .svg or .pdf; a directory gets all")
	verb.Flags().String("other", "", "a flag that few people use")
	p := Program{Common: []string{"absent", "output"}}
	want := "Draw.\n\n  -o, --output FILE   output file: .svg or .pdf\n\nAll 2 flags, in groups: gobench draw --help\n"
	if got := p.Short(verb, 80); got != want {
		t.Errorf("%swant:\n%s", got, want)
	}
}
