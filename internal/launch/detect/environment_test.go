package detect

import "strings"

// environment is a lookup of NAME=VALUE words.
func environment(words ...string) Lookup {
	return func(name string) (string, bool) {
		for _, word := range words {
			if value, ok := strings.CutPrefix(word, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}
