package cell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// written holds the usual names of benchmarks whose names in records are others.
var written = map[string]string{
	"pingpong": "ping-pong", "pingping": "ping-ping", "cg": "CG", "ep": "EP", "ft": "FT", "is": "IS", "mg": "MG", "fdtd": "FDTD",
}

// BenchName returns the usual name of a benchmark: ping-pong, CG, bcast.
func BenchName(bench string) string {
	if name, ok := written[strings.TrimPrefix(bench, "npb/")]; ok {
		return name
	}
	return bench
}

// Capital writes s as it stands at the begin of a heading.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
