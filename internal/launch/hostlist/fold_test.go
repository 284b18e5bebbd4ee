package hostlist

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Folded lists are short, and expand to the names.
func TestFold(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"", ""},
		{"login", "login"},
		{"node07", "node07"},
		{"node01 node02 node03 node04 node07", "node[01-04,07]"},
		{"b2 a1 b1 a2 b2", "b[1-2],a[1-2]"},
		{"h8 h9 h10 h11", "h[8-11]"},
		{"h09 h10 h9 h010", "h[9,09-10,010]"},
		{"h99 h100 h099", "h[99,099-100]"},
		{"c1-ib0 c1-ib1 c2-ib0", "c1-ib[0-1],c2-ib0"},
		{"n1.site2.example n2.site2.example me@n3", "n[1-2].site2.example,me@n3"},
		{"10.0.0.1 10.0.0.2 me@10.0.0.3 fe80::1 fe80::2", "10.0.0.1,10.0.0.2,me@10.0.0.3,fe80::1,fe80::2"},
		{"n99999999999999999999999", "n99999999999999999999999"},
		{"node node1 node2 node", "node,node[1-2]"},
		{"login1 login", "login1,login"},
		{"a5 a a6.b a.b", "a5,a,a6.b,a.b"},
	} {
		if got := Fold(strings.Fields(c.names)); got != c.want {
			t.Errorf("%s: %s, want %s", c.names, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var names []string
		for range r.IntN(20) {
			names = append(names, fmt.Sprintf("%c%s%s", 'a'+r.IntN(2), []string{"", fmt.Sprintf("%0*d", r.IntN(3), r.IntN(120))}[min(1, r.IntN(5))], []string{"", ".x1"}[r.IntN(2)]))
		}
		foldsBack(t, names)
	}
}

// foldsBack checks that a folded list expands to the names, each once.
func foldsBack(t *testing.T, names []string) {
	t.Helper()
	folded := Fold(names)
	got, err := ExpandNodes(folded)
	slices.Sort(got)
	if names = slices.Compact(slices.Sorted(slices.Values(names))); err != nil || !slices.Equal(got, names) {
		t.Fatalf("%s expands to %q, %v, want %q", folded, got, err, names)
	}
}

func FuzzFold(f *testing.F) {
	f.Add("node node1 node2 me@n01.site2 fe80::1 10.0.0.2")
	f.Fuzz(func(t *testing.T, list string) {
		foldsBack(t, slices.DeleteFunc(strings.Fields(list), func(name string) bool {
			return CheckHost(name) != nil || strings.ContainsAny(name, "[]")
		}))
	})
}
