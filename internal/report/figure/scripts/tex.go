package scripts

import (
	"fmt"
	"strings"
	"unicode"

	"gobench/internal/collect"
	"gobench/internal/report/figure"
)

// Marks and dashes of pgfplots, in the order of those of package style.
var (
	texMarks  = []string{"*", "square*", "triangle*", "o", "square", "triangle", "x", "+"}
	texDashes = []string{"solid", "dashed", "densely dotted", "dash dot"}
)

// TeX returns a picture for pgfplots 1.17 and later.
func TeX(c *figure.Chart, csv string) string {
	var l lines
	l.add("%% %s. Needs in the preamble:", oneLine(c.Title))
	l.add(`%%   \usepackage{pgfplots} \usepgfplotslibrary{groupplots} \pgfplotsset{compat=1.17}`)
	l.add("%% It draws %s, in which a curve is a series of a panel.", csv)
	l.add(`\begin{tikzpicture}`)
	all := entries(c)
	for _, s := range all {
		l.add(`\definecolor{%s}{HTML}{%s}`, colorName(s), strings.ToUpper(s.Color[1:]))
	}
	l.add(`\begin{groupplot}[`)
	l.add("  group style={group size=%d by %d, horizontal sep=14mm, vertical sep=12mm},", c.Columns, rows(c))
	l.add("  width=%.1fpt, height=%.1fpt, scale only axis,", float64(c.Width)/float64(c.Columns)-58, max(40, float64(c.Height)/float64(rows(c))-40))
	l.add(`  label style={font=\small}, tick label style={font=\footnotesize}, title style={font=\small\bfseries, yshift=-1.5ex},`)
	l.add(`  axis lines=left, axis line style={-}, grid=major, grid style={black!12}, log ticks with fixed point, scaled ticks=false,`)
	l.add(`  legend columns=%d, legend cell align=left, legend style={draw=none, font=\footnotesize, /tikz/every even column/.append style={column sep=1ex}},`, max(1, int(c.Width/110)))
	l.add(`  unbounded coords=discard, clip mode=individual]`)
	for i, p := range c.Panels {
		l.add(`\nextgroupplot[%s]`, strings.Join(texAxes(c, p, i == 0), ",\n  "))
		for _, s := range p.Series {
			texSeries(&l, p, s, csv)
		}
		if i == 0 && c.Legend {
			for _, s := range all {
				l.add(`\addlegendimage{%s}\addlegendentry{%s}`, texLook(s), EscapeTeX(s.Name))
			}
		}
	}
	l.add(`\end{groupplot}`)
	if c.Legend && len(all) > 0 {
		l.add(`\node[anchor=south] at ([yshift=5ex]$(group c1r1.north west)!0.5!(group c%dr1.north east)$) {\pgfplotslegendfromname{%s}};`, c.Columns, texName(c.Name))
	}
	l.add(`\end{tikzpicture}`)
	return l.String()
}

func texAxes(c *figure.Chart, p figure.ChartPanel, first bool) []string {
	list := []string{"title={" + EscapeTeX(p.Heading) + "}", "xlabel={" + EscapeTeX(p.XLabel) + "}", "ylabel={" + EscapeTeX(p.YLabel) + "}"}
	if first && c.Legend {
		list = append(list, "legend to name="+texName(c.Name))
	}
	for _, a := range axes(p) {
		mode := "linear"
		if a.of.Log {
			mode = "log"
		}
		list = append(list, a.name+"mode="+mode)
		lo, hi := a.of.Lo, a.of.Hi
		if a.of.Zero > 0 {
			lo = a.of.Zero
		}
		list = append(list, a.name+"min="+number(lo), a.name+"max="+number(hi))
		at, texts := labels(a.of)
		list = append(list,
			a.name+"tick={"+strings.Join(collect.Each(at, number), ",")+"}",
			a.name+"ticklabels={"+strings.Join(collect.Each(texts, func(s string) string { return "{" + EscapeTeX(s) + "}" }), ",")+"}")
		if a.of.Names && a.name == "y" {
			list = append(list, "y dir=reverse", "yticklabel style={align=right, font=\\footnotesize}")
		}
	}
	return list
}

