package importer

import (
	"regexp"
	"slices"
	"strings"
)

// Launchers and loggers put the rank, the host or the time before each line: "[1,0]<stdout>:",
// "0: ", "Mon Oct 15 15:04:29 2018[1,0]<stdout>:", "00:55:22  ". They are not listed here: the text
// before the banner of a program is a prefix, and its shape, in which numbers and names of days and
// months are variable, is removed from all lines that have it.

// maxShapes bounds the number of prefixes of one log, and longestPrefix their length.
const (
	maxShapes     = 16
	longestPrefix = 120
)

// unprefix removes prefixes from the lines of a log, and assigns lines to streams. only restricts
// the formats whose banners are looked for, nil = all. It returns the numbers of the lines that
// look like rows and lack the prefix of the program above them.
func unprefix(lines []line, only *format) (bare []int) {
	at := make([]int, len(lines)) // of banners
	prefixed := false
	for i := range lines {
		at[i], _, _ = bannerIn(lines[i].text, only)
		prefixed = prefixed || at[i] > 0
	}
	if !prefixed {
		return nil
	}
	shapes := shapesOf(lines, at)
	prefixed = false // by the program above
	for i := range lines {
		l := &lines[i]
		if at[i] == 0 {
			prefixed = false
			continue // a banner without a prefix, such as a row of NetPIPE: "0:  1 bytes"
		}
		longest := 0
		for _, s := range shapes {
			if m := s.FindStringIndex(l.text); m != nil && m[1] > longest {
				longest = m[1]
			}
		}
		switch {
		case longest > 0:
			prefixed = prefixed || at[i] > 0
		case prefixed && endsInTwoNumbers(l.text):
			bare = append(bare, l.number)
		}
		rest := l.text[len(strings.TrimRight(l.text[:longest], " ")):]
		l.prefix, l.text, l.indent = l.text[:longest], strings.TrimSpace(rest), len(rest)-len(strings.TrimLeft(rest, " "))
		l.stream = streamOf(l.prefix)
	}
	joinCounted(lines)
	return bare
}

// endsInTwoNumbers reports whether a line looks like a row.
func endsInTwoNumbers(text string) bool {
	words := strings.Fields(text)
	_, ok := parseAll(words[max(0, len(words)-2):])
	return ok && len(words) >= 2
}

// shapesOf returns expressions for the prefixes before banners, which begin at the given bytes of
// their lines. A prefix that only banners have is no prefix of the log: it is removed from these
// lines immediately.
func shapesOf(lines []line, at []int) []*regexp.Regexp {
	var shapes []*regexp.Regexp
	shared := map[string]bool{}
	for i := range lines {
		if at[i] <= 0 {
			continue
		}
		shape := shapeOf(lines[i].text[:at[i]])
		if _, known := shared[shape]; !known && len(shared) < maxShapes {
			expression := regexp.MustCompile(shape)
			if strings.Trim(lines[i].text[:at[i]], "0123456789., ") == "" { // rows begin with a number, too; the heading below a banner does not
				next := i + 1
				if next == len(lines) {
					next = max(0, i-1)
				}
				shared[shape] = expression.MatchString(lines[next].text)
			} else {
				shared[shape] = slices.ContainsFunc(lines, func(l line) bool { return at[l.number-1] < 0 && expression.MatchString(l.text) })
			}
			if shared[shape] {
				shapes = append(shapes, expression)
			}
		}
		if !shared[shape] && lines[i].text[at[i]] != '{' {
			lines[i].text, at[i] = lines[i].text[at[i]:], 0
		}
	}
	return shapes
}

// levels matches the severities of loggers, which differ between lines of one rank.
const levels = `\b(?i:trace|debug|info|notice|warn|warning|error|fatal)\b`

// shapeWord matches the parts of a prefix that shapeOf generalises.
var shapeWord = match(`\d+(?:[.,]\d+)?|` + levels + `\s*|\s+|<std(?:out|err|diag)>|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b|\b[AP]M\b|[^\d\s<]+?|<`)

var level = match(`^` + levels)

// shapeOf returns an expression that matches prefixes of the same shape at the begin of a line.
func shapeOf(prefix string) string {
	var b strings.Builder
	b.WriteString("^")
	for _, m := range shapeWord.FindAllStringSubmatch(strings.TrimSpace(prefix), -1) {
		switch word := m[0]; {
		case word[0] >= '0' && word[0] <= '9':
			b.WriteString(`\d+(?:[.,]\d+)?`) // seconds that are whole may be printed without a fraction
		case strings.TrimSpace(word) == "":
			b.WriteString(`\s+`)
		case level.MatchString(word):
			b.WriteString(levels + `\s*`)
		case strings.HasPrefix(word, "<std"):
			b.WriteString(`<std(?:out|err|diag)>`)
		case len(word) == 3:
			b.WriteString(`[A-Z][a-z]{2}`)
		case len(word) == 2 && word[1] == 'M':
			b.WriteString(`[AP]M`)
		default:
			b.WriteString(regexp.QuoteMeta(word))
		}
	}
	if endsInLetter(strings.TrimSpace(prefix)) {
		b.WriteString(`(?:\s+|$)`)
	}
	return b.String()
}

// stamps matches times, dates and severities, which differ between lines of one rank.
var stamps = match(levels + `|\d{4}[-/]\d\d[-/]\d\d|\d+:\d\d(?::\d\d)?(?:[.,]\d+)?|T(?:\s|$)|Z\b|[+-]\d\d:?\d\d\b|` +
	`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b|\d* *\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b *\d*|` +
	`\b(?:19|20)\d\d\b|\d+\.\d+|\d{9,}|\d+ ?m?s\b|\b[AP]M\b|\s`)

// streamOf returns a prefix without times.
func streamOf(prefix string) string {
	prefix = strings.NewReplacer("<stderr>", "<stdout>", "<stddiag>", "<stdout>", "T", " ").Replace(prefix)
	return stamps.ReplaceAllString(prefix, "")
}

// joinCounted makes one stream of lines whose prefixes count the lines: a number that differs in
// every line is not a rank.
func joinCounted(lines []line) {
	seen := map[string]int{}
	largest := 0
	for i := range lines {
		if s := lines[i].stream; s != "" {
			seen[s]++
			largest = max(largest, seen[s])
		}
	}
	if len(seen) < 3 || largest > 1 {
		return
	}
	for i := range lines {
		lines[i].stream = ""
	}
}
