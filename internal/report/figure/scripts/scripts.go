package scripts

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/report/figure"
)

// literal returns v as JSON, which is also a literal of Python and of texts in R.
func literal(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts and numbers only
	return strings.TrimSpace(b.String())
}

// drawing returns the name of the file that the program for a CSV draws.
func drawing(csv string) string { return strings.TrimSuffix(csv, ".csv") + ".pdf" }

// labels returns the places and the texts of the labels of an axis.
func labels(a figure.ChartAxis) (at []float64, texts []string) {
	at, texts = []float64{}, []string{}
	for _, t := range a.Labels {
		v := t.At
		if v == 0 && a.Log {
			v = a.Zero
		}
		at, texts = append(at, v), append(texts, t.Text)
	}
	return at, texts
}

// An axis is one of a panel.
type axis struct {
	name string
	of   figure.ChartAxis
}

func axes(p figure.ChartPanel) []axis { return []axis{{"x", p.X}, {"y", p.Y}} }

// ends returns the ends of an axis as they are drawn: names on a y axis begin above.
func ends(name string, a figure.ChartAxis) (lo, hi float64) {
	lo, hi = a.Lo, a.Hi
	if a.Zero > 0 {
		lo = a.Zero
	}
	if a.Names && name == "y" {
		lo, hi = hi, lo
	}
	return lo, hi
}

// Python returns a program for matplotlib.
func Python(c *figure.Chart, csv string) string {
	marks, dashes := []string{"o", "s", "^", "o", "s", "v", "x", "+"}, []string{"-", "--", ":", "-."}
	var l lines
	l.add("# %s", oneLine(c.Title))
	l.add("# python3 with matplotlib runs this file; it draws %s as PDF.", oneLine(csv))
	l.add("import csv\nimport matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n")
	l.add("rows = {}\nfor row in csv.DictReader(open(%s, encoding='utf-8')):\n    rows.setdefault(int(row['curve']), []).append({k: float(row[k]) for k in ('x', 'median', 'lo', 'hi')})\n", literal(csv))
	l.add("plt.rcParams.update({'font.size': %s, 'axes.spines.top': False, 'axes.spines.right': False})", number(float64(c.Letters)))
	legend := 0.0 // its height in inches, above the first panel
	if c.Legend {
		legend = 0.19 * math.Ceil(float64(len(entries(c)))/2)
	}
	l.add("fig, axes = plt.subplots(%d, %d, figsize=(%.3f, %.3f), squeeze=False, layout='constrained')", rows(c), c.Columns, float64(c.Width)/72, float64(c.Height)/72+legend)
	l.add("\n\ndef values(curve, scale, zero):\n    of = rows[curve]\n    x = [r['x'] if r['x'] or not zero else zero for r in of]\n    return x, *([r[k] * scale for r in of] for k in ('median', 'lo', 'hi'))\n\n")
	for i, p := range c.Panels {
		l.add("ax = axes[%d][%d]", i/c.Columns, i%c.Columns)
		l.add("ax.set(title=%s, xlabel=%s, ylabel=%s)", literal(p.Heading), literal(p.XLabel), literal(p.YLabel))
		for _, s := range p.Series {
			l.add("x, y, lo, hi = values(%d, %s, %s)", s.Curve, number(s.Scale), number(p.X.Zero))
			look := fmt.Sprintf("color='%s', label=%s", s.Color, literal(s.Name))
			line := fmt.Sprintf("marker='%s', markersize=3, linewidth=1.1", marks[s.Glyph])
			if s.Glyph == 3 || s.Glyph == 4 {
				line += ", fillstyle='none'"
			}
			switch s.Form {
			case figure.Column:
				l.add("ax.bar(x, y, %s, %s)\nax.vlines(x, lo, hi, color='#222222', linewidth=0.8)", number(s.Width), look)
			case figure.Row:
				l.add("ax.plot(y, x, linestyle='none', %s, %s)\nax.hlines(x, lo, hi, color='%s', linewidth=0.9)", line, look, s.Color)
			case figure.Part:
				l.add("ax.barh(x, [b - a for a, b in zip(lo, hi)], 0.7, left=lo, %s)", look)
			case figure.Cells:
				smallest, largest := bounds(p)
				l.add("ax.scatter(x, [%d] * len(x), c=y, marker='s', s=120, cmap='Blues', norm='log', vmin=%s, vmax=%s)", s.Curve-p.Series[0].Curve, number(smallest), number(largest))
			default:
				l.add("ax.plot(x, y, linestyle='%s', %s, %s)\nax.vlines(x, lo, hi, color='%s', linewidth=0.7)", dashes[s.Dash], line, look, s.Color)
			}
		}
		for _, a := range axes(p) {
			if a.of.Log {
				l.add("ax.set_%sscale('log')", a.name)
			}
			at, texts := labels(a.of)
			lo, hi := ends(a.name, a.of)
			l.add("ax.set_%[1]slim(%[2]s, %[3]s)\nax.set_%[1]sticks(%[4]s, %[5]s)\nax.minorticks_off()", a.name, number(lo), number(hi), literal(at), literal(texts))
		}
		l.add("ax.grid(color='#e2e2e2', linewidth=0.5)\nax.set_axisbelow(True)")
	}
	if c.Legend && !matrix(c.Panels[0]) {
		l.add("by_name = {}\nfor ax in axes.flat:\n    for handle, name in zip(*ax.get_legend_handles_labels()):\n        by_name.setdefault(name, handle)")
		l.add("if any(by_name):\n    fig.legend(by_name.values(), by_name.keys(), loc='upper left', ncol=2, fontsize='small', frameon=False)")
		l.add("fig.get_layout_engine().set(rect=(0, 0, 1, %.3f))", 1-legend/(float64(c.Height)/72+legend))
	}
	l.add("fig.savefig(%s)", literal(drawing(csv)))
	return l.String()
}

