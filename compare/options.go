package compare

import (
	"maps"
	"slices"
	"strings"

	"gobench/record"
)

// optionsName is the factor of all options of a transport.
const optionsName = "options"

// options formats options of a transport by name, without one of them.
func options(all map[string]string, but string) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name == but {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name)
		b.WriteByte('=')
		b.WriteString(all[name])
	}
	return b.String()
}

// apart formats the options in which two points differ. Options of different transports always do.
func apart(a, b *record.Point, by string) (x, y string) {
	if a.Transport != b.Transport {
		return "", ""
	}
	name, _ := strings.CutPrefix(by, optionPrefix)
	left, right := maps.Clone(a.Options), maps.Clone(b.Options)
	for option, value := range a.Options {
		if other, ok := right[option]; ok && other == value {
			delete(left, option)
			delete(right, option)
		}
	}
	return options(left, name), options(right, name)
}
