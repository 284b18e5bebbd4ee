package importer

import (
	"cmp"
	"slices"
	"strings"

	"gobench/internal/lazyregexp"
)

// A pattern is a regular expression for lines of a log. A group that is a number is all of it: a
// line of which a group is the begin of a number, as 590 of "590.57" or 1 of "1,024", does not
// match.
type pattern struct{ *lazyregexp.Regexp }

func match(expression string) pattern { return pattern{lazyregexp.New(expression)} }

// FindStringSubmatch returns the first match and its groups, nil if there is none.
func (p pattern) FindStringSubmatch(s string) []string {
	at := p.FindStringSubmatchIndex(s)
	if at == nil {
		return nil
	}
	groups := make([]string, len(at)/2)
	for i := range groups {
		from, to := at[2*i], at[2*i+1]
		if from < 0 {
			continue
		}
		if groups[i] = s[from:to]; i > 0 && isNumber(groups[i]) && goesOn(s[to:]) {
			return nil
		}
	}
	return groups
}

// scan stores the groups of the first match in the current line: a *string gets the text of its
// group, an *int its number by wholeOf, a *number that of parse. It returns false, and stores
// nothing, if there is none. It refuses a number that is not whole, or above maxWhole.
func (l *log) scan(p pattern, line string, into ...any) bool {
	m := p.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	for i, group := range into {
		switch to := group.(type) {
		case *string:
			*to = m[i+1]
		case *int:
			if *to = wholeOf(m[i+1]); *to < 0 {
				l.refused = cmp.Or(l.refused, l.leaveOut("%s is no whole number from 0 to 2^53", m[i+1]))
			}
		case *number:
			*to, _ = parse(m[i+1])
		}
	}
	return true
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789.") == "" }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// goesOn reports whether a number before a text is the begin of a longer one: of one with a
// fraction, groups of digits, an exponent, or in hexadecimal.
func goesOn(text string) bool {
	if len(text) > 2 && (text[0] == 'e' || text[0] == 'E') && (text[1] == '+' || text[1] == '-') {
		return isDigit(text[2])
	}
	if len(text) < 2 || !isDigit(text[1]) {
		return false
	}
	return slices.Contains([]byte(".,eExX"), text[0])
}
