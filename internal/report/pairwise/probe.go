package pairwise

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/pairs"
)

// PrintProbe writes what the hosts of a cluster have in common, what differs, and which cannot
// reach each other, as text of the given width, 0 = not wrapped.
func PrintProbe(w io.Writer, r *pairs.Result, width int) error {
	v, facts, remarks, reach := r.Verdict, r.Facts, r.Remarks, r.Reach
	var b strings.Builder
	line := lines(&b, width)
	line("", headline(v))
	line("", connections(reach))
	if common := common(facts); len(common) > 0 {
		line("", "on all hosts: "+strings.Join(common, ", "))
	}
	for _, f := range v.Findings {
		line("", fmt.Sprintf("%s: %s: %s", Name(f), f.Kind, strings.Join(f.Evidence, "; ")))
		if f.Advice != "" {
			line("  ", "do: "+f.Advice)
		}
	}
	for _, n := range remarks {
		if n.Kind == "" {
			line("", fmt.Sprintf("%s differs: %s", n.Host, n.Text))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// connections describes the connections between the hosts.
func connections(reach []pairs.Reach) string {
	works, long := 0, 0
	mtus := map[string]bool{}
	for _, r := range reach {
		if r.Failed != "" {
			continue
		}
		works++
		if r.Long {
			long++
		}
		if r.MTU > 0 {
			mtus[strconv.Itoa(r.MTU)] = true
		}
	}
	s := fmt.Sprintf("%d of %d connections between hosts work, %d also with long packets", works, len(reach), long)
	if len(mtus) > 0 {
		s += "; MTU of the paths: " + strings.Join(slices.Sorted(maps.Keys(mtus)), ", ")
	}
	return s
}

// common returns the facts that all hosts share.
func common(facts []pairs.Facts) (list []string) {
	if len(facts) == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(facts[0].Words)) {
		word := facts[0].Words[name]
		if word != "" && !slices.ContainsFunc(facts, func(f pairs.Facts) bool { return f.Words[name] != word }) {
			list = append(list, name+" "+word)
		}
	}
	return list
}

// suspects names findings that are not confirmed.
func suspects(list []pairs.Finding) string {
	return strings.Join(collect.Each(list, func(f pairs.Finding) string { return fmt.Sprintf("%s (%s)", Name(f), f.Kind) }), ", ")
}
