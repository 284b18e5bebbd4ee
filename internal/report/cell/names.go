package cell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// written maps names of benchmarks in records to their usual spelling.
var written = map[string]string{
	"pingpong": "ping-pong", "pingping": "ping-ping", "bt": "BT", "cg": "CG", "ep": "EP", "ft": "FT", "is": "IS", "lu": "LU", "mg": "MG", "sp": "SP",
	"fdtd": "FDTD", "bt-io": "BT-IO", "bt-mz": "BT-MZ", "lu-mz": "LU-MZ", "sp-mz": "SP-MZ", "dt-bh": "DT-BH", "dt-sh": "DT-SH", "dt-wh": "DT-WH",
}

// BenchName returns the usual spelling of a benchmark's name: ping-pong, CG, bcast.
func BenchName(bench string) string {
	if name, ok := written[strings.TrimPrefix(bench, "npb/")]; ok {
		return name
	}
	return bench
}

// Capital returns s with a capital letter for the start of a heading.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
