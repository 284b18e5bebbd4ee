package scripts

import (
	"fmt"
	"strings"

	"gobench/internal/report/figure"
)

// Marks of gnuplot's pdfcairo, in the order of those of package style.
var (
	gnuplotMarks  = []int{7, 5, 9, 6, 4, 10, 2, 1}
	gnuplotDashes = []int{1, 2, 3, 4}
)

// gnuplotColumns has the numbers of columns of the CSV.
var gnuplotColumns = map[string]int{"median": 4, "lo": 5, "hi": 6}

// Gnuplot returns a program for gnuplot 5.
func Gnuplot(c *figure.Chart, csv string) string {
	var l lines
	l.add("# %s", oneLine(c.Title))
	l.add("# gnuplot this file; it draws %s as PDF.", oneLine(csv))
	l.add("set terminal pdfcairo size %.2fcm,%.2fcm font 'Liberation Sans,%.1f' enhanced", float64(c.Width)/28.35, float64(c.Height)/28.35, float64(c.Letters))
	l.add("set output %s", literally(drawing(csv)))
	l.add("of(curve) = (column(2) == curve ? 1 : NaN)")
	l.add("set multiplot layout %d,%d", rows(c), c.Columns)
	seen := map[string]bool{}
	for _, p := range c.Panels {
		l.add("reset\nset datafile separator ','\nset datafile missing 'nan'\nset border 3\nset tics nomirror out\nset grid lc rgb '#e2e2e2'\nset key above left reverse Left samplen 2")
		l.add("set title %s font ',%.1f'\nset xlabel %s\nset ylabel %s", quoted(p.Heading), float64(c.Letters), quoted(p.XLabel), quoted(p.YLabel))
		gnuplotAxis(&l, "x", p.X)
		gnuplotAxis(&l, "y", p.Y)
		var plots []string
		for _, s := range p.Series {
			title := "notitle"
			if c.Legend && s.Name != "" && !seen[s.Name] && s.Form != figure.Cells {
				title = "title " + quoted(s.Name)
				seen[s.Name] = true
			}
			plots = append(plots, gnuplotSeries(p, s, csv, title)...)
		}
		if len(plots) > 0 {
			l.add("plot %s", strings.Join(plots, ", \\\n     "))
		}
	}
	l.add("unset multiplot")
	return l.String()
}

func gnuplotAxis(l *lines, name string, a figure.ChartAxis) {
	if a.Log {
		l.add("set logscale %s", name)
	}
	lo, hi := ends(name, a)
	l.add("set %srange [%s:%s]", name, number(lo), number(hi))
	at, texts := labels(a)
	for i, v := range at {
		texts[i] = quoted(texts[i]) + " " + number(v)
	}
	l.add("set %stics (%s)", name, strings.Join(texts, ", "))
}

func gnuplotSeries(p figure.ChartPanel, s figure.ChartSeries, csv, title string) []string {
	file := literally(csv) + " skip 1"
	x := "(column(3))"
	if p.X.Zero > 0 {
		x = fmt.Sprintf("(column(3) > 0 ? column(3) : %s)", number(p.X.Zero))
	}
	of := fmt.Sprintf("of(%d)*", s.Curve)
	v := func(column string) string {
		return fmt.Sprintf("(column(%d)*%s)", gnuplotColumns[column], number(s.Scale))
	}
	look := fmt.Sprintf("lc rgb '%s' dt %d lw 1.5 pt %d ps 0.4", s.Color, gnuplotDashes[s.Dash], gnuplotMarks[s.Glyph])
	plain := fmt.Sprintf("lc rgb '%s' dt 1 lw 1 pt 7 ps 0 notitle", s.Color)
	switch s.Form {
	case figure.Column:
		return []string{fmt.Sprintf("%s using (%s%s):%s:(%s) with boxes fill solid noborder lc rgb '%s' %s", file, of, x, v("median"), number(s.Width), s.Color, title),
			fmt.Sprintf("%s using (%s%s):%s:%s:%s with yerrorbars lc rgb '#222222' pt 7 ps 0 notitle", file, of, x, v("median"), v("lo"), v("hi"))}
	case figure.Row:
		return []string{fmt.Sprintf("%s using (%s%s):%s with points %s %s", file, of, v("median"), x, look, title),
			fmt.Sprintf("%s using (%s%s):%s:%s:%s with xerrorbars %s", file, of, v("median"), x, v("lo"), v("hi"), plain)}
	case figure.Part:
		return []string{fmt.Sprintf("%s using (%s%s):%s:%s:%s:(column(3)-0.35):(column(3)+0.35) with boxxyerror fill solid noborder lc rgb '%s' %s", file, of, v("lo"), x, v("lo"), v("hi"), s.Color, title)}
	case figure.Cells:
		return []string{fmt.Sprintf("%s using (%s%s):(%d):(log10(column(4))) with points pt 5 ps 2 palette notitle", file, of, x, s.Curve-p.Series[0].Curve)}
	}
	return []string{fmt.Sprintf("%s using (%s%s):%s with linespoints %s %s", file, of, x, v("median"), look, title),
		fmt.Sprintf("%s using (%s%s):%s:%s:%s with yerrorbars %s", file, of, x, v("median"), v("lo"), v("hi"), plain)}
}

// quoted returns a text to be drawn, in which underscores and the like are themselves.
func quoted(s string) string {
	return literally(strings.NewReplacer(`\`, "/", "_", `\_`, "^", `\^`, "{", `\{`, "}", `\}`, "@", `\@`, "&", `\&`, "~", `\~`).Replace(oneLine(s)))
}

// literally returns a text of gnuplot that is not drawn, such as the name of a file.
func literally(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
