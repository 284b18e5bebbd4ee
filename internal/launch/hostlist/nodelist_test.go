package hostlist

import (
	"strings"
	"testing"
)

func TestExpandNodes(t *testing.T) {
	for _, test := range []struct {
		list string
		want string // names, or a part of the error after a !
	}{
		{"h1", "h1"},
		{"h1,h2", "h1 h2"},
		{"a[01-03,07],b2", "a01 a02 a03 a07 b2"},
		{"n[8-11]", "n8 n9 n10 n11"},
		{"n[098-101]", "n098 n099 n100 n101"},
		{"c[1-2]-ib[0-1],x", "c1-ib0 c1-ib1 c2-ib0 c2-ib1 x"},
		{"rack[1]n[1-2].site", "rack1n1.site rack1n2.site"},
		{"a[1-", "!brackets"},
		{"a]", "!brackets"},
		{"a[[1]]", "!brackets"},
		{"a[2-1]", "!range"},
		{"a[x]", "!range"},
		{"a,,b", "!empty"},
		{"a[1-999999999]", "!more than"},
		{"a[0-9223372036854775807]", "!more than"},
		{"a[0-4611686018427387903]x[0-3]", "!more than"},
		{"a[1-2000][1-2000]", "!more than"},
	} {
		got, err := ExpandNodes(test.list)
		cause, fails := strings.CutPrefix(test.want, "!")
		switch {
		case fails && (err == nil || !strings.Contains(err.Error(), cause)):
			t.Errorf("%s: %v, %v; want an error with %q", test.list, got, err, cause)
		case !fails && (err != nil || strings.Join(got, " ") != test.want):
			t.Errorf("%s: %v, %v; want %s", test.list, got, err, test.want)
		}
	}
}

func FuzzExpandNodes(f *testing.F) {
	f.Add("a[01-03,07],b2")
	f.Fuzz(func(t *testing.T, list string) {
		names, err := ExpandNodes(list)
		if err == nil && list != "" && len(names) == 0 {
			t.Errorf("%q has no names", list)
		}
	})
}
