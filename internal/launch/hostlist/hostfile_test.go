package hostlist

import (
	"errors"
	"slices"
	"testing"
)

func TestHostfiles(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []Host
	}{
		{"Open MPI", "# nodes\nh1 slots=4 max-slots=8\nh2 slots=2\nuser@h3\n", []Host{{"h1", 4}, {"h2", 2}, {"user@h3", 1}}},
		{"Hydra", "h1:4\nh2:2 binding=user:0,1\n\nh3\n", []Host{{"h1", 4}, {"h2", 2}, {"h3", 1}}},
		{"PBS", "h1.site\nh1.site\nh2.site\nh1.site\n", []Host{{"h1.site", 3}, {"h2.site", 1}}},
		{"Grid Engine", "h1.site 4 all.q@h1.site UNDEFINED\nh2.site 2 all.q@h2.site <NULL>\n", []Host{{"h1.site", 4}, {"h2.site", 2}}},
		{"LSF", "h1 16 h2 8", []Host{{"h1", 16}, {"h2", 8}}},
		{"LSF, names that look like queues", "n1.qc.site 4 n2.qc.site 4 n3.qc.site 2\nh1 4 bob@h2 4", []Host{{"n1.qc.site", 4}, {"n2.qc.site", 4}, {"n3.qc.site", 2}, {"h1", 4}, {"bob@h2", 4}}},
		{"blanks and users", "h1 slots = 4 max-slots= 8\nh2 user=bob slots=2\nh3:2 username=eve", []Host{{"h1", 4}, {"bob@h2", 2}, {"eve@h3", 2}}},
		{"Slurm", "a[01-03,07]\nb2", []Host{{"a01", 1}, {"a02", 1}, {"a03", 1}, {"a07", 1}, {"b2", 1}}},
		{"commas", "login1,node1\nh1, h2 slots=2\na:2,b[1,3] user=bob slots=4\nc,d 3", []Host{{"login1", 1}, {"node1", 1}, {"h1", 1}, {"h2", 2}, {"bob@a", 2}, {"bob@b1", 4}, {"bob@b3", 4}, {"c", 3}, {"d", 3}}},
		{"IPv6", "[fe80::1%eth0] slots=2\nuser@[::1]:3\n", []Host{{"fe80::1%eth0", 2}, {"user@::1", 3}}},
		{"byte order mark", "\ufeffh1 slots=2\r\nh2\r\n", []Host{{"h1", 2}, {"h2", 1}}},
		{"nothing", "# none\n", nil},
	} {
		if got, _, err := parseHostfile("f", test.text); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, %v, want %v", test.name, got, err, test.want)
		}
	}
	for text, want := range map[string]string{
		"h1\n-oProxyCommand=x\n": `f, line 2: "-oProxyCommand=x" is no name of a host`,
		"h1:x":                   `f, line 1: "h1:x": want a number of ranks from 1 to 1048576 after the colon, such as h1:4`,
		"h1 slots=many":          `f, line 1: "slots=many" is no number of ranks`,
		"h1 0":                   `f, line 1: "h1" has 0 ranks, want 1 to 1048576`,
		"h1 slots=1048577":       `f, line 1: "h1" has 1048577 ranks, want 1 to 1048576`,
		"[::1":                   `f, line 1: "[::1": want a name and a number of ranks such as a:4, or an IPv6 address in brackets, such as [fe80::1]:4`,
		"h1\nh2 slot=4":          `f, line 2: unknown attribute of host h2, "slot": did you mean "slots"? known: slots, cpu, count, user, username, max-slots, max_slots, slots-max, slots_max, binding`,
		"h1,,h2":                 `f, line 1: a host without a name`,
		"h1 user=a,b":            `f, line 1: "a,b@h1" is no name of a host`,
		"h[1, 3]":                `f, line 1: "h[1" is no list of hosts: the brackets of "h[1" do not match`,
		"h1 slots 4":             `f, line 1: "slots" is an attribute without a value: write slots=N`,
		"h1 slots:4":             `f, line 1: "slots:4" is an attribute without a value: write slots=N`,
		"h1 slots=2 gpus=4":      `f, line 1: unknown attribute of host h1, "gpus"; known: slots, cpu, count, user, username, max-slots, max_slots, slots-max, slots_max, binding`,
		"\x7fELF\x02":            `f, line 1: this is no text`,
	} {
		_, _, err := parseHostfile("f", text)
		var bad *HostfileError
		if !errors.As(err, &bad) || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Attributes that other launchers have and that have no effect here are named, once each.
func TestHostfileNamesWhatItIgnores(t *testing.T) {
	_, ignored, err := parseHostfile("f", "h1 slots=4 max-slots=8\nh2 binding=user:0 max-slots=8\n")
	if want := []string{"binding", "max-slots"}; err != nil || !slices.Equal(ignored, want) {
		t.Errorf("%q, %v, want %q", ignored, err, want)
	}
}
