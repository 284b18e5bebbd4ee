package hostlist

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gobench/nearest"
)

// A HostfileError reports an invalid line of a list of hosts.
type HostfileError struct {
	File    string
	Line    int
	Problem string
}

func (e *HostfileError) Error() string {
	return fmt.Sprintf("%s, line %d: %s", e.File, e.Line, e.Problem)
}

// ReadFile reads a list of hosts in the format of any launcher:
//
//	h1 slots=4 max-slots=8      Open MPI
//	h1:4                        Hydra (MPICH, Intel MPI)
//	h1                          PBS: a line for each slot; also a plain list
//	h1 4 all.q@h1 UNDEFINED     Grid Engine
//	h1 4 h2 4                   LSF (LSB_MCPU_HOSTS)
//	h[1-4,7],login              Slurm
//
// A host that occurs again gets more slots. A # begins a comment. ignored names the attributes of
// other launchers that have no effect here; an attribute that no launcher has is an error.
func ReadFile(path string) (hosts []Host, ignored []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	hosts, ignored, err = parseHostfile(path, string(text))
	if err == nil && len(hosts) == 0 {
		err = fmt.Errorf("%s names no host", path)
	}
	return hosts, ignored, err
}

func parseHostfile(path, text string) (hosts []Host, ignored []string, err error) {
	err = eachHostline(path, text, func(line hostline) error {
		hosts = append(hosts, line.hosts...)
		ignored = append(ignored, line.ignored...)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(ignored)
	return Merged(hosts), slices.Compact(ignored), nil
}

// eachHostline calls do with each line of a list of hosts. Its errors, and those of do, become a
// *HostfileError.
func eachHostline(path, text string, do func(hostline) error) error {
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, byteOrderMark)) {
		number++
		found, err := parseHostline(line)
		if err == nil {
			err = do(found)
		}
		if err != nil {
			return &HostfileError{path, number, err.Error()}
		}
	}
	return nil
}

// byteOrderMark is the first character of files of UTF-8 that some editors write.
const byteOrderMark = "\ufeff"

// Merged returns the hosts without repetitions: a host that occurs again gets more slots.
func Merged(hosts []Host) []Host {
	var list []Host
	at := map[string]int{}
	for _, h := range hosts {
		if i, again := at[h.Name]; again {
			list[i].Slots += h.Slots
			continue
		}
		at[h.Name] = len(list)
		list = append(list, h)
	}
	return list
}

// A hostline is one line of a list of hosts.
type hostline struct {
	hosts   []Host
	ignored []string // attributes without effect
}

// Attributes that launchers write behind a host.
var (
	slotAttributes    = []string{"slots", "cpu", "count"}                                       // Open MPI
	userAttributes    = []string{"user", "username"}                                            // Hydra, Open MPI
	ignoredAttributes = []string{"max-slots", "max_slots", "slots-max", "slots_max", "binding"} // Open MPI, Hydra
	hostAttributes    = slices.Concat(slotAttributes, userAttributes, ignoredAttributes)
)

// parseHostline reads one line, which may have a comment.
func parseHostline(line string) (hostline, error) {
	if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) {
		return hostline{}, errors.New("this is no text")
	}
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(aroundEquals.ReplaceAllString(line, "="))
	// A line of Grid Engine has the queue, and the cores that it has given. Pairs of LSF may be as
	// many words.
	queued := len(words) == 4 && isNumber(words[1]) && !isNumber(words[3])
	var found hostline
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if name, _, _ := strings.Cut(word, ":"); len(found.hosts) > 0 && slices.Contains(hostAttributes, name) {
			return hostline{}, fmt.Errorf("%q is an attribute without a value: write %s=N", word, name)
		}
		slots, user := 1, ""
		switch {
		case len(words) > 0 && isNumber(words[0]): // Grid Engine, LSF
			slots, _ = strconv.Atoi(words[0])
			if words = words[1:]; queued {
				words = nil
			}
		default:
			for len(words) > 0 && strings.Contains(words[0], "=") { // Open MPI, Hydra
				name, value, _ := strings.Cut(words[0], "=")
				switch {
				case slices.Contains(slotAttributes, name):
					n, err := strconv.Atoi(value)
					if err != nil {
						return hostline{}, fmt.Errorf("%q is no number of ranks", words[0])
					}
					slots = n
				case slices.Contains(userAttributes, name):
					user = value + "@"
				case slices.Contains(ignoredAttributes, name):
					found.ignored = append(found.ignored, name)
				default:
					return hostline{}, &nearest.UnknownError{What: "attribute of host " + word + ",", Name: name, Known: hostAttributes}
				}
				words = words[1:]
			}
		}
		for rest := strings.Trim(word, ","); rest != ""; { // people write h1, h2
			name, after, err := cutWord(rest)
			if err != nil {
				name, after = rest, "" // which parseHost refuses, with the reason
			}
			hosts, err := parseHost(user+name, slots)
			if err != nil {
				return hostline{}, err
			}
			found.hosts, rest = append(found.hosts, hosts...), after
		}
	}
	return found, nil
}

var aroundEquals = regexp.MustCompile(`\s*=\s*`)

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}
