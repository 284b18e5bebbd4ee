package importer

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// shell matches what may precede the name of a program in a command line that a script or a
// terminal shows: a prompt ("user@host:~$") or the mark of set -x, and a folder.
const shell = `(?:(?:\[?[\w.-]+@[\w.-]+[^#$%>]*)?[$+#%>] +)?(?:[\w.~-]*/[\w./~-]*)?`

// A program is the part of a log that one program printed in one launch.
type program struct {
	form  *format
	lines []line
	doc   map[string]json.RawMessage // of a program that prints a JSON object
	seen  []bool                     // banners of form
}

// bannerIn returns where the banner of a program begins in a line, the format and the index of the
// banner; at is -1 if there is none. A JSON object is the banner of index -1, without a format.
func bannerIn(text string, only *format) (at int, f *format, part int) {
	at = -1
	for i := range formats {
		if only != nil && &formats[i] != only {
			continue
		}
		for k, b := range formats[i].banners {
			m := b.FindStringIndex(text)
			if m == nil || m[0] > longestPrefix || m[0] > 0 && endsInLetter(text[:m[0]]) || at >= 0 && m[0] >= at {
				continue
			}
			at, f, part = m[0], &formats[i], k
		}
	}
	if at < 0 {
		if at = strings.IndexByte(text, '{'); at > longestPrefix || at > 0 && (endsInLetter(text[:at]) || isJSON(text[:at])) || at >= 0 && !opensObject(text[at+1:]) {
			at = -1
		}
		part = -1
	}
	return at, f, part
}

// isJSON reports whether the text before a { is that of a JSON object, and not a prefix.
func isJSON(text string) bool {
	return strings.ContainsAny(text, `"{}`) || strings.TrimSpace(text) == "["
}

// opensObject reports whether the text after a { is that of a JSON object.
func opensObject(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || text[0] == '"'
}

// cut divides the lines of a log into programs: each banner is the begin of one, and what follows
// up to the next banner in the same stream belongs to it. Lines before the first belong to none.
func (im *importing) cut(only *format) []program {
	var names []string
	streams := map[string][]line{}
	for _, l := range im.lines {
		if _, known := streams[l.stream]; !known {
			names = append(names, l.stream)
		}
		streams[l.stream] = append(streams[l.stream], l)
	}
	var programs []program
	for _, name := range names {
		programs = append(programs, im.cutStream(streams[name], only)...)
	}
	slices.SortStableFunc(programs, func(a, b program) int { return cmp.Compare(a.lines[0].number, b.lines[0].number) })
	return programs
}

func (im *importing) cutStream(lines []line, only *format) []program {
	var programs []program
	budget := 4*len(lines) + mostDocument
	open := false // an object without an end was seen, whose inner objects look like others
	for i := 0; i < len(lines); i++ {
		at, f, part := bannerIn(lines[i].text, only)
		last := len(programs) - 1
		if at == 0 && f != nil {
			if last < 0 || programs[last].ends(f, part) {
				programs = append(programs, program{form: f, seen: make([]bool, len(f.banners))})
				last++
			}
			programs[last].seen[part] = true
		} else if at == 0 {
			doc, n := document(lines[i:], &budget)
			f := formatOf(doc, only)
			switch {
			case f != nil:
				programs = append(programs, program{form: f, lines: slices.Clone(lines[i : i+n]), doc: doc})
				i += n - 1
				continue
			case n > 1:
				im.warn("line %d: the JSON object is of no known program", lines[i].number)
				i += n - 1
				continue
			case n == 0 && lines[i].text == "{" && !open:
				open = true
				im.warn("line %d: a JSON object begins that does not end", lines[i].number)
			}
		}
		if last >= 0 && programs[last].doc == nil {
			programs[last].lines = append(programs[last].lines, lines[i])
		}
	}
	return programs
}

// ends reports whether a banner is that of another program: if the program has printed it already,
// or has begun its table, which the last banner of a format heads.
func (p *program) ends(f *format, part int) bool {
	if p.form != f || p.seen == nil {
		return true
	}
	last := len(p.seen) - 1
	if part == last && f.tables {
		return false
	}
	return p.seen[part] || p.seen[last]
}

// bareName matches a name without quotation marks at the begin of a line of JSON.
var bareName = match(`(?m)^([A-Za-z_]\w*) *:`)

// mostDocument bounds the lines of a JSON object.
const mostDocument = 1 << 20

// document returns the fields of a JSON object that begins in the first line, and the number of its
// lines; 0 if there is none. budget bounds the lines that are read in vain.
func document(lines []line, budget *int) (map[string]json.RawMessage, int) {
	if text := lines[0].text; text == "" || text[0] != '{' || !opensObject(text[1:]) {
		return nil, 0
	}
	n := objectLines(lines[:min(len(lines), mostDocument, *budget)])
	if n == 0 {
		*budget -= min(len(lines), mostDocument, *budget)
		return nil, 0
	}
	var fields map[string]json.RawMessage
	text := []byte(textOf(lines[:n]))
	if json.Unmarshal(text, &fields) != nil {
		// perftest writes a field without quotation marks.
		if json.Unmarshal([]byte(bareName.ReplaceAllString(string(text), `"$1":`)), &fields) != nil {
			return nil, 0
		}
	}
	return fields, n
}

// objectLines returns the number of lines up to the closing brace of an object, 0 if there is none.
func objectLines(lines []line) int {
	depth, inText := 0, false
	for n, l := range lines {
		escaped := false
		for _, c := range []byte(l.text) {
			switch {
			case escaped:
				escaped = false
			case inText:
				escaped, inText = c == '\\', c != '"'
			case c == '"':
				inText = true
			case c == '{':
				depth++
			case c == '}':
				depth--
			}
		}
		if depth <= 0 {
			return n + 1
		}
		if inText {
			return 0 // texts do not contain line ends
		}
	}
	return 0
}

// textOf joins lines.
func textOf(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// formatOf returns the format of a JSON object by its fields, nil if it is unknown.
func formatOf(doc map[string]json.RawMessage, only *format) *format {
	for i := range formats {
		if f := &formats[i]; f.object != nil && (only == nil || f == only) && f.object(doc) {
			return f
		}
	}
	return nil
}
