package main

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// Pixels of one panel's plot area.
const (
	wide = 345.0
	high = 310.0
)

// colours are told apart by people who cannot tell red from green (Okabe and Ito).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7"}

// canvas writes SVG. The first error is kept and returned by close.
type canvas struct {
	w   io.Writer
	err error
}

func (c *canvas) printf(format string, args ...any) {
	if c.err == nil {
		_, c.err = fmt.Fprintf(c.w, format+"\n", args...)
	}
}

func (c *canvas) open(width, height int) {
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#333">`, width, height)
	c.printf(`<rect width="100%%" height="100%%" fill="white"/>`)
}

func (c *canvas) close() error {
	c.printf("</svg>")
	return c.err
}

func (c *canvas) text(x, y float64, more, text string) {
	c.printf(`<text x="%.1f" y="%.1f" %s>%s</text>`, x, y, more, html.EscapeString(text))
}

func (c *canvas) note(x, y float64, text string) { c.text(x, y, `font-size="11" fill="#666"`, text) }

// panel draws one metric with its upper left corner at (left, top).
func (c *canvas) panel(left, top float64, title string, all []line) {
	x, y := sizes(all, left, left+wide), decades(all, top+high, top)
	c.text(left-40, top-22, `font-size="14" font-weight="bold"`, title)
	for v := y.lo; v <= y.hi*1.001; v *= 10 {
		c.printf(`<path d="M%.1f %.1fh%.1f" stroke="#ddd"/>`, left, y.at(v), wide)
		c.text(left-6, y.at(v)+4, `text-anchor="end"`, fmt.Sprintf("%g", v))
	}
	for v := 1.0; v <= x.hi; v *= 16 {
		if v >= x.lo {
			c.printf(`<path d="M%.1f %.1fv5" stroke="#333"/>`, x.at(v), top+high)
			c.text(x.at(v), top+high+19, `text-anchor="middle"`, sizeLabel(v))
		}
	}
	c.printf(`<path d="M%.1f %.1fh%.1f" stroke="#333"/>`, left, top+high, wide)
	c.text(left+wide, top+high+36, `text-anchor="end"`, "message size")
	for i, l := range all {
		c.line(x, y, l, colours[i%len(colours)])
	}
}

// line draws the band of intervals, the medians, and the name at the right end.
func (c *canvas) line(x, y axis, l line, colour string) {
	var median, upper, lower []string
	for _, p := range l.points {
		median = append(median, fmt.Sprintf("%.1f,%.1f", x.at(p.size), y.at(p.median)))
		upper = append(upper, fmt.Sprintf("%.1f,%.1f", x.at(p.size), y.at(p.hi)))
		lower = append([]string{fmt.Sprintf("%.1f,%.1f", x.at(p.size), y.at(p.lo))}, lower...)
	}
	c.printf(`<polygon points="%s %s" fill="%s" fill-opacity="0.2"/>`, strings.Join(upper, " "), strings.Join(lower, " "), colour)
	c.printf(`<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`, strings.Join(median, " "), colour)
	for _, p := range l.points {
		c.printf(`<circle cx="%.1f" cy="%.1f" r="2.6" fill="%s"/>`, x.at(p.size), y.at(p.median), colour)
	}
	last := l.points[len(l.points)-1]
	c.text(x.at(last.size)+8, y.at(last.median)+4, fmt.Sprintf(`fill="%s" font-weight="bold"`, colour), l.name)
}
