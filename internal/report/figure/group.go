package figure

import "gonum.org/v1/plot/vg/draw"

// A grouper is a canvas whose format has groups with an id and classes.
type grouper interface {
	Begin(id, class string)
	End()
}

// grouperOf returns the canvas behind c if its format has groups. Parts of a canvas are nested.
func grouperOf(c draw.Canvas) (grouper, bool) {
	for behind := c.Canvas; ; {
		part, is := behind.(draw.Canvas)
		if !is {
			g, ok := behind.(grouper)
			return g, ok
		}
		behind = part.Canvas
	}
}

// begin opens a group on canvases that have groups, end closes it.
func begin(c draw.Canvas, id, class string) {
	if g, ok := grouperOf(c); ok {
		g.Begin(id, class)
	}
}

func end(c draw.Canvas) {
	if g, ok := grouperOf(c); ok {
		g.End()
	}
}

// seriesOf returns the name and the class of the series that a layer draws; the class is "" for
// layers that draw none.
func seriesOf(l Layer) (name, class string) {
	switch l := l.(type) {
	case Curve:
		return l.Name, "curve"
	case Band:
		return l.Name, "band"
	case Whiskers:
		return l.Name, "whiskers"
	case Bar:
		return l.Name, "bar"
	}
	return "", ""
}
