package capsule

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"gobench/compare"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/document"
	"gobench/internal/report/markdown"
	"gobench/record"
)

// License is the text of the file LICENSE where Options have no other one.
const License = `The records and texts in this archive are licensed under the Creative Commons Attribution 4.0
International License.

SPDX-License-Identifier: CC-BY-4.0
https://creativecommons.org/licenses/by/4.0/legalcode
`

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// contents returns the files of a capsule by name, without their sums.
func contents(set *cell.Set, o Options) (map[string][]byte, error) {
	steps, names := document.Repeat(set)
	files := map[string][]byte{"LICENSE": []byte(License), "CITATION.cff": []byte(citation(o))}
	if o.License != "" {
		text, err := os.ReadFile(o.License)
		if err != nil {
			return nil, err
		}
		files["LICENSE"] = text
	}
	for i, name := range names {
		text, err := os.ReadFile(set.Files[i])
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(set.Files[i], ".gz") {
			name += ".gz"
		}
		files[path.Join(records, name)] = text
	}
	for _, s := range steps {
		if s.File != "" {
			files[path.Join("plan", s.File)] = []byte(strings.Join(s.Lines, "\n") + "\n")
		}
	}
	files["reproduce.sh"] = []byte("#!/bin/sh\n# Run it in an empty directory.\n" + strings.Join(document.Shell(steps), "\n") + "\n")
	hosts, err := json.MarshalIndent(machines(set), "", "  ")
	if err != nil {
		return nil, err
	}
	files["hosts.json"] = append(hosts, '\n')
	claims, err := Claims(set.Sources)
	if err != nil {
		return nil, err
	}
	if files["claims.csv"], err = table(claims); err != nil {
		return nil, err
	}
	files["README.md"] = readme(set, claims, o)
	return files, nil
}

// machines returns the facts of all hosts as recorded, each once.
func machines(set *cell.Set) []any {
	var list []any
	seen := map[string]bool{}
	for _, r := range set.Runs {
		for _, h := range r.Hosts {
			if b, err := json.Marshal(h); err == nil && !seen[string(b)] {
				seen[string(b)] = true
				list = append(list, h)
			}
		}
	}
	return list
}

// hosts returns the hosts of records: "n1, AMD EPYC 7B12, 2 cores, kernel 6.1".
func hosts(set *cell.Set) (list []string) {
	for _, r := range set.Runs {
		for _, h := range set.Hosts(r) {
			list = append(list, h.String())
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Expected returns the time that the measurements took, and so about that of their repetition.
func Expected(then []compare.Source) time.Duration { return expected(cell.SetOf(then)) }

func expected(set *cell.Set) time.Duration {
	seconds := 0.0
	swept := map[string]bool{}
	for _, l := range set.Launches {
		seconds += l.Duration
		swept[l.Run], swept[cmp.Or(l.Series, l.Run)] = true, true
	}
	last := map[*record.Run]float64{} // end of the last point, since the begin of the run
	for _, p := range set.Points {
		if r := p.Run; r != nil && !swept[r.ID] && !swept[r.Series] && !r.Time.IsZero() {
			last[r] = max(last[r], p.Time.Sub(r.Time).Seconds()+p.Duration)
		}
	}
	for _, r := range set.Runs {
		seconds += last[r]
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}

func citation(o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cff-version: 1.2.0\nmessage: If you use these measurements, please cite them.\ntype: dataset\ntitle: %s\nauthors:\n", quoted(o.title()))
	for _, name := range o.Authors {
		given, family := "", name
		if i := strings.LastIndexByte(name, ' '); i >= 0 {
			given, family = name[:i], name[i+1:]
		}
		fmt.Fprintf(&b, "  - family-names: %s\n", quoted(family))
		if given != "" {
			fmt.Fprintf(&b, "    given-names: %s\n", quoted(given))
		}
	}
	if len(o.Authors) == 0 {
		b.WriteString("  - name: \"The authors of these measurements\"\n")
	}
	if o.License == "" {
		b.WriteString("license: CC-BY-4.0\n")
	}
	fmt.Fprintf(&b, "date-released: %s\n", o.Time.UTC().Format(time.DateOnly))
	return b.String()
}

// quoted returns a text as a double-quoted scalar of YAML, which has the escapes of JSON.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string can always be encoded
	return string(b)
}

func (o Options) title() string { return cmp.Or(o.Title, "Measurements of communication by gobench") }

// table formats claims as CSV, in the units of the records.
func table(claims []Claim) ([]byte, error) {
	rows := [][]string{{"claim", "metric", "unit", "median", "lo", "hi", "launches", "tolerance"}}
	number := func(v float64) string {
		if v == 0 {
			return ""
		}
		return fmt.Sprintf("%.6g", v)
	}
	for _, c := range claims {
		rows = append(rows, []string{c.Name, c.Metric.Key, c.Metric.Unit, number(c.Value.Median), number(c.Value.Lo), number(c.Value.Hi), fmt.Sprint(c.Launches), number(c.Tolerance)})
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

// readme returns the text that a visitor reads first.
func readme(set *cell.Set, claims []Claim, o Options) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", markdown.Text(o.title()))
	fmt.Fprintf(&b, "%s of gobench in %s, measured on\n\n", human.Count(len(set.Points), "result", "results"), human.Count(len(set.Files), "file", "files"))
	for _, p := range hosts(set) {
		fmt.Fprintf(&b, "- %s\n", markdown.Text(p))
	}
	b.WriteString("\nThe facts of the machines are in `hosts.json`.\n\n## Repeating\n\n")
	fmt.Fprintf(&b, "`gobench rerun FILE.tar.zst` measures the same, which took about %v, and compares each claim.\n`reproduce.sh` has the commands for a shell. The files are checked by `sha256sum -c %s`.\n\n## Program\n\n", expected(set), sums)
	b.WriteString("| version | commit | SHA-256 of the program |\n|---|---|---|\n")
	var programs []string
	for _, r := range set.Runs {
		if r.Source == nil {
			programs = append(programs, fmt.Sprintf("| %s | %s | %s |\n", markdown.Text(r.Fact("version")), markdown.Text(r.Fact("commit")), markdown.Text(r.Fact("sha256"))))
		}
	}
	slices.Sort(programs)
	b.WriteString(strings.Join(slices.Compact(programs), ""))
	b.WriteString("\nA release is an archive of that version. From the source, `make build` at that commit, with the\ntoolchain that its `go.mod` names, gives the same bytes, unless the commit ends in `+modified`.\n\n## Claims\n\n")
	fmt.Fprintf(&b, "A claim holds if the median of a repetition is within the tolerance, which follows from the\nvariation between the launches here. `claims.csv` has all %d, in the units of the records.\n", len(claims))
	if len(claims) > 0 {
		b.WriteString("\n| claim | metric | median | launches | tolerance |\n|---|---|--:|--:|--:|\n")
	}
	for _, c := range claims[:min(len(claims), maxClaims)] {
		tolerance := "-"
		if c.Tolerance > 0 {
			tolerance = human.Percent(c.Tolerance) + " %"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s |\n", markdown.Text(c.Name), c.Metric.Name, Quantity(c.Metric, c.Value.Median), c.Launches, tolerance)
	}
	if left := len(claims) - maxClaims; left > 0 {
		fmt.Fprintf(&b, "\nand %d more in `claims.csv`.\n", left)
	}
	return []byte(b.String())
}

// maxClaims limits the claims of README.md.
const maxClaims = 40
