package document

import (
	"fmt"

	"gobench/report/cell"
	"gobench/report/host"
)

// doubts are what a reader should know before believing a number.
func doubts(s *cell.Set) []string {
	var list []string
	wide, without := 0, 0
	for _, p := range s.Points {
		switch p.Stopped {
		case "budget", "interrupted":
			wide++
		}
		if !sure(p) {
			without++
		}
	}
	if wide > 0 {
		list = append(list, fmt.Sprintf("%d of %d records ended before the precision asked for was reached.", wide, len(s.Points)))
	}
	if without > 0 {
		list = append(list, fmt.Sprintf("%d of %d records have no interval: too few independent samples.", without, len(s.Points)))
	}
	if names := hosts(s); len(names) > 1 {
		list = append(list, fmt.Sprintf("The records come from %d machines. A difference between them is one of machines too.", len(names)))
	}
	if h := hypervisor(s); h != "" {
		list = append(list, "At least one machine is a virtual one ("+h+"): its cores may change places while it measures.")
	}
	if n := len(commits(s)); n > 1 {
		list = append(list, fmt.Sprintf("%d versions of the program made these records.", n))
	}
	list = append(list, s.Warnings...)
	warnings := cell.Warnings(s.Points)
	if len(warnings) > 6 {
		warnings = append(warnings[:6], fmt.Sprintf("%d more kinds of warnings are in the records", len(warnings)-6))
	}
	for _, w := range warnings {
		list = append(list, "The records warn: "+w+".")
	}
	return list
}

// sure reports that any metric of a point has an interval.
func sure(p cell.Point) bool {
	for _, v := range p.Metrics {
		if v.Lo > 0 || v.Hi > 0 {
			return true
		}
	}
	return false
}

// hosts are the names of all machines.
func hosts(s *cell.Set) map[string]bool {
	names := map[string]bool{}
	for _, r := range s.Runs {
		for _, f := range host.Of(r) {
			names[f.Hostname] = true
		}
	}
	return names
}

// commits are the versions of the program that made the records.
func commits(s *cell.Set) map[string]bool {
	all := map[string]bool{}
	for _, r := range s.Runs {
		if m, ok := r.Program.(map[string]any); ok {
			if c, ok := m["commit"].(string); ok {
				all[c] = true
			}
		}
	}
	return all
}

// hypervisor names that of the first virtual machine, empty where none is.
func hypervisor(s *cell.Set) string {
	for _, r := range s.Runs {
		for _, f := range host.Of(r) {
			if f.Virtual() {
				return f.Hypervisor
			}
		}
	}
	return ""
}
