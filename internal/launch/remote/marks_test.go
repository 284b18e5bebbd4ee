package remote

import (
	"bufio"
	"strings"
	"testing"
)

// The profile of a shell may print before an agent does: lines, a text without an end, and more
// than any agent would.
func TestReadMark(t *testing.T) {
	for _, c := range []struct {
		name, text, mark, rest, fails string
	}{
		{"at once", "gobench:agent {}\n", agentMark, "{}\n", ""},
		{"behind lines", "Welcome\ngobench: read this\ngobench:need x86_64\n", needMark, "x86_64\n", ""},
		{"behind a text without an end", "\x1b]0;host\agobench:agent {}\n", agentMark, "{}\n", ""},
		{"a long line", strings.Repeat("x", 10_000) + agentMark + strings.Repeat("y", 10_000) + "\n", agentMark, strings.Repeat("y", 10_000) + "\n", ""},
		{"nothing", "", "", "", "no agent answers there"},
		{"another program", "a\nsh: gobench: not found\n", "", "", `no agent answers there, but "sh: gobench: not found"`},
		{"no end", strings.Repeat("-", 1<<20), "", "", `no agent answers there, but "---`},
		{"an end in the middle", "gobench:agent {", "", "", `no agent answers there, but "gobench:agent {"`},
	} {
		mark, rest, err := readMark(bufio.NewReader(strings.NewReader(c.text)), agentMark, needMark)
		switch {
		case c.fails != "":
			if err == nil || !strings.HasPrefix(err.Error(), c.fails) {
				t.Errorf("%s: %v, want %s", c.name, err, c.fails)
			}
		case err != nil || mark != c.mark || rest != c.rest:
			t.Errorf("%s: %q %.50q %v", c.name, mark, rest, err)
		}
	}
}
