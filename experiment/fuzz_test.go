package experiment

import (
	"testing"

	"gobench/internal/fuzzing"
)

// Every accepted fault has valid parameters.
func FuzzFault(t *testing.F) {
	f := fuzzing.New(t)
	for _, s := range []string{"", "corrupt", "corrupt:100", "drop:1", "delay:10us", "delay:-1s", "drop:0", "corupt"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, err := parseFault(s); err == nil && s != "" && (got.every < 1 || got.delay <= 0 || got.name != "corrupt" && got.name != "drop" && got.name != "delay") {
			t.Errorf("%q is %+v", s, got)
		}
	})
}
