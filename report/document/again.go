package document

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gobench/report/cell"
)

// again says how to measure and to draw it again.
func again(s *cell.Set) []Block {
	var commands []string
	for _, r := range s.Runs {
		if c := command(r.Command); len(r.Command) > 0 && !slices.Contains(commands, c) {
			commands = append(commands, c)
		}
	}
	var blocks []Block
	if len(commands) > 0 {
		left := 0
		if left = len(commands) - 30; left > 0 {
			commands = append(commands[:30], fmt.Sprintf("# and %d more commands", left))
		}
		blocks = append(blocks, Text("The records were made by:"), Code(commands))
	}
	blocks = append(blocks, Text("This report was drawn from these files and from nothing else, by:"), Code{command(append([]string{"gobench", "report"}, s.Files...))})
	t := Table{Title: "Files", Columns: []string{"file", "SHA-256"}}
	for _, name := range s.Files {
		sum, err := digest(name)
		if err != nil {
			sum = "cannot be read any more"
		}
		t.Rows = append(t.Rows, []Cell{words(name), words(sum)})
	}
	return append(blocks, t)
}

// command writes arguments so that a shell understands them.
func command(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if strings.ContainsFunc(a, unicode.IsControl) {
			// $'...' is in POSIX since 2024, and in all shells before it.
			quoted[i] = "$'" + strings.ReplaceAll(strings.Trim(strconv.Quote(a), `"`), "'", `\'`) + "'"
			continue
		}
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$&|;<>()*?[]{}~#`") {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
