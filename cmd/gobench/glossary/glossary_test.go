package glossary

import (
	"strings"
	"testing"
)

func TestEveryWordIsExplainedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Entries() {
		if seen[e.Name] {
			t.Errorf("%s is explained twice", e.Name)
		}
		seen[e.Name] = true
		if e.About == "" || strings.Contains(e.About, "\n") {
			t.Errorf("%s is about %q", e.Name, e.About)
		}
		if e.Kind != "algorithm" && (e.Facts[0][0] != "formula" || e.Facts[0][1] == "") {
			t.Errorf("%s has no formula", e.Name)
		}
		found, err := Lookup(strings.ToUpper(e.Name))
		if err != nil || found.Name != e.Name {
			t.Errorf("%s is found as %q (%v)", e.Name, found.Name, err)
		}
	}
	for _, name := range []string{"half_rtt", "bandwidth", "message_rate", "pingpong", "uniband", "allreduce", "busbw", "rabenseifner", "shm-copy"} {
		if !seen[name] {
			t.Errorf("%s is missing", name)
		}
	}
}
