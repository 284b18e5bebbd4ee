package importer

import "strings"

// gitlabLine matches the mark before a line of a job log of GitLab: the time, the number and the
// kind of the stream, and + if the line continues the one before of the stream, where the job had
// written no line end yet.
var gitlabLine = match(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ([0-9a-f]{2}[OE])([ +])`)

// joinContinued appends lines that GitLab marks as continued to the lines before. It leaves empty
// lines in their place, so that the numbers of lines stay.
func joinContinued(text string) string {
	var lines []string
	last := map[string]int{} // line of a stream
	joined := false
	for l := range strings.Lines(text) {
		m := gitlabLine.FindStringSubmatch(l)
		at, known := 0, false
		if m != nil {
			at, known = last[m[1]]
		}
		if known && m[2] == "+" {
			lines[at] = strings.TrimSuffix(lines[at], "\n") + l[len(m[0]):]
			l, joined = "\n", true
		} else if m != nil {
			last[m[1]] = len(lines)
		}
		lines = append(lines, l)
	}
	if !joined {
		return text
	}
	return strings.Join(lines, "")
}
