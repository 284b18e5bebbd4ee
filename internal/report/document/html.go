package document

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"gobench/internal/parallel"
	"gobench/internal/report/figure"
)

// Parts of the page, which is one file without references to other files, servers or the network.
var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
	//go:embed page/page.js
	pageJS string
	//go:embed page/chart.js
	chartJS string
)

// page is parsed when a page is written: most processes write none.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"css":    func() template.CSS { return template.CSS(pageCSS) },
		"js":     func() template.JS { return template.JS(pageJS) },
		"chart":  func() template.JS { return template.JS(chartJS) },
		"kind":   kind,
		"lines":  func(c Code) string { return strings.Join(c, "\n") },
		"anchor": anchor,
		"csv":    values,
	}).Parse(pageHTML))
})

// HTML writes the document as one self-contained page.
func (d *Document) HTML(w io.Writer) error {
	var pictures []Picture
	for _, s := range d.Sections {
		for _, b := range flat(s.Blocks) {
			if p, ok := b.(Picture); ok {
				pictures = append(pictures, p)
			}
		}
	}
	drawn := make([]template.HTML, len(pictures))
	parallel.For(len(pictures), func(i int) { drawn[i] = drawing(pictures[i]) })
	drawings := map[*figure.Figure]template.HTML{}
	for i, p := range pictures {
		drawings[p.Figure] = drawn[i]
	}
	type section struct {
		Title  string
		Blocks []any
	}
	whole := struct {
		Title    string
		Sections []section
	}{Title: d.Title}
	for _, s := range d.Sections {
		whole.Sections = append(whole.Sections, section{s.Title, shown(s.Blocks, drawings)})
	}
	return page().Execute(w, whole)
}

// Blocks of a page: with their drawings.
type (
	shownPicture struct {
		*figure.Figure
		Drawing template.HTML
	}
	shownBeside struct {
		Left  []any
		Right shownPicture
	}
	shownFolded struct {
		Title  string
		Blocks []any
	}
)

// shown returns blocks for the template.
func shown(blocks []Block, drawings map[*figure.Figure]template.HTML) (list []any) {
	picture := func(p Picture) shownPicture { return shownPicture{p.Figure, drawings[p.Figure]} }
	for _, b := range blocks {
		switch b := b.(type) {
		case Picture:
			list = append(list, picture(b))
		case Beside:
			list = append(list, shownBeside{shown(b.Left, drawings), picture(b.Right)})
		case Folded:
			list = append(list, shownFolded{b.Title, shown(b.Blocks, drawings)})
		default:
			list = append(list, b)
		}
	}
	return list
}

// values returns the values of a figure as CSV.
func values(f *figure.Figure) string {
	var b strings.Builder
	figure.Data(&b, f) // the writer returns no errors
	return b.String()
}

// kind returns the name of a block's type for the template.
func kind(b any) string {
	return strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", b), "document."), "shown")
}

func anchor(title string) string {
	return strings.ReplaceAll(strings.ToLower(title), " ", "-")
}

// drawing returns a figure as SVG with a hover target for each value.
func drawing(p Picture) template.HTML {
	svg, marks := p.SVG()
	var spots strings.Builder
	for _, m := range marks {
		fmt.Fprintf(&spots, `<circle class="mark" cx="%.1f" cy="%.1f" r="5" data-text="%s"/>`, m.At.X, m.At.Y, template.HTMLEscapeString(m.Text))
	}
	// The style of the page sets the size.
	head, body, _ := strings.Cut(svg, ">")
	if i := strings.Index(head, "viewBox"); i >= 0 {
		head = `<svg role="img" aria-label="` + template.HTMLEscapeString(p.Title) + `" ` + head[i:]
	}
	body = strings.Replace(body, "</svg>", spots.String()+"</svg>", 1)
	return template.HTML(head + ">" + body)
}
