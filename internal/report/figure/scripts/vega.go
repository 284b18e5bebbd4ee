package scripts

import (
	"fmt"
	"maps"

	"gobench/internal/collect"
	"gobench/internal/report/figure"
)

// object is a part of a Vega-Lite specification.
type object map[string]any

// VegaLite returns a specification of Vega-Lite 5.
func VegaLite(c *figure.Chart, csv string) string {
	var names, colors []string
	for _, s := range entries(c) {
		names, colors = append(names, s.Name), append(colors, s.Color)
	}
	views := collect.Each(c.Panels, func(p figure.ChartPanel) object { return vegaPanel(c, p, names, colors) })
	parse := object{}
	for _, column := range []string{"curve", "x", "median", "lo", "hi"} {
		parse[column] = "number"
	}
	spec := object{
		"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "title": c.Title,
		"data":    object{"url": csv, "format": object{"type": "csv", "parse": parse}},
		"columns": c.Columns, "concat": views,
		"config": object{"font": "Liberation Sans, Arial, sans-serif", "view": object{"stroke": nil}},
	}
	return literal(spec) + "\n"
}

func vegaPanel(c *figure.Chart, p figure.ChartPanel, names, colors []string) object {
	scale := func(name string, a figure.ChartAxis) object {
		lo, hi := ends(name, a)
		s := object{"domain": []float64{lo, hi}, "nice": false, "zero": false}
		if a.Log {
			s["type"] = "log"
		}
		return s
	}
	axis := func(a figure.ChartAxis) object {
		at, texts := labels(a)
		return object{"values": at, "labelExpr": fmt.Sprintf("(%s)[indexof(%s, datum.value)]", literal(texts), literal(at))}
	}
	x := object{"field": "at", "type": "quantitative", "scale": scale("x", p.X), "axis": axis(p.X), "title": p.XLabel}
	y := object{"field": "value", "type": "quantitative", "scale": scale("y", p.Y), "axis": axis(p.Y), "title": p.YLabel}
	hi := object{"field": "to"}
	up := !level(p)
	if !up {
		x["field"], y["field"] = "value", "at"
	}
	if matrix(p) {
		y["field"] = "row"
	}
	color := object{"field": "series", "type": "nominal", "title": nil, "scale": object{"domain": names, "range": colors}}
	if !c.Legend {
		color["legend"] = nil
	}
	var layers []any
	for _, s := range p.Series {
		look := object{"x": x, "y": y, "color": color}
		span := object{"color": color}
		if up {
			span["x"], span["y"], span["y2"] = x, withField(y, "from"), hi
		} else {
			span["y"], span["x"], span["x2"] = y, withField(x, "from"), hi
		}
		only := []any{
			object{"filter": fmt.Sprintf("datum.curve == %d", s.Curve)},
			object{"calculate": fmt.Sprintf("datum.x > 0 || %s == 0 ? datum.x : %[1]s", number(p.X.Zero)), "as": "at"},
			object{"calculate": fmt.Sprint(s.Curve - p.Series[0].Curve), "as": "row"},
			object{"calculate": fmt.Sprintf("%q", s.Name), "as": "series"},
			object{"calculate": "datum.median * " + number(s.Scale), "as": "value"},
			object{"calculate": "datum.lo * " + number(s.Scale), "as": "from"},
			object{"calculate": "datum.hi * " + number(s.Scale), "as": "to"},
		}
		layer := func(mark object, encoding object) {
			layers = append(layers, object{"transform": only, "mark": mark, "encoding": encoding})
		}
		switch s.Form {
		case figure.Column:
			layer(object{"type": "bar", "width": 14}, look)
			layer(object{"type": "rule"}, span)
		case figure.Row:
			layer(object{"type": "rule"}, span)
			layer(object{"type": "point", "filled": true}, look)
		case figure.Part:
			layer(object{"type": "bar", "height": 10}, span)
		case figure.Cells:
			look["color"] = object{"field": "value", "type": "quantitative", "scale": object{"type": "log", "scheme": "blues"}}
			layer(object{"type": "square", "size": 400}, look)
		default:
			layer(object{"type": "rule"}, span)
			layer(object{"type": "line", "point": true, "strokeDash": [][]int{{}, {5, 2}, {2, 2}, {6, 2, 2, 2}}[s.Dash]}, look)
		}
	}
	width, height := float64(c.Width)/float64(c.Columns)-60, float64(c.Height)/float64(rows(c))-50
	return object{"title": p.Heading, "width": int(width), "height": int(max(60, height)), "layer": layers}
}

// withField returns an encoding of another field.
func withField(o object, field string) object {
	copied := maps.Clone(o)
	copied["field"] = field
	return copied
}
