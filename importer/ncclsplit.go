package importer

import (
	"slices"
	"strings"
)

// ncclMessage matches a message that NCCL_DEBUG makes NCCL print: host, process, thread, GPU.
var ncclMessage = match(`([^\s:]+):\d+:\d+ \[-?\d+\] NCCL [A-Z]+(?: |$)`)

// ncclHosts returns the names of the hosts whose messages begin a line.
func ncclHosts(lines []string) (names []string) {
	for _, line := range lines {
		if m := ncclMessage.FindStringSubmatchIndex(line); m != nil && m[0] == 0 && !slices.Contains(names, line[m[2]:m[3]]) {
			names = append(names, line[m[2]:m[3]])
		}
	}
	return names
}

// joined returns a line, or the row that it completes. nccl-tests print a row in parts, and NCCL
// prints messages between them, the first one behind the last number of a part without a space. A
// part is kept, and "" returned, until the line with the last one.
func (t *ncclTable) joined(line string) (string, error) {
	part, split := line, false
	if m := ncclMessage.FindStringSubmatchIndex(line); m != nil {
		if m[0] == 0 {
			return line, nil // a message alone
		}
		part, split = line[:m[0]]+t.glued(line[m[2]:m[3]]), true
	}
	words := strings.Fields(part)
	if t.names == nil || t.begun == nil && !split || len(words) == 0 {
		return line, nil
	}
	if _, number := parse(words[0]); !number && !strings.EqualFold(words[0], "N/A") {
		return line, nil
	}
	if t.begun != nil && t.complete(words) {
		if err := t.endless(); err != nil {
			return "", err
		}
	}
	words = append(t.begun, words...)
	if t.begun = nil; len(words) < len(t.names) && !t.complete(words) {
		t.begun = words
		return "", nil
	}
	return strings.Join(words, " "), nil
}

// complete reports whether words are a whole row.
func (t *ncclTable) complete(words []string) bool {
	return len(t.full(stamped(t.names, words))) == len(t.names)
}

// endless leaves out a row whose end is missing.
func (t *ncclTable) endless() error {
	if t.begun == nil {
		return nil
	}
	t.begun = nil
	return t.leaveOut("messages of NCCL split the row before, and its end is missing")
}

// glued returns the number before the name of a host that printed messages, "" if there is none.
func (t *ncclTable) glued(word string) string {
	found := ""
	for _, host := range t.hosts {
		if before, ok := strings.CutSuffix(word, host); ok && before != "" {
			if _, number := parse(before); number || before == "N/A" {
				if found != "" {
					return "" // of either host
				}
				found = before
			}
		}
	}
	return found
}
