package measure

import "testing"

// Ranks that a launcher has bound to a core each share none, though each of them sees a single core.
func TestBoundRanksAreApart(t *testing.T) {
	for _, c := range []struct {
		cores, on []int
		want      bool
	}{
		{[]int{0, 1}, []int{0, 0}, true},
		{[]int{0, 0}, []int{0, 0}, false},
		{[]int{0, 0}, []int{0, 1}, true},
		{[]int{0, -1}, []int{0, 0}, false},
		{nil, []int{0, 0}, false},
	} {
		if got := apart(c.cores, c.on); got != c.want {
			t.Errorf("cores %v on hosts %v: %v", c.cores, c.on, got)
		}
	}
}

// A size is the same in any unit; a text is the same only as it stands.
func TestSameValue(t *testing.T) {
	for values, want := range map[[2]string]bool{
		{"128KiB", "131072"}: true, {"4K", "4KiB"}: true, {"4K", "8K"}: false, {"poll", "poll"}: true, {"poll", "net"}: false, {"", "0"}: false,
	} {
		if got := sameValue(values[0], values[1]); got != want {
			t.Errorf("%q and %q: %v", values[0], values[1], got)
		}
	}
}
