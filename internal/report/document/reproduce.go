package document

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/launch/detect"
	"gobench/internal/report/cell"
	"gobench/internal/unpack"
	"gobench/record"
)

// A Command is the command that draws a report, so that the report can state it.
type Command struct {
	Flags  []string // --name=value, as typed, without those of Inputs and the output
	Output string   // file or directory that it writes
	Inputs []Input
}

// An Input is a text file that a flag names.
type Input struct {
	Flag, Path string
	Text       []byte
}

// Repeat returns the steps that repeat the measurements of a set in an empty directory, and the
// names of the files of records that they write, in the order of s.Files.
func Repeat(s *cell.Set) (steps []Step, names []string) {
	k := &script{}
	names = k.repeat(s)
	return k.steps, names
}

func (k *script) repeat(s *cell.Set) (names []string) {
	for i, source := range s.Sources {
		names = append(names, k.records(s.Files[i]))
		k.measure(source.File, names[i])
	}
	return names
}

// reproduce returns a script that repeats the measurements of a set and draws the report.
func reproduce(s *cell.Set, drawn Command) []Block {
	k := &script{}
	names := k.repeat(s)
	line := []string{"gobench", "report"}
	for _, flag := range drawn.Flags {
		line = append(line, k.flag(s, flag, names)...)
	}
	for _, in := range drawn.Inputs {
		name := k.name(in.Path)
		k.file(name, record.PlanLines(in.Text))
		line = append(line, in.Flag+"="+name)
	}
	if drawn.Output != "" {
		name := k.name(drawn.Output)
		if strings.HasSuffix(drawn.Output, "/") {
			name += "/"
		}
		line = append(line, "-o", name)
	}
	k.run(1, line[0], append(line, names...)...)
	blocks := []Block{
		Text("Pasted into a shell in an empty directory, these lines repeat the measurements and draw the report from them. The programs (" + strings.Join(programs(s), ", ") + ") must be in the PATH. This report was drawn from the files below and from nothing else."),
		Code(Shell(k.steps)),
	}
	t := Table{Title: "Files", Columns: []string{"file", "SHA-256"}}
	for _, name := range s.Files {
		sum, err := digest(name)
		if err != nil {
			sum = "cannot be read any more"
		}
		t.Rows = append(t.Rows, []Field{words(name), words(sum)})
	}
	return append(blocks, t)
}

// flag returns a flag of the command that drew the report as it holds for the files of the script,
// whose names are given in the order of s.Files; nothing if it does not hold for new records.
func (k *script) flag(s *cell.Set, typed string, names []string) []string {
	name, value, _ := strings.Cut(typed, "=")
	switch name {
	case "--command":
		k.comment("Without " + typed + ": new records have other IDs.")
		return nil
	case "--floor":
		if value == "" {
			return nil
		}
		file := k.name(value)
		k.comment("The records of the noise floor, " + file + ", must be here.")
		return []string{name + "=" + file}
	case "--base":
		r := s.Compare()
		if r == nil || r.By != "file" || len(r.Sides) == 0 {
			break
		}
		at := slices.IndexFunc(s.Sources, func(source compare.Source) bool { return source.Name == r.Sides[0].Name })
		if at >= 0 {
			return []string{name + "=" + cell.Labels(names)[at]}
		}
	}
	return []string{typed}
}

