package importer

import (
	"slices"

	"gobench/internal/lazyregexp"
)

// A pattern is a regular expression for lines of a log whose groups hold whole numbers whole: text
// of which a group holds the begin of a number only, as 590 of "590.57" or 1 of "1,024", does not
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
		if groups[i] = s[from:to]; i > 0 && isDigits(groups[i]) && goesOn(s[to:]) {
			return nil
		}
	}
	return groups
}

func isDigits(text string) bool {
	return text != "" && !slices.ContainsFunc([]byte(text), func(c byte) bool { return !isDigit(c) })
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// goesOn reports whether digits before a text are the begin of a longer number: of one with a
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
