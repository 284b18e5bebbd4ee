package cli

import "testing"

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
