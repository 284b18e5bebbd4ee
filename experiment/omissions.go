package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// omissions collects what a plan leaves out of the sizes and algorithms that the user asked for,
// with the reason.
type omissions []omission

type omission struct {
	subject string // benchmark or operation
	reason  string
	items   []string // sizes or algorithms
}

// add notes that a benchmark or operation leaves out an item.
func (o *omissions) add(subject, item, reason string) {
	i := slices.IndexFunc(*o, func(e omission) bool { return e.subject == subject && e.reason == reason })
	if i < 0 {
		i = len(*o)
		*o = append(*o, omission{subject: subject, reason: reason})
	}
	(*o)[i].items = append((*o)[i].items, item)
}

// remarks returns a line for each reason and set of items.
func (o omissions) remarks() []string {
	var lines []string
	told := make([]bool, len(o))
	for i, e := range o {
		if told[i] {
			continue
		}
		subjects := []string{e.subject}
		for j := i + 1; j < len(o); j++ {
			if o[j].reason == e.reason && slices.Equal(o[j].items, e.items) {
				told[j] = true
				subjects = append(subjects, o[j].subject)
			}
		}
		leave := "leave"
		if len(subjects) == 1 {
			leave = "leaves"
		}
		lines = append(lines, fmt.Sprintf("%s %s out %s: %s", strings.Join(subjects, ", "), leave, strings.Join(e.items, ", "), e.reason))
	}
	return lines
}
