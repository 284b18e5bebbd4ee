// Package document turns records into reports: single figures, or documents with the results on the
// first page, machines, figures, tables, commands to reproduce it, and the rules of good practice.
package document

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gobench/internal/human"
	"gobench/internal/remedy"
	"gobench/internal/report/cell"
	"gobench/internal/report/claims"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/scripts"
	"gobench/internal/report/published"
	"gobench/internal/report/style"
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
	return fmt.Sprintf("cannot tell from the name %q what to write: want .html, .pdf, .md, .png, .svg, .csv, %s, or a folder that ends in /", e.Path, strings.Join(scripts.Extensions(), ", "))
}

// A FormatError reports that tables are not written in the format of a file name.
type FormatError struct{ Path string }

func (e *FormatError) Error() string {
	return fmt.Sprintf("tables are not written as %s: want .tex, .md or .csv", filepath.Base(e.Path))
}

// A ClaimsError reports that claims, which are a table, were asked for as a picture.
type ClaimsError struct{}

func (*ClaimsError) Error() string {
	return fmt.Sprintf("claims are a table: want .csv, .md, .html, .pdf, or a folder, and no %v", remedy.Named("figure"))
}

// An EmptyError reports that the records contain nothing to draw.
type EmptyError struct{ What string }

func (e *EmptyError) Error() string { return "there is nothing to draw: " + e.What }

// Names returns a line for each figure that Write draws of a set by its name, and for each kind.
func Names(s *cell.Set) []string {
	var lines []string
	for _, k := range figure.Kinds {
		lines = append(lines, fmt.Sprintf("%-14s kind: %s", k.Name, k.Shows))
	}
	for _, f := range figure.Every(s) {
		lines = append(lines, fmt.Sprintf("%-14s %s", f.Name, f.Title))
	}
	return lines
}

