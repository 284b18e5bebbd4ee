package record

import "testing"

func TestMapOfAJob(t *testing.T) {
	for _, test := range []struct {
		hosts []int
		want  string
	}{
		{nil, ""},
		{[]int{0, 0, 0}, ""},
		{[]int{0, 1}, "2x1"},
		{[]int{0, 0, 1, 1}, "2x2"},
		{[]int{0, 1, 0, 1}, "2x2 in turn"},
		{[]int{0, 0, 0, 1}, "3+1"},
		{[]int{0, 1, 2, 0}, "2+1+1 in turn"},
		{[]int{0, 1, 1, 0}, "0,1,1,0"},
		{[]int{1, 0}, "1,0"},
	} {
		if got := (&Job{Hosts: test.hosts}).Map(); got != test.want {
			t.Errorf("%v: %q, want %q", test.hosts, got, test.want)
		}
	}
}
