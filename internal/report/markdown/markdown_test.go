package markdown_test

import (
	"strings"
	"testing"

	"gobench/internal/report/markdown"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"smem, 8 B: 0.1 µs":        "smem, 8 B: 0.1 µs",
		"x](y) ![i](z)":            `x\](y) \!\[i\](z)`,
		"a\n# b\r\n\x1b[2Jc":       `a \# b   \[2Jc`,
		"`code` a|b a_b *c* ~~d~~": "\\`code\\` a\\|b a\\_b \\*c\\* \\~\\~d\\~\\~",
		"<script>&lt;":             "&lt;script&gt;&amp;lt;",
		"@everyone":                "@<!-- -->everyone",
		"http://a.b www.c.d":       `http:\//a.b www\.c.d`,
		`\`:                        `\\`,
	} {
		if got := markdown.Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// In a block of code, the first line that could end it is the last one.
func TestBlocksOfCodeEndAtTheirFence(t *testing.T) {
	for _, lines := range [][]string{
		{"gobench p2p"}, {"a\n```\n<script>"}, {"```", "````` x", "``````"}, {"\x00`"}, nil,
	} {
		got := strings.Split(strings.TrimSuffix(markdown.Code("sh", lines), "\n"), "\n")
		fence := strings.TrimSuffix(got[0], "sh")
		if len(fence) < 3 || strings.Trim(fence, "`") != "" {
			t.Errorf("%q: fence %q", lines, got[0])
		}
		for i, l := range got[1:] {
			if last := i == len(got)-2; strings.Contains(l, fence) != last {
				t.Errorf("%q: line %q", lines, l)
			}
		}
		if len(got) != len(lines)+2 {
			t.Errorf("%q: %d lines", lines, len(got))
		}
	}
}
