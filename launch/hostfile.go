package launch

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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

// ReadHostfile reads a list of hosts in the format of any launcher:
//
//	h1 slots=4 max-slots=8      Open MPI
//	h1:4                        Hydra (MPICH, Intel MPI)
//	h1                          PBS: a line for each slot; also a plain list
//	h1 4 all.q@h1 UNDEFINED     Grid Engine
//	h1 4 h2 4                   LSF (LSB_MCPU_HOSTS)
//	h[1-4,7]                    Slurm
//
// A host that occurs again gets more slots. A # begins a comment.
func ReadHostfile(path string) ([]Host, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	hosts, err := parseHostfile(path, string(text))
	if err == nil && len(hosts) == 0 {
		err = fmt.Errorf("%s names no host", path)
	}
	return hosts, err
}

func parseHostfile(path, text string) ([]Host, error) {
	var hosts []Host
	at := map[string]int{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		found, err := parseHostline(line)
		if err != nil {
			return nil, &HostfileError{path, number, err.Error()}
		}
		for _, h := range found {
			i, again := at[h.Name]
			if !again {
				at[h.Name] = len(hosts)
				hosts = append(hosts, h)
				continue
			}
			hosts[i].Slots += h.Slots
		}
	}
	return hosts, nil
}

// parseHostline reads one line, which may have a comment.
func parseHostline(line string) ([]Host, error) {
	if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) {
		return nil, errors.New("this is no text")
	}
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(aroundEquals.ReplaceAllString(line, "="))
	// A line of Grid Engine has the queue, and the cores that it has given. Pairs of LSF may be as
	// many words.
	queued := len(words) == 4 && isNumber(words[1]) && !isNumber(words[3])
	var hosts []Host
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		slots := 1
		switch {
		case len(words) > 0 && isNumber(words[0]): // Grid Engine, LSF
			slots, _ = strconv.Atoi(words[0])
			if words = words[1:]; queued {
				words = nil
			}
		default:
			for len(words) > 0 && strings.Contains(words[0], "=") { // Open MPI
				name, value, _ := strings.Cut(words[0], "=")
				switch name {
				case "slots", "cpu", "count":
					n, err := strconv.Atoi(value)
					if err != nil {
						return nil, fmt.Errorf("%q is no number of ranks", words[0])
					}
					slots = n
				case "user", "username":
					word = value + "@" + word
				}
				words = words[1:]
			}
		}
		found, err := parseHost(word, slots)
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, found...)
	}
	return hosts, nil
}

var aroundEquals = regexp.MustCompile(`\s*=\s*`)

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}
