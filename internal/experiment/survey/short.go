package survey

import (
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/launch/detect"
	"gobench/internal/remedy"
	"gobench/internal/report/normal"
	"gobench/internal/terminal"
	"gobench/nearest"
	"gobench/record"
)

// Print writes what people ask for first, in about a dozen lines of the width of the terminal:
// which transports work, why the others do not, launchers, cores and their distance, memory,
// network and profile.
func (s *Survey) Print(w io.Writer) error {
	p := &short{width: terminal.Of(w).Width}
	works := collect.Each(collect.If(s.Transports, func(t Transport) bool { return t.Usable }), func(t Transport) string { return t.Name })
	p.line("works", strings.Join(works, ", "))
	s.broken(p)
	launcher := fmt.Sprintf("gobench starts ranks here, and by ssh (%v)", remedy.Named("hosts"))
	if s.Launcher.Name != "singleton" {
		launcher = s.Launcher.about()
	} else if found := installed(); len(found) > 0 {
		launcher += "; also " + strings.Join(found, ", ")
	}
	p.line("launchers", launcher)
	p.line("cores", s.coresText())
	p.line("distance", s.distanceText())
	m := s.Host.Memory
	if m.Total != nil && m.Available != nil {
		p.line("memory", fmt.Sprintf("%.1f GiB, %.1f GiB available, huge pages %s; %s", gib(*m.Total), gib(*m.Available), either(m.THP, "unknown"), ptrace(s.Host.Limits.PtraceScope)))
	}
	run := &record.Run{Hosts: []any{s.Host}}
	for _, l := range normal.Links(run) {
		p.line("network", fmt.Sprintf("%s: at most %.3g GB/s (%s)", l.Name, l.Value/1e9, l.Reason))
	}
	p.line("clock", fmt.Sprintf("%s, %.0f ns for a reading, steps of %.0f ns", s.Clock.Source, s.Clock.Cost*1e9, s.Clock.Resolution*1e9))
	profile := "none yet: the next command that measures makes it"
	if s.Profile.Hash != "" {
		profile = s.Profile.Hash + ", of this machine and program"
	}
	p.line("profile", profile+"; collectives by "+s.Collective.Table)
	if s.Collective.Warning != "" {
		p.line("", s.Collective.Warning)
	}
	p.line("more", fmt.Sprintf("gobench probe smem (its options), %v, %v", remedy.Named("full"), remedy.Named("json")))
	_, err := io.WriteString(w, p.String())
	return err
}

// PrintTransport writes one transport with all its options. An unknown name is a
// *nearest.UnknownError.
func (s *Survey) PrintTransport(w io.Writer, name string) error {
	var known []string
	if d, err := device.Lookup(name); err == nil {
		name = d.Name() // of an alias
	}
	for _, t := range s.Transports {
		if known = append(known, t.Name); t.Name != name {
			continue
		}
		p := &page{width: terminal.Of(w).Width}
		p.transport(t)
		if !t.Usable {
			p.options(t)
		}
		_, err := io.WriteString(w, p.String())
		return err
	}
	return &nearest.UnknownError{What: "transport", Name: name, Known: known}
}

// installed returns the launchers of others on the path of this user.
func installed() (found []string) {
	for _, b := range detect.Bootstraps {
		if b.Programs == nil {
			continue
		}
		if _, err := exec.LookPath(b.Programs[0]); err == nil {
			found = append(found, b.Programs[0])
		}
	}
	return found
}

// short lays out one line for each name, longer texts on the next lines.
type short struct {
	strings.Builder
	width int
}

func (p *short) line(name, text string) {
	if text != "" {
		p.WriteString(terminal.Hang(fmt.Sprintf("%-10s ", name), text, p.width))
	}
}

// notBuilt begins the reason of a transport that this program lacks.
const notBuilt = "this gobench was built without "

// broken writes the transports that cannot be used: those that are not part of this program in one
// line, each other with its reason.
func (s *Survey) broken(p *short) {
	var without []string
	name := "does not"
	for _, t := range s.Transports {
		if !t.Usable && strings.HasPrefix(t.Reason, notBuilt) {
			without = append(without, t.Name)
		}
	}
	for _, t := range s.Transports {
		if t.Usable || slices.Contains(without, t.Name) {
			continue
		}
		reason, _, _ := strings.Cut(t.Reason, " (")
		if t.Remedy != "" {
			reason += ": " + t.Remedy
		}
		p.line(name, t.Name+": "+reason)
		name = ""
	}
	if without != nil {
		p.line(name, strings.Join(without, ", ")+": not in this build; make build-full has all")
	}
}

// coresText describes the processors in one line.
func (s *Survey) coresText() string {
	c := s.Host.CPU
	words := []string{s.Host.Limits.Cores}
	if c.Model != "" {
		words = append(words, c.Model)
	}
	if c.Packages != nil && c.Cores != nil && c.Threads != nil {
		words = append(words, human.Count(*c.Packages, "socket", "sockets"), human.Count(*c.Cores, "core", "cores"), human.Count(*c.Threads, "thread", "threads"))
	}
	if h := s.Host.Hypervisor; h != "" && h != "none" {
		words = append(words, h+" guest")
	}
	if c.Governor != "" {
		words = append(words, "governor "+c.Governor)
	}
	return strings.Join(append(words, "vectors "+s.Collective.SIMD), ", ")
}

// distanceText describes the time of a cache line between cores, and whether it is usual.
func (s *Survey) distanceText() string {
	if len(s.Distances) == 0 {
		return ""
	}
	closest, farthest := s.Distances[0], s.Distances[0]
	for _, d := range s.Distances {
		if d.Distance < closest.Distance {
			closest = d
		}
		if d.Distance > farthest.Distance {
			farthest = d
		}
	}
	text := fmt.Sprintf("a cache line takes %.0f ns from core %d to %d", closest.Distance*1e9, closest.A, closest.B)
	if farthest != closest {
		text += fmt.Sprintf(", %.0f ns from %d to %d", farthest.Distance*1e9, farthest.A, farthest.B)
	}
	var usual []string
	for _, class := range []string{"near cores", "cores of one socket", "cores of two sockets"} {
		if r, ok := normal.UsualOf(class, "distance_s"); ok {
			usual = append(usual, fmt.Sprintf("%s %.0f to %.0f", class, r.Lo*1e9, r.Hi*1e9))
		}
	}
	return text + "; usual: " + strings.Join(usual, ", ") + " (sources: gobench explain usual)"
}
