package survey

import (
	"fmt"
	"io"
	"strings"

	"gobench/internal/terminal"
	"gobench/launch/host"
)

// Print writes the survey for people.
func (s *Survey) Print(w io.Writer) error {
	p := &page{width: terminal.Of(w).Width}
	p.section("Transports")
	for _, t := range s.Transports {
		p.line(t.Name, t.About+"; levels "+strings.Join(t.Levels, ", "))
		if !t.Usable {
			p.line("", "NOT USABLE HERE: "+t.Reason)
			if t.Remedy != "" {
				p.line("", "remedy: "+t.Remedy)
			}
		}
		for _, o := range t.Options {
			p.line("", fmt.Sprintf("--set %s=%s  %s", o.Name, o.Default, o.Help))
		}
	}
	p.section("Launcher")
	p.line(s.Launcher.Name, s.Launcher.About)
	p.section("Clock")
	p.line("source", s.Clock.Source)
	p.line("cost", fmt.Sprintf("%.0f ns for a reading", s.Clock.Cost*1e9))
	p.line("resolution", fmt.Sprintf("%.0f ns", s.Clock.Resolution*1e9))
	p.section("Cores")
	p.line("usable", fmt.Sprintf("%d: %s", len(s.Cores), host.FormatCores(s.Cores)))
	_, err := io.WriteString(w, p.String())
	return err
}