func texSeries(l *lines, p figure.ChartPanel, s figure.ChartSeries, csv string) {
	look := texLook(s)
	scaled := func(column string) string { return number(s.Scale) + `*\thisrow{` + column + `}` }
	x, y := `\thisrow{x}`, scaled("median")
	if p.X.Zero > 0 {
		x = fmt.Sprintf(`(\thisrow{x}>0 ? \thisrow{x} : %s)`, number(p.X.Zero))
	}
	errors := fmt.Sprintf(`, y error plus expr=%s*(\thisrow{hi}-\thisrow{median}), y error minus expr=%[1]s*(\thisrow{median}-\thisrow{lo})`, number(s.Scale))
	bars := ", error bars/.cd, y dir=both, y explicit, error bar style={solid}"
	switch s.Form {
	case figure.Column:
		look = fmt.Sprintf("ybar, bar width=%s, fill=%s, draw=none, mark=none", number(s.Width), colorName(s))
		look += ", /pgf/bar shift=0pt, bar width=" + number(s.Width)
	case figure.Row, figure.Part:
		x, y = scaled("median"), `\thisrow{x}`
		errors = fmt.Sprintf(`, x error plus expr=%s*(\thisrow{hi}-\thisrow{median}), x error minus expr=%[1]s*(\thisrow{median}-\thisrow{lo})`, number(s.Scale))
		bars = ", error bars/.cd, x dir=both, x explicit, error bar style={solid}"
		look += ", only marks"
		if s.Form == figure.Part { // from lo to hi
			look, x = colorName(s)+", mark=none, draw=none", scaled("lo")
			errors = fmt.Sprintf(`, x error plus expr=%s*(\thisrow{hi}-\thisrow{lo}), x error minus expr=0`, number(s.Scale))
			bars = ", error bars/.cd, x dir=both, x explicit, error mark=none, error bar style={solid, line width=7pt, " + colorName(s) + "}"
		}
	case figure.Cells:
		look, errors, bars = "scatter, only marks, mark=square*, mark size=8pt, point meta=log10(y)", "", ""
		l.add(`\addplot[%[1]s, restrict expr to domain={\thisrow{curve}}{%[2]d:%[2]d}] table[col sep=comma, x=x, y expr=%[3]d, meta expr=log10(\thisrow{median})] {%[4]s};`,
			strings.Replace(look, "point meta=log10(y)", "point meta=explicit", 1), s.Curve, s.Curve-p.Series[0].Curve, csv)
		return
	}
	l.add(`\addplot[%[1]s, forget plot, restrict expr to domain={\thisrow{curve}}{%[2]d:%[2]d}%[3]s] table[col sep=comma, x expr=%[4]s, y expr=%[5]s%[6]s] {%[7]s};`, look, s.Curve, bars, x, y, errors, csv)
}

func texLook(s figure.ChartSeries) string {
	if s.Form == figure.Column || s.Form == figure.Part {
		return fmt.Sprintf("area legend, fill=%s, draw=none", colorName(s))
	}
	return fmt.Sprintf("%s, %s, line width=0.9pt, mark=%s, mark size=1.4pt, mark options={solid}", colorName(s), texDashes[s.Dash], texMarks[s.Glyph])
}

// colorName names a colour by its value.
func colorName(s figure.ChartSeries) string { return "c" + s.Color[1:] }

// texName returns a name for TeX.
func texName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
}

var texSpecial = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "^", `\textasciicircum{}`, "_", `\_`, "~", `\textasciitilde{}`, "%", `\%`,
	"-", "{-}", // no ligature, so that --flag has two of them
	"µ", `\ensuremath{\mu}`, "<", `\ensuremath{<}`, ">", `\ensuremath{>}`, "±", `\ensuremath{\pm}`, "×", `\ensuremath{\times}`, "…", `\dots{}`, "·", `\ensuremath{\cdot}`)

// EscapeTeX escapes a text of records, which is untrusted, so that TeX sets it literally on one
// line. Characters that the fonts of LaTeX lack are question marks.
func EscapeTeX(s string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxLatin1 || unicode.IsControl(r) {
			return '?'
		}
		return r
	}, texSpecial.Replace(oneLine(s)))
}

// oneLine joins lines.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
