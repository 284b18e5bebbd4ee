package comparison

import "testing"

func TestFileNames(t *testing.T) {
	for side, want := range map[string]string{"results/old.jsonl": "results-old", "../a b/": "a-b", "x:1,y=2": "x-1-y-2"} {
		if got := fileName(side); got != want {
			t.Errorf("%q is called %q, want %q", side, got, want)
		}
	}
}
