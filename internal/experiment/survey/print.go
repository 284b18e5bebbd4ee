package survey

import (
	"fmt"
	"io"
	"strings"

	"gobench/internal/human"
	"gobench/internal/launch/host"
	"gobench/internal/remedy"
	"gobench/internal/terminal"
)

// PrintAll writes the whole survey as text, wrapped at the width of the terminal.
func (s *Survey) PrintAll(w io.Writer) error {
	p := &page{width: terminal.Of(w).Width}
	p.section("Transports")
	for _, t := range s.Transports {
		p.transport(t)
	}
	p.section("Launchers")
	p.line("local", "works here: gobench p2p forks its own ranks on this machine")
	if s.Launcher.Name != "singleton" {
		p.line(s.Launcher.Name, s.Launcher.about())
	}
	p.section("Clock")
	p.line("source", s.Clock.Source)
	p.line("cost", fmt.Sprintf("%.0f ns for a reading", s.Clock.Cost*1e9))
	p.line("resolution", fmt.Sprintf("%.0f ns", s.Clock.Resolution*1e9))
	p.section("Cores")
	p.cores(s)
	p.section("Collectives")
	p.collectives(s.Collective)
	p.profile(s.Profile)
	p.section("Memory")
	p.memory(s.Host)
	_, err := io.WriteString(w, p.String())
	return err
}

func (l Launcher) about() string {
	s := fmt.Sprintf("%s; it started this process (%s)", l.About, l.Evidence)
	if !l.Spoken {
		s += ", but this gobench cannot take part in its job"
	}
	return s
}

func (p *page) transport(t Transport) {
	p.line(t.Name, t.About)
	if t.Usable {
		p.line("", "works here; levels "+strings.Join(t.Levels, ", "))
	} else {
		p.line("", "cannot be used here: "+t.Reason)
		if t.Remedy != "" {
			p.line("", "remedy: "+t.Remedy)
		}
		return // its options have no effect here; --json has them
	}
	p.options(t)
}

// options writes what the hardware of a transport can do, and the options of the transport.
func (p *page) options(t Transport) {
	for _, f := range t.Devices {
		p.line("", fmt.Sprintf("%s, %s: %s", f.Device, f.Name, f.Value))
	}
	wide := 0
	for _, o := range t.Options {
		wide = max(wide, len(remedy.Transport(o.Name, o.inForce()).String()))
	}
	for _, o := range t.Options {
		help := o.Help
		if len(o.Values) > 0 {
			help += " (" + strings.Join(o.Values, ", ") + ")"
		}
		if o.Table != "" {
			help += "; of the table, the default is " + o.Default
		}
		p.item(remedy.Transport(o.Name, o.inForce()).String(), wide, help)
	}
}

// inForce returns the value of the option where a command gives none.
func (o *Option) inForce() string {
	if o.Table != "" {
		return o.Table
	}
	return o.Default
}

func (p *page) cores(s *Survey) {
	c := s.Host.CPU
	if c.Model != "" {
		p.line("model", c.Model)
	}
	if c.Packages != nil && c.Cores != nil && c.Threads != nil {
		p.line("topology", strings.Join([]string{human.Count(*c.Packages, "package", "packages"), human.Count(*c.Cores, "core", "cores"), human.Count(*c.Threads, "thread", "threads"), human.Count(len(s.Host.NUMA), "NUMA node", "NUMA nodes")}, ", "))
	}
	p.line("usable", s.Host.Limits.Cores)
	if c.Governor != "" {
		p.line("governor", c.Governor)
	}
	if s.Host.Hypervisor != "" {
		p.line("hypervisor", s.Host.Hypervisor)
	}
	if v := s.Host.Virtualization; v != "" && v != "native" {
		p.line("virtualization", strings.ToUpper(v))
	}
	for i := 0; i < len(s.Distances); {
		a := s.Distances[i].A
		var row []string
		for ; i < len(s.Distances) && s.Distances[i].A == a; i++ {
			row = append(row, fmt.Sprintf("to %d %.0f ns", s.Distances[i].B, s.Distances[i].Distance*1e9))
		}
		p.line(fmt.Sprintf("core %d", a), strings.Join(row, ", "))
	}
	if len(s.Distances) > 0 {
		p.line("", "(half round trip of one cache line, best of many; near is about 30 ns, far 100 ns and more)")
	}
}

func (p *page) memory(h host.Facts) {
	m := h.Memory
	if m.Total != nil && m.Available != nil {
		p.line("size", fmt.Sprintf("%.1f GiB, %.1f GiB available, pages of %s", gib(*m.Total), gib(*m.Available), human.Size(int64(m.Page))))
	}
	if m.THP != "" {
		p.line("huge pages", fmt.Sprintf("transparent: %s, in shared memory: %s", m.THP, either(m.ShmemTHP, "unknown")))
	}
	if h.Limits.Locked != nil {
		p.line("lockable", human.Size(*h.Limits.Locked))
	} else {
		p.line("lockable", "unlimited")
	}
	p.line("cma", ptrace(h.Limits.PtraceScope))
}

// ptrace describes whether a rank may read the memory of another (process_vm_readv), which
// single-copy transfers of large messages need.
func ptrace(scope *int64) string {
	switch {
	case scope == nil:
		return "ranks may read each other's memory (this kernel has no ptrace scope)"
	case *scope == 0:
		return "ranks may read each other's memory (ptrace scope 0)"
	case *scope == 1:
		return "ranks may read each other's memory where they allow it (ptrace scope 1)"
	default:
		return fmt.Sprintf("ranks cannot read each other's memory (ptrace scope %d); for single copy: sudo sysctl kernel.yama.ptrace_scope=1", *scope)
	}
}

func gib(bytes int64) float64 { return float64(bytes) / (1 << 30) }

func either(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

// page lays out names and their descriptions in sections.
type page struct {
	strings.Builder
	width int // of the terminal; 0 = any
}

func (p *page) section(title string) {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.WriteString(title + "\n")
}

// line writes a name and its text.
func (p *page) line(name, s string) {
	p.WriteString(terminal.Hang(fmt.Sprintf("  %-12s ", name), s, p.width))
}

// item writes a line below that of line, with its name padded to width.
func (p *page) item(name string, width int, s string) {
	p.WriteString(terminal.Hang(fmt.Sprintf("  %-12s %-*s  ", "", width, name), s, p.width))
}
