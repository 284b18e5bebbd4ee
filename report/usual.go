package report

import (
	"fmt"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/normal"
	"gobench/record"
)

// usual returns lines that compare the ends of the headline, a small message and the peak, with
// what is usual on machines of this kind, and with what this machine allows. It is empty where
// neither is known.
func (s *firstScreen) usual() []string {
	var parts []string
	sourced, unusual := false, false
	for _, p := range s.panels[:min(1, len(s.panels))] { // ping-pong comes first
		for _, l := range p.lanes {
			if l.other {
				continue
			}
			spots := p.spots()
			for i, spot := range spots {
				c, key := spot.pick(l)
				if i > 0 && i < len(spots)-1 || c == nil || len(parts) == maxUsual {
					continue
				}
				text, from, odd := s.usualText(l, &c.row, key)
				sourced, unusual = sourced || from, unusual || odd
				if text != "" {
					parts = collect.Union(parts, text)
				}
			}
		}
	}
	if len(parts) == 0 {
		return nil
	}
	text, word := strings.Join(parts, "; ")+".", "BOUND"
	if sourced {
		word = "USUAL"
		text += " Sources: gobench explain usual"
	}
	if unusual {
		word = "UNUSUAL"
	}
	return cut(wrapped(word, text, s.terminal.Width), s.trustLines(), s.terminal.Width)
}

// maxUsual bounds the numbers that are compared.
const maxUsual = 4

// usualText compares one number, "" if nothing is known about it. from reports whether a range with
// sources is part of it, and odd whether the number is outside of that, on the worse side.
func (s *firstScreen) usualText(l *lane, r *record.Point, key string) (text string, from, odd bool) {
	run := s.runOf(r)
	v := r.Metrics.Median(key)
	unit, factor := Scale(key)
	number := func(x float64) string { return human.Rounded(x*factor, 2) }
	text = fmt.Sprintf("%s %s %s", l.of, number(v), unit)
	u, from := normal.Usual(r, run, key)
	b, bounded := normal.Of(r, run, key)
	if v == 0 || !from && !bounded {
		return "", false, false
	}
	var parts []string
	if from {
		lower := key == "half_rtt_s"
		odd = v > u.Hi && lower || v < u.Lo && !lower
		part := fmt.Sprintf("%s to %s for %s", trimmed(number(u.Lo)), trimmed(number(u.Hi)), u.Class)
		if odd {
			part = "not " + part
		}
		parts = append(parts, part)
	}
	switch {
	case bounded && key == "half_rtt_s":
		parts = append(parts, b.Reason)
	case bounded:
		parts = append(parts, fmt.Sprintf("%.0f %% of %s", 100*b.Share(v), b.Reason))
	}
	return text + ": " + strings.Join(parts, ", "), from, odd
}

// trimmed removes zeros after the decimal point: 3.0 is 3.
func trimmed(number string) string {
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number
}

// runOf returns the run of a row, nil if the records lack it.
func (s *firstScreen) runOf(r *record.Point) *record.Run {
	if c := s.cellOf(r); c != nil {
		return c.Run
	}
	return nil
}