// bounds returns the smallest and the largest value of a panel.
func bounds(p figure.ChartPanel) (smallest, largest float64) {
	var all []float64
	for _, s := range p.Series {
		all = append(all, collect.Each(s.Values, func(d figure.Datum) float64 { return d.Median })...)
	}
	if len(all) == 0 {
		return 0, 0
	}
	return slices.Min(all), slices.Max(all)
}

// R returns a program for R without packages.
func R(c *figure.Chart, csv string) string {
	marks, dashes := []int{19, 15, 17, 1, 0, 2, 4, 3}, []int{1, 2, 3, 4}
	vector := func(v any) string { return "c(" + strings.Trim(literal(v), "[]") + ")" }
	var l lines
	l.add("# %s", oneLine(c.Title))
	l.add("# Rscript runs this file; it draws %s as PDF.", oneLine(csv))
	l.add("rows <- read.csv(%s, na.strings = 'nan', encoding = 'UTF-8')", literal(csv))
	l.add("cairo_pdf(%s, width = %.3f, height = %.3f, pointsize = %s)", literal(drawing(csv)), float64(c.Width)/72, float64(c.Height)/72, number(float64(c.Letters)))
	l.add("par(mfrow = c(%d, %d), mar = c(3.2, 4, 1.8, 0.6), mgp = c(2, 0.6, 0), bty = 'l', las = 1)", rows(c), c.Columns)
	l.add("of <- function(curve, zero) { d <- rows[rows$curve == curve, ]; if (zero > 0) d$x[d$x == 0] <- zero; d }")
	for _, p := range c.Panels {
		log := ""
		if p.X.Log {
			log += "x"
		}
		if p.Y.Log {
			log += "y"
		}
		x0, x1 := ends("x", p.X)
		y0, y1 := ends("y", p.Y)
		l.add("plot(NA, xlim = c(%s, %s), ylim = c(%s, %s), log = '%s', axes = FALSE, main = %s, xlab = %s, ylab = %s)", number(x0), number(x1), number(y0), number(y1), log, literal(p.Heading), literal(p.XLabel), literal(p.YLabel))
		for side, a := range []figure.ChartAxis{p.X, p.Y} {
			at, texts := labels(a)
			l.add("axis(%d, at = %s, labels = %s)", side+1, vector(at), vector(texts))
		}
		for _, s := range p.Series {
			k := number(s.Scale)
			l.add("d <- of(%d, %s)", s.Curve, number(p.X.Zero))
			switch s.Form {
			case figure.Column:
				l.add("rect(d$x - %[1]s / 2, 0, d$x + %[1]s / 2, d$median * %[2]s, col = '%[3]s', border = NA); segments(d$x, d$lo * %[2]s, d$x, d$hi * %[2]s)", number(s.Width), k, s.Color)
			case figure.Row:
				l.add("segments(d$lo * %[1]s, d$x, d$hi * %[1]s, d$x, col = '%[2]s'); points(d$median * %[1]s, d$x, pch = %[3]d, cex = 0.7, col = '%[2]s')", k, s.Color, marks[s.Glyph])
			case figure.Part:
				l.add("rect(d$lo, d$x - 0.35, d$hi, d$x + 0.35, col = '%s', border = NA)", s.Color)
			case figure.Cells:
				smallest, largest := bounds(p)
				l.add("rect(d$x - 0.5, %[1]d - 0.5, d$x + 0.5, %[1]d + 0.5, border = NA, col = hcl.colors(20, 'Blues', rev = TRUE)[1 + round(19 * log(d$median / %[2]s) / max(log(%[3]s / %[2]s), 1e-9))])",
					s.Curve-p.Series[0].Curve, number(smallest), number(largest))
			default:
				l.add("segments(d$x, d$lo * %[1]s, d$x, d$hi * %[1]s, col = '%[2]s'); lines(d$x, d$median * %[1]s, type = 'o', lty = %[3]d, pch = %[4]d, cex = 0.7, col = '%[2]s')", k, s.Color, dashes[s.Dash], marks[s.Glyph])
			}
		}
	}
	if all := entries(c); c.Legend && len(all) > 0 && !matrix(c.Panels[0]) {
		var names, colors []string
		for _, s := range all {
			names, colors = append(names, s.Name), append(colors, s.Color)
		}
		l.add("legend('topleft', legend = %s, col = %s, lty = 1, bty = 'n', cex = 0.8)", vector(names), vector(colors))
	}
	l.add("invisible(dev.off())")
	return l.String()
}
