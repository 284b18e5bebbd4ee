// Package human formats numbers for people: sizes, numbers with a noun, and shares. Tables,
// messages and figures of gobench write them in one way.
package human

import (
	"fmt"
	"strconv"
	"strings"
)

// Size formats bytes exactly, in the largest binary unit that divides them: 0 B, 8 B, 64 KiB,
// 1025 B.
func Size(bytes int64) string {
	unit := "B"
	for _, larger := range []string{"KiB", "MiB", "GiB"} {
		if bytes == 0 || bytes%1024 != 0 {
			break
		}
		bytes /= 1024
		unit = larger
	}
	return fmt.Sprintf("%d %s", bytes, unit)
}

// Amount formats bytes in the largest binary unit of which there is one, with a digit after the
// point unless the number is whole: 8 B, 64 KiB, 1.5 GiB. The result is rounded.
func Amount(bytes int64) string {
	for _, u := range []struct {
		name  string
		shift uint
	}{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}} {
		if bytes >= 1<<u.shift {
			if bytes&(1<<u.shift-1) == 0 {
				return fmt.Sprintf("%d %s", bytes>>u.shift, u.name)
			}
			return fmt.Sprintf("%.1f %s", float64(bytes)/float64(int64(1)<<u.shift), u.name)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// Enumerate joins words with commas, and the last one with a word: "a, b and c".
func Enumerate(words []string, last string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
	}
	return strings.Join(words, "")
}

// Count formats a number with its noun: 1 rank, 2 ranks.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Percent formats a share in percent with two digits, and as a whole number from 10 % on, without
// the sign: 0.031, 4.7, 98, 120.
func Percent(share float64) string {
	if share >= 0.0995 {
		return fmt.Sprintf("%.0f", 100*share)
	}
	return fmt.Sprintf("%.2g", 100*share)
}
