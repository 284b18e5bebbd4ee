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

// seriesOf returns the name of the series that a layer draws.
func seriesOf(l Layer) (name string, ok bool) {
	switch l := l.(type) {
	case Curve:
		return l.Name, true
	case Band:
		return l.Name, true
	case Whiskers:
		return l.Name, true
	case Bar:
		return l.Name, true
	}
	return "", false
}

// kindOf returns the class of a layer that draws a series.
func kindOf(l Layer) string {
	switch l.(type) {
	case Band:
		return "band"
	case Whiskers:
		return "whiskers"
	case Bar:
		return "bar"
	}
	return "curve"
}