// Write writes the report. It returns the names of the files written, and notes for the user.
// Errors are a *PathError, a *FormatError, a *nearest.UnknownError, an *EmptyError, or errors of
// writing.
func Write(s *cell.Set, o Output) (files, remarks []string, err error) {
	ext := strings.TrimPrefix(extension(o.Path), ".")
	if isDir(o.Path) {
		ext = "dir"
	}
	program := scripts.Writers["."+ext] != nil // that draws the figure
	if !program && !slices.Contains([]string{"html", "pdf", "md", "png", "svg", "csv", "dir"}, ext) {
		return nil, nil, &PathError{o.Path}
	}
	if len(s.Points) == 0 {
		return nil, nil, &EmptyError{"these files hold no results"}
	}
	if len(o.Tables) > 0 {
		d, err := partsOf(s, o.Tables)
		if err == nil {
			err = d.writePart(o.Path)
		}
		if err != nil {
			return nil, nil, err
		}
		return []string{o.Path}, nil, nil
	}
	if o.Claims != nil && (program || ext == "png" || ext == "svg" || len(o.Figures) > 0) {
		return nil, nil, &ClaimsError{}
	}
	if o.Claims != nil && (ext == "csv" || ext == "md") {
		d := &Document{Title: title(s), Sections: []Section{claimed(o.Work, o.Claims)}}
		err := Create(o.Path, func(f *os.File) error {
			if ext == "csv" {
				return claims.CSV(f, o.Claims)
			}
			return d.Markdown(f, nil)
		})
		return []string{o.Path}, nil, err
	}
	figures, err := o.figures(s)
	if err == nil {
		err = figure.Restyle(figures, &o.Style)
	}
	if err != nil {
		return nil, nil, err
	}
	switch {
	case ext == "csv":
		return data(figures, o.Path)
	case (program || ext == "png" || ext == "svg") && len(o.Figures) > 1:
		return images(figures, o.Path, ext)
	case program || ext == "png" || ext == "svg" || ext == "pdf" && len(o.Figures) > 0 && len(figures) == 1:
		return image(figures, o.Path, ext)
	case ext == "pdf" && len(o.Figures) > 0:
		if err := Create(o.Path, func(f *os.File) error { return plates(figures).PDF(f) }); err != nil {
			return nil, nil, err
		}
		return []string{o.Path}, nil, nil
	case ext == "dir":
		if files, err = everything(o.build(s, figures), figures, o.Path); err != nil {
			return files, nil, err
		}
		more, err := partsIn(s, filepath.Join(o.Path, "tables"))
		return append(files, more...), nil, err
	}
	d := o.build(s, figures)
	write := map[string]func(*os.File) error{
		"html": func(f *os.File) error { return d.HTML(f) },
		"pdf":  func(f *os.File) error { return d.PDF(f) },
	}
	if ext == "md" {
		files, err = inDir(d, figures, o.Path)
		return files, nil, err
	}
	if err := Create(o.Path, write[ext]); err != nil {
		return nil, nil, err
	}
	return []string{o.Path}, nil, nil
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
		for _, f := range some {
			if !slices.ContainsFunc(all, func(o *figure.Figure) bool { return o.Name == f.Name }) {
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// plates returns a document of figures alone.
func plates(figures []*figure.Figure) *Document {
	var pictures []Block
	for _, f := range figures {
		pictures = append(pictures, Picture{f})
	}
	return &Document{Title: human.Count(len(figures), "figure", "figures"), Sections: []Section{{"Figures", pictures}}}
}

// inDir writes the document as Markdown, and its figures into a directory beside it.
func inDir(d *Document, figures []*figure.Figure, path string) (files []string, err error) {
	dir := strings.TrimSuffix(path, filepath.Ext(path)) + "-figures"
	for _, f := range figures {
		name := filepath.Join(dir, f.Name+".svg")
		if err := drawFile(f, name, "svg"); err != nil {
			return files, err
		}
		files = append(files, name)
	}
	linkOf := func(name string) string { return filepath.ToSlash(filepath.Join(filepath.Base(dir), name+".svg")) }
	err = Create(path, func(f *os.File) error { return d.Markdown(f, linkOf) })
	if err != nil {
		return files, err
	}
	return append(files, path), nil
}

// everything writes the document in all formats, each figure in all image formats, and the values
// of its curves as CSV.
func everything(d *Document, figures []*figure.Figure, dir string) (files []string, err error) {
	files, err = inDir(d, figures, filepath.Join(dir, "report.md"))
	if err != nil {
		return files, err
	}
	for _, f := range figures {
		for _, format := range figure.Formats {
			name := filepath.Join(dir, "figures", f.Name+"."+format)
			if err := drawFile(f, name, format); err != nil {
				return files, err
			}
			files = append(files, name)
		}
		more, err := beside(f, filepath.Join(dir, "figures", f.Name))
		if files = append(files, more...); err != nil {
			return files, err
		}
	}
	for name, write := range map[string]func(*os.File) error{
		"report.html": func(f *os.File) error { return d.HTML(f) },
		"report.pdf":  func(f *os.File) error { return d.PDF(f) },
	} {
		name = filepath.Join(dir, name)
		if err := Create(name, write); err != nil {
			return files, err
		}
		files = append(files, name)
	}
	slices.Sort(files)
	return files, nil
}

// isDir reports whether a path names an existing or new directory.
func isDir(path string) bool {
	if strings.HasSuffix(path, "/") {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// image writes the first figure and returns a note with the names of the others.
func image(figures []*figure.Figure, path, format string) (files, remarks []string, err error) {
	if len(figures) == 0 {
		return nil, nil, &EmptyError{"these records fit no kind of figure"}
	}
	if len(figures) > 1 {
		var others []string
		for _, f := range figures[1:] {
			others = append(others, f.Name)
		}
		remarks = append(remarks, fmt.Sprintf("%s shows %s; choose another one with %v (%s), or all of them with %v", path, figures[0].Name, remedy.Named("figure"), strings.Join(others, ", "), remedy.Set("output", "FOLDER/")))
	}
	files, err = drawAs(figures[0], path, format)
	return files, remarks, err
}

// drawAs writes a figure, or the program that draws it, and, where it has no texts, its values and
// its caption beside it.
func drawAs(f *figure.Figure, path, format string) (files []string, err error) {
	write := scripts.Writers["."+format]
	stem := strings.TrimSuffix(path, extension(path))
	if write != nil {
		err = Create(path, func(file *os.File) error {
			_, err := file.WriteString(write(f.Chart(), filepath.Base(stem)+".csv"))
			return err
		})
	} else {
		err = drawFile(f, path, format)
	}
	if err != nil {
		return nil, err
	}
	files = []string{path}
	if write != nil || f.Bare() {
		more, err := beside(f, stem)
		return append(files, more...), err
	}
	return files, nil
}

// beside writes the values of a figure as CSV, and its caption as text.
func beside(f *figure.Figure, stem string) (files []string, err error) {
	for _, part := range []struct {
		name  string
		write func(*os.File) error
	}{
		{stem + ".csv", func(file *os.File) error { return figure.Data(file, f) }},
		{stem + ".txt", func(file *os.File) error { _, err := file.WriteString(f.Text()); return err }},
	} {
		if err := Create(part.name, part.write); err != nil {
			return files, err
		}
		files = append(files, part.name)
	}
	return files, nil
}

// extension returns the extension of a path, which has two parts for Vega-Lite.
func extension(path string) string {
	for _, e := range scripts.Extensions() {
		if strings.HasSuffix(path, e) {
			return e
		}
	}
	return filepath.Ext(path)
}

// images writes each figure to a file of its own, whose name ends in that of the figure.
func images(figures []*figure.Figure, path, format string) (files, remarks []string, err error) {
	for _, f := range figures {
		name := strings.TrimSuffix(path, extension(path)) + "-" + f.Name + extension(path)
		some, err := drawAs(f, name, format)
		if files = append(files, some...); err != nil {
			return files, nil, err
		}
	}
	return files, nil, nil
}

// data writes the values of figures to one file.
func data(figures []*figure.Figure, path string) (files, remarks []string, err error) {
	if len(figures) == 0 {
		return nil, nil, &EmptyError{"these records fit no kind of figure"}
	}
	if err := Create(path, func(f *os.File) error { return figure.Data(f, figures...) }); err != nil {
		return nil, nil, err
	}
	return []string{path}, nil, nil
}

// drawFile writes a figure to a file.
func drawFile(f *figure.Figure, path, format string) error {
	return Create(path, func(file *os.File) error { return f.Write(file, format) })
}

// Create writes a file and creates its directory. If it fails, a file of that name stays as it was.
func Create(path string, write func(*os.File) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".gobench-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	defer os.Remove(file.Name()) // fails once it was renamed
	err = write(file)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	return nil
}

// cause strips the name of the temporary file from an error.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
