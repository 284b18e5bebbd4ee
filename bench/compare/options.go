package compare

import (
	"maps"
	"slices"
	"strings"
)

// options writes options of a transport by name, without one of them.
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
