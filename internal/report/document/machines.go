package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"gobench/internal/collect"
	"gobench/internal/report/cell"
	"gobench/internal/report/host"
	"gobench/internal/report/style"
	"gobench/record"
)

// machines returns the tables of machines and runs.
func machines(s *cell.Set) []Block {
	if len(s.Runs) == 0 {
		return []Block{Text("The records do not contain the machines on which they were measured.")}
	}
	blocks := machineTables(s)
	if t := libraries(s); len(t.Rows) > 0 {
		blocks = append(blocks, t)
	}
	return append(blocks, Folded{"Runs", []Block{runs(s)}})
}

// maxColumns bounds the machines of one table.
const maxColumns = 4

// A machine is a host with the software that ran on it.
type machine struct {
	host.Facts
	programs, libraries []string
}

// machineTables returns tables of at most maxColumns machines side by side.
func machineTables(s *cell.Set) (blocks []Block) {
	all := allMachines(s)
	for from := 0; from < len(all); from += maxColumns {
		blocks = append(blocks, sideBySide(all[from:min(from+maxColumns, len(all))]))
	}
	return blocks
}

// allMachines returns each machine of the records once, with the versions of gobench and its
// compiler, and of the libraries below the transports.
func allMachines(s *cell.Set) (all []*machine) {
	seen := map[string]*machine{}
	key := func(f host.Facts) string { return f.Hostname + f.Kernel + f.CPU.Model }
	add := func(list *[]string, text string) {
		if text != "" {
			*list = collect.Union(*list, text)
		}
	}
	for _, r := range s.Runs {
		for _, f := range s.Hosts(r) {
			m := seen[key(f)]
			if m == nil {
				m = &machine{Facts: f}
				seen[key(f)], all = m, append(all, m)
			}
			add(&m.programs, program(r))
		}
	}
	for _, p := range s.Rows {
		for _, f := range p.Hosts() {
			if m := seen[key(f)]; m != nil {
				add(&m.libraries, cmp.Or(p.Library, p.Options["library"]))
			}
		}
	}
	return all
}

// sideBySide returns the table of machines, a column for each.
func sideBySide(all []*machine) Table {
	t := Table{Title: "Machine " + all[0].Hostname, Columns: []string{"fact"}}
	if len(all) > 1 {
		t.Title = "Machines"
	}
	rows := map[string]int{}
	for i, f := range all {
		t.Columns = append(t.Columns, cmp.Or(f.Hostname, "value"))
		for _, fact := range facts(f) {
			at, ok := rows[fact[0]]
			if !ok {
				at = len(t.Rows)
				rows[fact[0]] = at
				row := make([]Field, 1+len(all))
				row[0] = words(fact[0])
				t.Rows = append(t.Rows, row)
			}
			t.Rows[at][1+i] = words(fact[1])
		}
	}
	return t
}

// facts returns the facts of a machine with their names.
func facts(f *machine) (list [][2]string) {
	add := func(name, value string, known bool) {
		if known {
			list = append(list, [2]string{name, value})
		}
	}
	add("processor", f.CPU.Model, f.CPU.Model != "")
	add("sockets, cores, threads", fmt.Sprintf("%d, %d, %d", f.CPU.Packages, f.CPU.Cores, f.CPU.Threads), f.CPU.Cores > 0)
	add("frequency governor", f.CPU.Governor, f.CPU.Governor != "")
	caches := collect.Each(f.DataCaches(), host.Cache.String)
	add("caches", strings.Join(caches, ", "), len(caches) > 0)
	add("NUMA nodes", fmt.Sprint(len(f.NUMA)), len(f.NUMA) > 0)
	add("memory", style.Number(float64(f.Memory.Total)/(1<<30))+" GiB", f.Memory.Total > 0)
	add("transparent huge pages", f.Memory.THP, f.Memory.THP != "")
	add("kernel", f.Kernel, f.Kernel != "")
	add("hypervisor", f.Hypervisor, f.Virtual())
	add("virtualization", strings.ToUpper(f.Virtualization), f.Virtual() && f.Virtualization != "")
	add("clock source", f.ClockSource, f.ClockSource != "")
	for _, n := range f.NICs {
		text := strings.TrimSpace(n.Driver + fmt.Sprintf(", MTU %d", n.MTU))
		if n.Rate > 0 {
			text += ", " + style.Number(float64(n.Rate)/1e9) + " Gbit/s"
		}
		if n.PCIe.Lanes > 0 {
			text += fmt.Sprintf(", PCIe x%d at %s GT/s", n.PCIe.Lanes, style.Number(n.PCIe.Rate))
		}
		if n.PCIe.Lanes < n.PCIe.MaxLanes {
			text += fmt.Sprintf(" (x%d is possible)", n.PCIe.MaxLanes)
		}
		if n.Access != "" {
			text += ", " + n.Access
		}
		add("network "+n.Name, strings.TrimPrefix(text, ", "), true)
	}
	add("program and compiler", strings.Join(f.programs, "; "), len(f.programs) > 0)
	add("libraries", strings.Join(f.libraries, "; "), len(f.libraries) > 0)
	return list
}

