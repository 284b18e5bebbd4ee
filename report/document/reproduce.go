package document

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gobench/bench/record"
	"gobench/report/cell"
)

// reproduce returns the commands that repeat the measurements and draw the report.
func reproduce(s *cell.Set) []Block {
	var blocks []Block
	if list := sweepsIn(s); len(list) > 0 {
		var commands []string
		for _, w := range list {
			commands = append(commands, w.command())
		}
		blocks = append(blocks, Text("Sweeps made these launches; FILE is the plan of that name:"), Code(commands))
	}
	var commands []string
	for _, r := range s.Runs {
		if c := command(r.Command); len(r.Command) > 0 && !slices.Contains(commands, c) && !isOfSweep(s, r) {
			commands = append(commands, c)
		}
	}
	if len(commands) > 0 {
		left := 0
		if left = len(commands) - 30; left > 0 {
			commands = append(commands[:30], fmt.Sprintf("# and %d more commands", left))
		}
		blocks = append(blocks, Text("Records were made by:"), Code(commands))
	}
	blocks = append(blocks, Text("This report was drawn from these files and from nothing else, by:"), Code{command(append([]string{"gobench", "report"}, s.Files...))})
	t := Table{Title: "Files", Columns: []string{"file", "SHA-256"}}
	for _, name := range s.Files {
		sum, err := digest(name)
		if err != nil {
			sum = "cannot be read any more"
		}
		t.Rows = append(t.Rows, []Field{words(name), words(sum)})
	}
	return append(blocks, t)
}

// A sweepRun is a sweep with one seed, and the number of its launches in the records.
type sweepRun struct {
	name     string
	seed     int64
	launches int
}

// command returns the command that makes the same launches in the same order.
func (w sweepRun) command() string {
	return fmt.Sprintf("gobench sweep FILE --seed=%d   # %s, %s", w.seed, strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, cmp.Or(w.name, "without name")), cell.Plural(w.launches, "launch", "launches"))
}

// sweepsIn returns the sweeps that made launches of the set.
func sweepsIn(s *cell.Set) []sweepRun {
	var list []sweepRun
	for _, l := range s.Launches {
		i := slices.IndexFunc(list, func(w sweepRun) bool { return w.name == l.Sweep && w.seed == l.Seed })
		if i < 0 {
			i = len(list)
			list = append(list, sweepRun{name: l.Sweep, seed: l.Seed})
		}
		list[i].launches++
	}
	return list
}

// isOfSweep reports whether a sweep made the run, with the verb and flags of its plan.
func isOfSweep(s *cell.Set, r *record.Run) bool {
	if len(r.Command) == 0 {
		return false
	}
	return slices.ContainsFunc(s.Launches, func(l record.Launch) bool {
		return len(l.Command) > 0 && len(r.Command) > len(l.Command) && slices.Equal(r.Command[1:1+len(l.Command)], l.Command)
	})
}

// command formats arguments as quoted words of a shell.
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
