package scripts_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/internal/report/figure/scripts"
	"gobench/record"
)

// charts returns a figure for each form of series.
func charts() []*figure.Figure {
	set := func(f *record.File) *cell.Set {
		s := cell.NewSet()
		s.Add("a.jsonl", f)
		return s
	}
	p2p, kernels := set(figuretest.PingPong(8)), set(figuretest.Kernels())
	return []*figure.Figure{figure.PointToPoint(p2p)[0], figure.Ratios(p2p)[0], figure.Phases(kernels)[0], figure.OneCore(kernels)[0], figure.Pairs(set(figuretest.Pairs()))[0]}
}

// write writes the program of a figure and its values, and returns the name of the program.
func write(t *testing.T, dir string, f *figure.Figure, extension string) string {
	t.Helper()
	c := f.Chart()
	var values bytes.Buffer
	if err := figure.Data(&values, f); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, f.Name+extension)
	for path, text := range map[string]string{filepath.Join(dir, f.Name+".csv"): values.String(), program: scripts.Writers[extension](c, f.Name+".csv")} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return program
}

// Every program names the file of values and every series, and draws each curve of it.
func TestProgramsDrawAllCurves(t *testing.T) {
	for _, f := range charts() {
		for _, extension := range scripts.Extensions() {
			c := f.Chart()
			text := scripts.Writers[extension](c, "values.csv")
			if !strings.Contains(text, "values.csv") || strings.Contains(text, "%!") {
				t.Errorf("%s%s: %s", f.Name, extension, text)
			}
			if extension == ".vl.json" && !json.Valid([]byte(text)) {
				t.Errorf("%s%s is no JSON", f.Name, extension)
			}
			for _, p := range c.Panels {
				for _, s := range p.Series {
					if s.Form != figure.Cells && s.Name != "" && !strings.Contains(text, s.Name) {
						t.Errorf("%s%s has no %q", f.Name, extension, s.Name)
					}
				}
			}
		}
	}
}

// The names of files are themselves, whatever a program would make of them in a text.
func TestNamesOfFiles(t *testing.T) {
	for extension, want := range map[string][]string{
		".gp": {`'my_it''s.csv' skip 1`, `set output 'my_it''s.pdf'`},
		".py": {`open("my_it's.csv"`, `fig.savefig("my_it's.pdf")`},
		".R":  {`read.csv("my_it's.csv"`, `cairo_pdf("my_it's.pdf"`},
	} {
		text := scripts.Writers[extension](charts()[0].Chart(), "my_it's.csv")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %s:\n%s", extension, w, text)
			}
		}
	}
}

// values returns the number of values of a figure.
func values(f *figure.Figure) (n int) {
	for _, p := range f.Chart().Panels {
		for _, s := range p.Series {
			for _, d := range s.Values {
				if d.Median > 0 { // parts of no length are not drawn
					n++
				}
			}
		}
	}
	return n
}

// marksOf returns the number of marks and areas that gnuplot draws by a program.
func marksOf(t *testing.T, program string) int {
	t.Helper()
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	svg := regexp.MustCompile("(?m)^set (terminal|output) .*$").ReplaceAll(text, nil)
	cmd := exec.Command("gnuplot", "-e", "set terminal svg; set output 'marks.svg'", "-")
	cmd.Dir, cmd.Stdin = filepath.Dir(program), bytes.NewReader(svg)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	drawn, err := os.ReadFile(filepath.Join(filepath.Dir(program), "marks.svg"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(drawn, []byte("<use ")) + bytes.Count(drawn, []byte("<polygon "))
}

// pgfplots and gnuplot draw the programs as they are (scripts/install.sh installs them).
func TestProgramsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short leaves out TeX, which takes seconds")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("warning: ")) && name == "gnuplot" {
			t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	var tex strings.Builder
	tex.WriteString("\\documentclass{article}\\usepackage[utf8]{inputenc}\\usepackage{pgfplots}\\usepgfplotslibrary{groupplots}\\usetikzlibrary{calc}\\pgfplotsset{compat=1.17}\n\\begin{document}\n")
	_, noGnuplot := exec.LookPath("gnuplot")
	_, noTeX := exec.LookPath("pdflatex")
	if noGnuplot != nil && noTeX != nil {
		t.Skip("SKIPPED: neither gnuplot nor pdflatex is installed; make test installs them")
	}
	for _, f := range charts() {
		write(t, dir, f, ".tex")
		tex.WriteString("\\input{" + f.Name + ".tex}\n\n")
		program := write(t, dir, f, ".gp")
		if noGnuplot == nil {
			run("gnuplot", filepath.Base(program))
			if n, want := marksOf(t, program), values(f); n < want {
				t.Errorf("%s: gnuplot drew %d marks of %d values", f.Name, n, want)
			}
		}
	}
	if noTeX == nil {
		if err := os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(tex.String()+"\\end{document}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
	}
}
