// Package document turns records into reports: single figures, or documents with the results on the
// first page, machines, figures, tables, commands to reproduce it, and the rules of good practice.
package document

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/exit"
	"gobench/internal/human"
	"gobench/internal/remedy"
	"gobench/internal/report/cell"
	"gobench/internal/report/claims"
	"gobench/internal/report/export"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/scripts"
	"gobench/internal/report/published"
	"gobench/internal/report/style"
	"gobench/record"
)

// An Output selects what Write writes.
type Output struct {
	Path    string   // .html, .pdf, .md, .png, .svg, .csv, one of scripts.Extensions, or a directory
	Figures []string // names of kinds of figures or of single figures; empty = all that the records allow
	Tables  []string // names of parts that are written alone, as .tex, .md or .csv, instead of figures

	// Claims are results about the claims of Work, a publication. They are a section of a document;
	// as Markdown and CSV they are all that is written.
	Claims []claims.Result
	Work   string

	Style   style.Sheet // of figures
	Command Command     // for the document
}

// A PathError reports that the output format cannot be derived from a file name.
type PathError struct{ Path string }

func (e *PathError) Error() string {
	return fmt.Sprintf("cannot tell from the name %q what to write: want .html, .pdf, .md, .png, .svg, .csv, %s, or a directory that ends in /", e.Path, strings.Join(scripts.Extensions(), ", "))
}

// A FormatError reports that tables are not written in the format of a file name.
type FormatError struct{ Path string }

func (e *FormatError) Error() string {
	return fmt.Sprintf("tables are not written as %s: want .tex, .md or .csv", filepath.Base(e.Path))
}

// A ClaimsError reports that claims, which are a table, were asked for as a picture.
type ClaimsError struct{}

func (*ClaimsError) Error() string {
	return fmt.Sprintf("claims are a table: want .csv, .md, .html, .pdf, or a directory, and no %v", remedy.Named("figure"))
}

// An EmptyError reports that the records contain nothing to draw.
type EmptyError struct{ What string }

func (e *EmptyError) Error() string { return "there is nothing to draw: " + e.What }

// Names returns a line for each figure that Write draws of a set by its name, and for each kind.
func Names(s *cell.Set) []string {
	lines := collect.Each(figure.Kinds, func(k figure.Kind) string { return fmt.Sprintf("%-14s kind: %s", k.Name, k.Shows) })
	for _, f := range figure.Every(s) {
		lines = append(lines, fmt.Sprintf("%-14s %s", f.Name, f.Title))
	}
	return lines
}

// Write writes the report. It returns the names of the files written, and notes for the user.
// Errors are a *PathError, a *FormatError, a *nearest.UnknownError, an *EmptyError, or errors of
// writing.
func Write(s *cell.Set, o Output) (files, remarks []string, err error) {
	w := &writer{}
	remarks, err = o.write(w, s)
	return w.files, remarks, cmp.Or(err, w.err)
}

func (o *Output) write(w *writer, s *cell.Set) (remarks []string, err error) {
	ext := strings.TrimPrefix(extension(o.Path), ".")
	if isDir(o.Path) {
		ext = "dir"
	}
	picture := ext == "png" || ext == "svg" || scripts.Writers["."+ext] != nil // or the program that draws it
	if !picture && !slices.Contains([]string{"html", "pdf", "md", "csv", "dir"}, ext) {
		return nil, &PathError{o.Path}
	}
	if len(s.Points) == 0 {
		return nil, &EmptyError{"these files hold no results"}
	}
	if len(o.Tables) > 0 {
		d, err := partsOf(s, o.Tables)
		if err == nil {
			err = w.part(d, o.Path)
		}
		return nil, err
	}
	if o.Claims != nil && (picture || len(o.Figures) > 0) {
		return nil, &ClaimsError{}
	}
	if o.Claims != nil && ext == "csv" {
		w.create(o.Path, func(out io.Writer) error { return claims.CSV(out, o.Claims) })
		return nil, nil
	}
	if o.Claims != nil && ext == "md" {
		d := &Document{Title: title(s), Sections: []Section{claimed(o.Work, o.Claims)}}
		return nil, w.part(d, o.Path)
	}
	figures, err := o.figures(s)
	if err == nil {
		err = figure.Restyle(figures, &o.Style)
	}
	if err == nil && len(figures) == 0 && (picture || ext == "csv") {
		err = &EmptyError{"these records fit no kind of figure"}
	}
	if err != nil {
		return nil, err
	}
	plate := ext == "pdf" && len(o.Figures) > 0
	switch {
	case ext == "csv":
		w.create(o.Path, func(out io.Writer) error { return figure.Data(out, figures...) })
	case picture && len(o.Figures) > 1:
		for _, f := range figures {
			w.draw(f, stem(o.Path)+"-"+f.Name+extension(o.Path), ext)
		}
	case picture, plate && len(figures) == 1:
		remarks = others(figures, o.Path)
		w.draw(figures[0], o.Path, ext)
	case plate:
		w.create(o.Path, plates(figures).PDF)
	case ext == "dir":
		w.everything(o.build(s, figures), figures, o.Path)
		w.parts(s, filepath.Join(o.Path, "tables"))
	case ext == "md":
		w.inDir(o.build(s, figures), figures, o.Path)
	case ext == "pdf":
		w.create(o.Path, o.build(s, figures).PDF)
	default:
		w.create(o.Path, o.build(s, figures).HTML)
	}
	return remarks, nil
}