// libraries returns the table of libraries below the transports, such as MPI, and of programs whose
// logs were imported, with what they say of their versions.
func libraries(s *cell.Set) Table {
	t := Table{Title: "Libraries", Columns: []string{"library", "transport", "version", "records"}}
	rows := map[[3]string]int{}
	for _, p := range s.Points {
		name, version := p.Options["library"], p.Options["version"]
		if p.Library != "" {
			name, version = p.Library, ""
			if p.Run != nil && p.Run.Source != nil {
				version = p.Run.Fact("version")
			}
		}
		if name == "" && version == "" {
			continue
		}
		version = brief(version)
		key := [3]string{cmp.Or(name, p.Transport), p.Transport, version}
		i, ok := rows[key]
		if !ok {
			i = len(t.Rows)
			rows[key] = i
			t.Rows = append(t.Rows, []Field{words(key[0]), words(key[1]), words(key[2]), number(0, "")})
		}
		n := t.Rows[i][3].Value + 1
		t.Rows[i][3] = number(n, fmt.Sprint(n))
	}
	slices.SortFunc(t.Rows, func(a, b []Field) int {
		return cmp.Or(cmp.Compare(a[0].Text, b[0].Text), cmp.Compare(a[1].Text, b[1].Text))
	})
	return t
}

// brief returns the begin of what a library says of itself, on one line. Control characters were
// replaced when the records were read.
func brief(version string) string {
	line := []rune(strings.Join(strings.Fields(strings.ReplaceAll(version, "\ufffd", " ")), " "))
	if len(line) > 80 {
		return string(line[:80]) + "…"
	}
	return string(line)
}

// maxRuns bounds the runs that are listed individually.
const maxRuns = 20

func runs(s *cell.Set) Table {
	t := Table{Title: "Runs", Columns: []string{"run", "begin", "program", "ranks", "pinned to", "time lost to others", "clock"}}
	for i, r := range s.Runs {
		if i == maxRuns {
			t.Remark = fmt.Sprintf("%d more runs are in the records.", len(s.Runs)-i)
			break
		}
		lost := r.WorstNoise().Lost
		noise := Field{Text: "not probed"}
		if len(r.Noise) > 0 {
			noise = number(lost, style.Number(100*lost)+" %")
		}
		clock := "unknown"
		if len(r.Clocks) > 0 {
			c := r.Clocks[0]
			clock = fmt.Sprintf("%s, reading costs %s ns", c.Source, style.Number(c.Cost*1e9))
		}
		t.Rows = append(t.Rows, []Field{words(r.ID), words(dateOf(r.Time)), words(program(r)),
			number(float64(r.Job.Ranks), fmt.Sprintf("%d, launcher %s", r.Job.Ranks, r.Job.Launcher)), words(pinned(r.Job)), noise, words(clock)})
	}
	return t
}

// dateOf formats the time of a run, "unknown" if its log does not state it.
func dateOf(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.Format(time.DateTime)
}

func pinned(j record.Job) string {
	var cores []string
	for _, c := range j.Cores {
		if c >= 0 {
			cores = append(cores, fmt.Sprint(c))
		}
		if len(cores) == 16 {
			cores = append(cores, "...")
			break
		}
	}
	if len(cores) == 0 {
		return "not pinned"
	}
	return "cores " + strings.Join(cores, ",")
}

// program returns the version of the program that measured a run.
func program(r *record.Run) string {
	if len(r.Warnings) > 0 && strings.HasPrefix(r.Warnings[0], "imported from ") {
		return r.Warnings[0]
	}
	m, _ := r.Program.(map[string]any)
	var parts []string
	for _, key := range []string{"commit", "version", "go", "simd"} {
		v, _ := m[key].(string)
		if key == "commit" && len(v) > 12 {
			v = strings.ToValidUTF8(v[:12], "")
			if m["modified"] == true {
				v += "+"
			}
		}
		if v != "" && v != "(devel)" {
			parts = append(parts, v)
		}
	}
	if len(parts) == 0 {
		return "unknown"
	}
	return strings.Join(parts, ", ")
}
