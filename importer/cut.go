package importer

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// shell matches what may precede the name of a program in a command line that a script or a
// terminal shows: a prompt ("user@host:~$") or the mark of set -x, and a directory.
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
		if at = strings.IndexByte(text, '{'); at > 0 && strings.TrimSpace(text[:at]) == "[" {
			at = 0 // an array of objects
		}
		if at > longestPrefix || at > 0 && (endsInLetter(text[:at]) || strings.ContainsAny(text[:at], `"{}`)) || at >= 0 && !opensObject(text) {
			at = -1
		}
		part = -1
	}
	return at, f, part
}

// opensObject reports whether the text from the first { on begins a JSON object.
func opensObject(text string) bool {
	_, text, _ = strings.Cut(text, "{")
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
	var strange []int // lines that look like rows
	for _, name := range names {
		found := im.cutStream(streams[name], only)
		programs = append(programs, found...)
		for _, l := range streams[name] {
			if values, ok := numbers(l.text); ok && len(values) > 1 && len(found) == 0 && name != "" {
				strange = append(strange, l.number)
			}
		}
	}
	if len(strange) > 0 && len(programs) > 0 {
		slices.Sort(strange)
		im.warn("%s", leftOut{"no heading of a table has its prefix", strange})
	}
	slices.SortStableFunc(programs, func(a, b program) int { return cmp.Compare(a.lines[0].number, b.lines[0].number) })
	return programs
}

func (im *importing) cutStream(lines []line, only *format) []program {
	var programs []program
	budget := 4*len(lines) + maxDocument
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
			docs, n := documents(lines[i:], &budget)
			known := 0
			for _, doc := range docs {
				if f := formatOf(doc, only); f != nil {
					known++
					programs = append(programs, program{form: f, lines: slices.Clone(lines[i : i+n]), doc: doc})
				}
			}
			if known < len(docs) && (n > 1 || known > 0) {
				im.warn("line %d: the JSON object is of no known program", lines[i].number)
			}
			if n > 1 || known > 0 {
				i += n - 1
				continue
			}
			if n == 0 && lines[i].text == "{" && !open {
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

// ends reports whether a banner belongs to another program: if the program has printed it already,
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

// noNumber matches a value that is no number, which C prints and JSON lacks: "-nan".
var noNumber = match(`(: *)-?(?:nan|inf)\b`)

// maxDocument bounds the lines of a JSON object.
const maxDocument = 1 << 20

// documents returns the fields of the JSON objects that begin in the first line, of which an array
// may have several, and the number of their lines; 0 if there are none. budget bounds the lines
// that are read in vain.
func documents(lines []line, budget *int) ([]map[string]json.RawMessage, int) {
	if text := lines[0].text; text == "" || !strings.Contains("{[", text[:1]) || !opensObject(text) {
		return nil, 0
	}
	n := objectLines(lines[:min(len(lines), maxDocument, *budget)])
	if n == 0 {
		*budget -= min(len(lines), maxDocument, *budget)
		return nil, 0
	}
	text := textOf(lines[:n])
	docs := objects(text)
	if docs == nil { // perftest writes a field without quotation marks, iperf3 -nan
		docs = objects(noNumber.ReplaceAllString(bareName.ReplaceAllString(text, `"$1":`), "${1}null"))
	}
	if docs == nil {
		return nil, 0
	}
	return docs, n
}

// objects returns the fields of JSON objects, which may be elements of an array; nil if the text
// has anything else.
func objects(text string) (list []map[string]json.RawMessage) {
	text = strings.TrimPrefix(text, "[")
	for {
		if text = strings.TrimLeft(text, " \n,]"); text == "" {
			return list
		}
		in := json.NewDecoder(strings.NewReader(text))
		var fields map[string]json.RawMessage
		if in.Decode(&fields) != nil {
			return nil
		}
		list = append(list, fields)
		text = text[in.InputOffset():]
	}
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
