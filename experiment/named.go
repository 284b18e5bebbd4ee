package experiment

import (
	"strconv"
	"strings"

	"gobench/device"
	"gobench/internal/lazyregexp"
)

// A namedError is an error whose text names the host of each rank.
type namedError struct {
	error
	text string
}

func (e *namedError) Error() string { return e.text }
func (e *namedError) Unwrap() error { return e.error }

// named returns err with the hosts of the ranks in its text. Most errors about ranks come from
// layers that do not know the names of hosts.
func named(job device.Job, err error) error {
	if err == nil {
		return nil
	}
	if text := nameHosts(job, err.Error()); text != err.Error() {
		return &namedError{err, text}
	}
	return err
}

// rankInText matches a rank, or two of them, in a message.
var rankInText = lazyregexp.New(`\brank \d+( of \d+)?\b|\branks \d+ and \d+\b`)

// nameHosts adds the name of its host to each rank in a text that names no host, if the job has
// several hosts.
func nameHosts(job device.Job, text string) string {
	if device.HostName(job, 0) == "" {
		return text
	}
	var b strings.Builder
	for {
		at := rankInText.FindStringIndex(text)
		if at == nil {
			return b.String() + text
		}
		words := strings.Fields(text[at[0]:at[1]])
		b.WriteString(text[:at[0]])
		found, rest := text[at[0]:at[1]], text[at[1]:]
		text = rest
		if words[0] == "ranks" {
			b.WriteString(on(job, "rank "+words[1], words[1], " and ") + " and " + on(job, "rank "+words[3], words[3], rest))
		} else {
			b.WriteString(on(job, found, words[1], rest))
		}
	}
}

// on returns the words for a rank with its host, unless the text behind them names it already.
func on(job device.Job, words, number, behind string) string {
	rank, err := strconv.Atoi(number)
	if err != nil || rank >= job.Size() {
		return words
	}
	host := " on " + device.HostName(job, rank)
	if strings.HasPrefix(behind, host) {
		return words
	}
	return words + host
}