// programs returns the names of the programs of a set, sorted.
func programs(s *cell.Set) []string {
	list := []string{"gobench"}
	for _, source := range s.Sources {
		for _, r := range source.File.Runs {
			if by := launcherOf(&r); len(by) > 0 {
				list = append(list, filepath.Base(by[0]))
			}
			if len(r.Command) > 0 && r.Source == nil && !ofSweep(source.File, &r) {
				list = append(list, r.Command[0])
			}
		}
		for _, p := range source.File.Plans {
			if len(p.Command) > 0 {
				list = append(list, p.Command[0])
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// records returns the name of a file of records for the directory of the script. Commands write
// plain files, where these records were read from a compressed one.
func (k *script) records(path string) string { return k.name(unpack.Stem(path)) }

// measure adds the commands that make the records of a file under a new name.
func (k *script) measure(file *record.File, name string) {
	if directory := filepath.Dir(name); directory != "." {
		k.steps = append(k.steps, Step{Directory: directory})
	}
	for _, w := range sweepsIn(file) {
		k.sweep(w, name)
	}
	type command struct {
		words  []string
		runs   []*record.Run
		series map[string]bool
	}
	var commands []*command
	for i := range file.Runs {
		r := &file.Runs[i]
		if len(r.Command) == 0 || ofSweep(file, r) {
			continue
		}
		words := without(r.Command, "-o", "--output")
		at := slices.IndexFunc(commands, func(c *command) bool {
			return slices.Equal(c.words, words) && slices.Equal(c.runs[0].Job.StartedBy, r.Job.StartedBy)
		})
		if at < 0 {
			at = len(commands)
			commands = append(commands, &command{words: words, series: map[string]bool{}})
		}
		c := commands[at]
		c.runs = append(c.runs, r)
		c.series[cmp.Or(r.Series, r.ID)] = true
	}
	for _, c := range commands {
		k.again(c.words, c.runs, len(c.series), name)
	}
}

// again adds the command that made some runs, which are equal but for the number of ranks, n times.
func (k *script) again(words []string, runs []*record.Run, n int, name string) {
	largest := slices.MaxFunc(runs, func(a, b *record.Run) int { return a.Job.Ranks - b.Job.Ranks })
	if largest.Source != nil {
		k.run(1, words[0], append(k.logs(words, runs), "-o", name)...)
		return
	}
	for _, flag := range []string{"--profile", "--table"} { // the second is the former name
		if file := valueOf(words, flag); file != "" && file != "none" && file != "renew" {
			k.comment("The profile " + file + " must be here.")
		}
	}
	words = k.assigned(words, largest)
	words = append(words, "-o", name)
	switch before := slices.Clone(launcherOf(largest)); {
	case len(before) > 0:
		program := largest.Job.StartedBy[len(before)]
		for i, word := range before { // other ranks may have the same program with other flags
			if word == program {
				before[i] = words[0]
			}
		}
		if slices.ContainsFunc(before, func(word string) bool { return word == "" || strings.HasSuffix(word, "=") }) {
			k.comment("Values of environment variables are not recorded, as they may be secret: fill them in.")
		}
		k.run(n, words[0], append(before, words...)...)
	case largest.Job.Launcher == "meet":
		k.meeting(n, words, largest)
	default: // gobench started the ranks, or a launcher that is no ancestor of rank 0
		k.run(n, words[0], append(detect.Command(largest.Job.Launcher, max(1, len(largest.HostNames())), largest.Job.Ranks), words...)...)
	}
}

// logs returns the words of an import with the logs of its runs, which comments name, in place of
// their paths and directories.
func (k *script) logs(words []string, runs []*record.Run) []string {
	in := make([][]string, len(words)) // new names
	var others []string
	var known []record.Source
	for _, r := range runs {
		if r.Source == nil || slices.Contains(known, *r.Source) {
			continue
		}
		known = append(known, *r.Source)
		name := k.name(r.Source.Name)
		k.comment(fmt.Sprintf("The log %s, SHA-256 %s, must be here.", name, r.Source.SHA256))
		at := -1
		for _, is := range []func(word, log string) bool{
			func(word, log string) bool { return filepath.Clean(word) == filepath.Clean(log) },
			func(word, log string) bool { return filepath.Base(word) == filepath.Base(log) },
			func(word, log string) bool { // a directory
				below, err := filepath.Rel(word, log)
				return err == nil && word != "" && filepath.IsLocal(below)
			},
		} {
			for i := len(words) - 1; i > 1 && at < 0; i-- {
				if is(words[i], r.Source.Name) {
					at = i
				}
			}
		}
		if at < 0 {
			others = append(others, name)
		} else {
			in[at] = collect.Union(in[at], name)
		}
	}
	var all []string
	for i, word := range words {
		if in[i] == nil {
			all = append(all, word)
		}
		all = append(all, in[i]...)
	}
	return append(all, others...)
}

// launcherOf returns the words before the command of a run in the command line that started it,
// none if that does not end with the command.
func launcherOf(r *record.Run) []string {
	by := r.Job.StartedBy
	at := len(by) - len(r.Command)
	if at < 1 || len(r.Command) == 0 || !slices.Equal(by[at+1:], r.Command[1:]) {
		return nil
	}
	return by[:at]
}

// placed returns the words of a command with the hosts of its largest run, where it took them from
// a file or from a scheduler, and writes the files that it needs.
func (k *script) assigned(words []string, r *record.Run) []string {
	names := r.HostNames()
	if r.Job.Launcher != "ssh" || len(names) < 2 {
		return words
	}
	hosts := make([]string, len(r.Job.Hosts)) // of the ranks
	slots := map[string]int{}
	for rank, at := range r.Job.Hosts {
		name := r.HostName(at)
		if name == "" {
			k.comment("The records do not name all hosts: the next command needs them in place of those of a file or a scheduler.")
			return words
		}
		hosts[rank] = name
		slots[name]++
	}
	if file := valueOf(words, "--map"); strings.ContainsAny(file, "./") {
		k.file(k.name(file), hosts)
		words = append(without(words, "--map"), "--map="+k.name(file))
	}
	file := valueOf(words, "--hostfile")
	if file != "" {
		lines := collect.Each(names, func(name string) string { return fmt.Sprintf("%s slots=%d", name, slots[name]) })
		k.file(k.name(file), lines)
		return append(without(words, "--hostfile"), "--hostfile="+k.name(file))
	}
	if valueOf(words, "--hosts") == "" { // of a scheduler
		list := collect.Each(names, func(name string) string { return fmt.Sprintf("%s:%d", name, slots[name]) })
		words = append(words, "--hosts="+strings.Join(list, ","))
	}
	return words
}

// meeting adds the commands of ranks that were started by hand, one for each, n times. Those of
// other hosts than that of rank 0 are comments.
func (k *script) meeting(n int, words []string, r *record.Run) {
	hosts := make([]string, max(1, r.Job.Ranks))
	for rank := range hosts {
		at := 0
		if rank < len(r.Job.Hosts) {
			at = r.Job.Hosts[rank]
		}
		hosts[rank] = cmp.Or(r.HostName(at), fmt.Sprintf("host %d", at+1))
	}
	k.shell("export GOBENCH_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')")
	if slices.ContainsFunc(hosts, func(name string) bool { return name != hosts[0] }) {
		k.comment("The other hosts need this secret, too: echo $GOBENCH_SECRET")
	}
	words = without(words, "--node")
	if slices.Contains(r.HostNames(), hosts[0]) && valueOf(words, "--meet") == "" { // it was in the environment
		words = append(words, "--meet="+hosts[0]+":7575")
	}
	for range n {
		for rank := len(hosts) - 1; rank >= 0; rank-- {
			one := slices.Concat(words[:2], []string{fmt.Sprintf("--node=%d/%d", rank, len(hosts))}, words[2:])
			step := Step{Words: one, Background: rank > 0}
			if hosts[rank] != hosts[0] {
				step.Host = hosts[rank]
			}
			k.steps = append(k.steps, step)
		}
		k.shell("wait")
	}
}

// A sweepRun is a sweep with one seed, and the number of its launches in the records.
type sweepRun struct {
	name     string
	id       string
	plan     *record.Plan // nil in records of earlier versions
	seed     int64
	launches int
}

// sweepsIn returns the sweeps that made launches of a file.
func sweepsIn(file *record.File) []sweepRun {
	var list []sweepRun
	for _, l := range file.Launches {
		i := slices.IndexFunc(list, func(w sweepRun) bool { return w.name == l.Sweep && w.id == l.Plan && w.seed == l.Seed })
		if i < 0 {
			i = len(list)
			w := sweepRun{name: l.Sweep, id: l.Plan, seed: l.Seed}
			for j := range file.Plans {
				if p := &file.Plans[j]; p.ID == l.Plan {
					w.plan = p
				}
			}
			list = append(list, w)
		}
		list[i].launches++
	}
	return list
}

// sweep adds the plan of a sweep, and the command that makes the same launches in the same order.
func (k *script) sweep(w sweepRun, name string) {
	words, file := []string{"gobench"}, ""
	var flags []string
	if w.plan == nil {
		file = k.name(cmp.Or(w.name, "sweep") + ".toml")
		k.comment(fmt.Sprintf("These records do not have the plan of the sweep, %s: %s must be here.", cmp.Or(w.id, "of no identifier"), file))
	} else {
		file = k.name(cmp.Or(w.plan.File, "sweep.toml"))
		k.file(file, w.plan.Lines)
		if c := w.plan.Command; len(c) > 2 {
			words = c[:1]
			for _, word := range without(c[2:], "-o", "--output", "--seed", "--json", "--csv") {
				if filepath.Base(word) != w.plan.File {
					flags = append(flags, word)
				}
			}
		}
	}
	k.comment(fmt.Sprintf("%s: %s", cmp.Or(w.name, "sweep"), human.Count(w.launches, "launch", "launches")))
	k.run(1, words[0], slices.Concat(words, []string{"sweep", file}, flags, []string{fmt.Sprintf("--seed=%d", w.seed), "-o", name})...)
}

// ofSweep reports whether a launch of a sweep made a run.
func ofSweep(file *record.File, r *record.Run) bool {
	return slices.ContainsFunc(file.Launches, func(l record.Launch) bool {
		return l.Run == r.ID || l.Series != "" && l.Series == r.Series
	})
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