// build builds the document, with the claims behind the answer.
func (o *Output) build(s *cell.Set, figures []*figure.Figure) *Document {
	d := Build(s, figures, o.Command)
	if o.Claims != nil {
		d.Sections = slices.Insert(d.Sections, 1, claimed(o.Work, o.Claims))
	}
	return d
}

// figures returns the figures of all names, each once, or all that the records allow.
func (o *Output) figures(s *cell.Set) ([]*figure.Figure, error) {
	if len(o.Figures) == 0 {
		return figure.All(s), nil
	}
	var all []*figure.Figure
	for _, name := range o.Figures {
		named, lacks := figure.Named, figure.Lacks
		if published.Is(name) {
			named, lacks = published.Named, published.Lacks
		}
		some, err := named(s, name)
		if err != nil {
			return nil, err
		}
		if len(some) == 0 {
			return nil, &EmptyError{fmt.Sprintf("these records have nothing for %v: %s", remedy.Set("figure", name), lacks(s, name))}
		}
		all = append(all, some...)
	}
	return collect.First(all, func(f *figure.Figure) string { return f.Name }), nil
}

// plates returns a document of figures alone.
func plates(figures []*figure.Figure) *Document {
	pictures := collect.Each(figures, func(f *figure.Figure) Block { return Picture{f} })
	return &Document{Title: human.Count(len(figures), "figure", "figures"), Sections: []Section{{"Figures", pictures}}}
}

// A writer creates files until one fails.
type writer struct {
	files []string
	err   error
}

func (w *writer) create(path string, write func(io.Writer) error) {
	if w.err == nil {
		if w.err = Create(path, write); w.err == nil {
			w.files = append(w.files, path)
		}
	}
}

// inDir writes the document as Markdown, and its figures into a directory beside it.
func (w *writer) inDir(d *Document, figures []*figure.Figure, path string) {
	dir := strings.TrimSuffix(path, filepath.Ext(path)) + "-figures"
	for _, f := range figures {
		w.image(f, filepath.Join(dir, f.Name+".svg"), "svg")
	}
	linkOf := func(name string) string { return filepath.ToSlash(filepath.Join(filepath.Base(dir), name+".svg")) }
	w.create(path, func(out io.Writer) error { return d.Markdown(out, linkOf) })
}

// everything writes the document in all formats, each figure in all image formats, and the values
// of its curves as CSV.
func (w *writer) everything(d *Document, figures []*figure.Figure, dir string) {
	w.inDir(d, figures, filepath.Join(dir, "report.md"))
	for _, f := range figures {
		for _, format := range figure.Formats {
			w.image(f, filepath.Join(dir, "figures", f.Name+"."+format), format)
		}
		w.beside(f, filepath.Join(dir, "figures", f.Name))
	}
	w.create(filepath.Join(dir, "report.html"), d.HTML)
	w.create(filepath.Join(dir, "report.pdf"), d.PDF)
	slices.Sort(w.files)
}

// isDir reports whether a path names an existing or new directory.
func isDir(path string) bool {
	if strings.HasSuffix(path, "/") {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// others returns a note with the names of the figures that a file does not show.
func others(figures []*figure.Figure, path string) []string {
	if len(figures) == 1 {
		return nil
	}
	names := collect.Each(figures[1:], func(f *figure.Figure) string { return f.Name })
	return []string{fmt.Sprintf("%s shows %s; choose another one with %v (%s), or all of them with %v", path, figures[0].Name, remedy.Named("figure"), strings.Join(names, ", "), remedy.Set("output", "FOLDER/"))}
}

// draw writes a figure, or the program that draws it, and, where it has no texts, its values and
// its caption beside it.
func (w *writer) draw(f *figure.Figure, path, format string) {
	program := scripts.Writers["."+format]
	if program == nil {
		w.image(f, path, format)
	} else {
		w.text(path, program(f.Chart(), filepath.Base(stem(path))+".csv"))
	}
	if program != nil || f.Bare() {
		w.beside(f, stem(path))
	}
}

// beside writes the values of a figure as CSV, and its caption as text.
func (w *writer) beside(f *figure.Figure, stem string) {
	w.create(stem+".csv", func(out io.Writer) error { return figure.Data(out, f) })
	w.text(stem+".txt", f.Text())
}

func (w *writer) image(f *figure.Figure, path, format string) {
	w.create(path, func(out io.Writer) error { return f.Write(out, format) })
}

func (w *writer) text(path, text string) {
	w.create(path, func(out io.Writer) error { _, err := io.WriteString(out, text); return err })
}

// stem returns a path without its extension.
func stem(path string) string { return strings.TrimSuffix(path, extension(path)) }

// extension returns the extension of a path, which has two parts for Vega-Lite.
func extension(path string) string {
	for _, e := range scripts.Extensions() {
		if strings.HasSuffix(path, e) {
			return e
		}
	}
	return filepath.Ext(path)
}

// Create writes a file and creates its directory. If it fails, a file of that name stays as it was.
// It does not replace a file of records, which is an error of usage.
func Create(path string, write func(io.Writer) error) error {
	if err := record.CheckReplace(path); err != nil {
		return &exit.UsageError{Err: err}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if err := export.Replace(path, write); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, export.Cause(err))
	}
	return nil
}
