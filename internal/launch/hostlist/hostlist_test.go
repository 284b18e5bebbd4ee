package hostlist

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseHosts(t *testing.T) {
	for _, test := range []struct {
		list, want string // or a part of the error after a !
	}{
		{"a,b:4,user@c", "[{a 1} {b 4} {user@c 1}]"},
		{"a,b:4,a,a:2", "[{a 4} {b 4}]"},
		{"h[1-2,07]:2, b", "[{h1 2} {h2 2} {h07 2} {b 1}]"},
		{"[::1],[fe80::1%eth0]:2", "[{::1 1} {fe80::1%eth0 2}]"},
		{"a:999999999999", "!want a number of ranks from 1 to 1048576 after the colon, such as a:4"},
		{"a:0", "!want a number of ranks from 1 to 1048576 after the colon, such as a:4"},
		{"a:", "!want a number of ranks from 1 to 1048576 after the colon, such as a:4"},
		{"::1", "!or an IPv6 address in brackets, such as [fe80::1]:4"},
		{"[::1:2", `!"[::1:2" is no list of hosts: the brackets of`},
		{"a[::1]", "!or an IPv6 address in brackets, such as [fe80::1]:4"},
		{"h[1-2", "!brackets"},
		{"h[2-1]", "!is no range of numbers"},
		{"a,,b", "!a host without a name"},
		{"a,", "!a host without a name"},
		{"a;b", `!"a;b" is no name of a host`},
	} {
		hosts, err := Parse(test.list)
		cause, fails := strings.CutPrefix(test.want, "!")
		if fails && (err == nil || !strings.Contains(err.Error(), cause)) || !fails && (err != nil || fmt.Sprint(hosts) != test.want) {
			t.Errorf("%s: %v, %v, want %s", test.list, hosts, err, test.want)
		}
	}
}

// Places of few ranks on hosts with many slots need no memory for all slots.
func TestAssignFewRanksToManySlots(t *testing.T) {
	hosts := []Host{{"a", 1 << 40}, {"b", 1}, {"c", 1 << 40}}
	for policy, want := range map[string]string{"fill": "[0 0 0 0]", "spread": "[0 1 2 0]"} {
		if on, err := Assign(policy, hosts, 4); err != nil || fmt.Sprint(on) != want {
			t.Errorf("%s: %v, %v, want %s", policy, on, err, want)
		}
	}
}

func TestAssign(t *testing.T) {
	hosts := []Host{{"a", 2}, {"b", 1}, {"c", 3}}
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "map")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		policy string
		n      int
		want   string // or a part of the error after a !
	}{
		{"", 3, "[0 0 1]"},
		{"fill", 8, "[0 0 1 2 2 2 0 0]"},
		{"spread", 8, "[0 1 2 0 2 2 0 1]"},
		{"spread", 1, "[0]"},
		{"ppr:1", 3, "[0 1 2]"},
		{"ppr:2", 5, "[0 0 1 1 2]"},
		{"ppr:2", 7, "!ppr:2 puts 6 ranks on 3 hosts, and there are 7 ranks"},
		{"ppr:0", 1, "!want a number of ranks of 1 or more"},
		{"ppr:x", 1, "!want a number of ranks of 1 or more"},
		{"ppr:-9223372036854775808", 1, "!want a number of ranks of 1 or more"},
		{file("# in this order\nc\na:2 # both\nc slots=1\nb\n"), 5, "[2 0 0 2 1]"},
		{file("c\na:2\n"), 2, "[2 0]"},
		{file("c\na:2\n"), 4, "!places 3 ranks, and there are 4"},
		{file("\ufeffc\r\na:2\r\n"), 2, "[2 0]"},
		{file("c slot=2\n"), 1, "!line 1: unknown attribute of host c"},
		{file("c\nd\n"), 1, "!line 2: host d is not one of those that run ranks"},
		{file("c:x\n"), 1, "!line 1: "},
		{"sprad", 1, `!"sprad" is not fill, spread or ppr:N, and no file`},
	} {
		on, err := Assign(test.policy, hosts, test.n)
		cause, fails := strings.CutPrefix(test.want, "!")
		if fails && (err == nil || !strings.Contains(err.Error(), cause)) || !fails && (err != nil || fmt.Sprint(on) != test.want) {
			t.Errorf("%s, %d ranks: %v, %v, want %s", test.policy, test.n, on, err, test.want)
		}
	}
}
