package style

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"gonum.org/v1/plot/vg"

	"gobench/internal/collect"
)

// A Sheet is what a reader may choose of the appearance of figures. The zero value is the common
// appearance. Settings lists what can be set, for flags and for files alike.
type Sheet struct {
	Width, Height vg.Length // of a figure with its margins; 0 = Width, and a height by its panels
	Font          string    // one of Fonts; "" = sans
	Size          vg.Length // of labels; 0 = Normal
	Bare          bool      // without title, caption, method and notes
	Title         string    // instead of that of the figure
	Legend        string    // one of Legends; "" = top
	X, Y          []Axis    // later ones override earlier ones
	Series        []Choice  // empty = all, in their order
	Base          string    // series that is the base of speedups, OwnBase, or "" = the fastest
}

// OwnBase is the Base with which each series refers to its own value on one rank.
const OwnBase = "own"

// Fonts and Legends are the values of Sheet.Font and Sheet.Legend.
var (
	Fonts   = []string{"sans", "serif", "mono"}
	Legends = []string{"top", "bottom", "none"}
)

// An Axis is a choice for the x or the y axis of panels.
type Axis struct {
	Panel  string // letter of the panel: "b"; "" = all
	Scale  string // "linear", "log", "" = that of the figure
	Lo, Hi float64
	HasLo  bool
	HasHi  bool
}

// A Choice selects series of figures by name, and names and colours them.
type Choice struct {
	Text  string // a name of a series or words of it, and "=" with a new name for these; "*" = all others
	Color color.NRGBA
	Tint  bool // Color is set
}

// A Setting is one choice of a Sheet by its name.
type Setting struct {
	Name  string
	Value string // placeholder for the usage; "" = a switch
	Usage string
	Many  bool // may be given several times
	set   func(*Sheet, string) error
}

// Settings lists all settings of a Sheet.
var Settings = []Setting{
	{"width", "LENGTH", "width of figures: column (8.46 cm, 3.33 in), page (17.8 cm, 7 in), slide (24 cm, 12.5 cm high, with letters of 14 pt), or a length such as 88mm, 8.8cm, 3.5in, 252pt", false, (*Sheet).setWidth},
	{"height", "LENGTH", "height of figures without their texts: a length such as 5cm (default: by the number of panels)", false, length(func(s *Sheet, l vg.Length) { s.Height = l })},
	{"font", "NAME", "letters of figures: " + strings.Join(Fonts, ", "), false, oneOf(Fonts, func(s *Sheet, v string) { s.Font = v })},
	{"font-size", "POINTS", fmt.Sprintf("size of labels in pt, at least %g (default %g)", MinLetters, Normal), false, (*Sheet).setSize},
	{"bare", "", "no title, caption, method and notes in figures, for papers that have them as text", false, func(s *Sheet, v string) (err error) {
		s.Bare, err = strconv.ParseBool(v)
		return err
	}},
	{"title", "TEXT", "title of figures", false, func(s *Sheet, v string) error { s.Title = v; return nil }},
	{"legend", "PLACE", "legend of figures: " + strings.Join(Legends, ", "), false, oneOf(Legends, func(s *Sheet, v string) { s.Legend = v })},
	{"x", "AXIS", "x axis of figures: [PANEL:]linear, log or LO..HI, or two of them: b:log,1..64; may be repeated", true, axis(func(s *Sheet) *[]Axis { return &s.X })},
	{"y", "AXIS", "y axis of figures, likewise: b:linear,0..20", true, axis(func(s *Sheet) *[]Axis { return &s.Y })},
	{"series", "LIST", "series of figures and their order: names, or words of them, each optionally with =NEW NAME and :COLOUR (#0072b2, " + strings.Join(colorNames(), ", ") + "); * = all others; may be repeated", true, (*Sheet).addSeries},
}

// Set sets the setting with a name from its text. Errors name the setting and what it wants.
func (s *Sheet) Set(name, value string) error {
	i := slices.IndexFunc(Settings, func(t Setting) bool { return t.Name == name })
	if i < 0 {
		return fmt.Errorf("there is no setting %q; they are %s", name, strings.Join(names(), ", "))
	}
	if err := Settings[i].set(s, value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Clear removes the values of a setting that may be given several times.
func (s *Sheet) Clear(name string) {
	switch name {
	case "x":
		s.X = nil
	case "y":
		s.Y = nil
	case "series":
		s.Series = nil
	}
}

// names returns the names of all settings.
func names() []string { return collect.Each(Settings, func(t Setting) string { return t.Name }) }

// Presets of the width: a column and the text of two-column conference styles (3.33 in and 7 in),
// and a slide of 25.4 cm with margins, whose letters are larger.
const (
	column = 3.33 * vg.Inch
	page   = 7 * vg.Inch
	slide  = 24 * vg.Centimeter

	slideSize   = vg.Length(14)
	slideHeight = 12.5 * vg.Centimeter
)

func (s *Sheet) setWidth(value string) error {
	switch value {
	case "column":
		s.Width = column
	case "page":
		s.Width = page
	case "slide":
		s.Width = slide
		s.Size, s.Height = cmp.Or(s.Size, slideSize), cmp.Or(s.Height, slideHeight)
	default:
		l, err := parseLength(value)
		if err != nil {
			return err
		}
		if l < narrowest {
			return fmt.Errorf("%s is too narrow for labels; the least is %g cm", value, narrowest/vg.Centimeter)
		}
		s.Width = l
	}
	return nil
}

// narrowest is the least width in which axes with labels leave room for data.
const narrowest = 5 * vg.Centimeter

func (s *Sheet) setSize(value string) error {
	points, err := strconv.ParseFloat(strings.TrimSuffix(value, "pt"), 64)
	if err != nil || math.IsNaN(points) {
		return fmt.Errorf("%q is no size in points", value)
	}
	if points < MinLetters || points > 40 {
		return fmt.Errorf("letters of %g pt cannot be used; want %g to 40 pt", points, MinLetters)
	}
	s.Size = vg.Length(points)
	return nil
}

// units of lengths.
var units = []struct {
	name string
	of   vg.Length
}{{"mm", vg.Millimeter}, {"cm", vg.Centimeter}, {"in", vg.Inch}, {"pt", 1}}

// parseLength parses a length with a unit.
func parseLength(value string) (vg.Length, error) {
	for _, u := range units {
		if number, ok := strings.CutSuffix(value, u.name); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if l := vg.Length(v) * u.of; err == nil && l > 0 && l <= 2*vg.Inch*100 {
				return l, nil
			}
		}
	}
	return 0, fmt.Errorf("%q is no length; want a number with mm, cm, in or pt, such as 8.8cm", value)
}

func length(set func(*Sheet, vg.Length)) func(*Sheet, string) error {
	return func(s *Sheet, value string) error {
		l, err := parseLength(value)
		if err == nil {
			set(s, l)
		}
		return err
	}
}

func oneOf(known []string, set func(*Sheet, string)) func(*Sheet, string) error {
	return func(s *Sheet, value string) error {
		if !slices.Contains(known, value) {
			return fmt.Errorf("%q is none of %s", value, strings.Join(known, ", "))
		}
		set(s, value)
		return nil
	}
}

func axis(list func(*Sheet) *[]Axis) func(*Sheet, string) error {
	return func(s *Sheet, value string) error {
		a, err := parseAxis(value)
		if err == nil {
			*list(s) = append(*list(s), a)
		}
		return err
	}
}

// parseAxis parses "b:log,1..64".
func parseAxis(value string) (a Axis, err error) {
	rest := value
	if panel, after, ok := strings.Cut(value, ":"); ok {
		if len(panel) != 1 || panel[0] < 'a' || panel[0] > 'z' {
			return a, fmt.Errorf("%q is no letter of a panel, a to z", panel)
		}
		a.Panel, rest = panel, after
	}
	for part := range strings.SplitSeq(rest, ",") {
		lo, hi, limits := strings.Cut(part, "..")
		switch {
		case part == "linear" || part == "log":
			a.Scale = part
		case limits:
			if a.Lo, a.HasLo, err = bound(lo); err == nil {
				a.Hi, a.HasHi, err = bound(hi)
			}
			if err != nil {
				return a, err
			}
		default:
			return a, fmt.Errorf("%q is neither linear nor log nor LO..HI", part)
		}
	}
	if a.HasLo && a.HasHi && a.Lo >= a.Hi {
		return a, fmt.Errorf("the lower limit of %s is not below the upper one", value)
	}
	return a, nil
}

// bound parses a limit of an axis, which may be missing.
func bound(text string) (v float64, has bool, err error) {
	if text == "" {
		return 0, false, nil
	}
	v, err = strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false, fmt.Errorf("%q is no number", text)
	}
	return v, true, nil
}

type colour struct {
	name string
	of   color.NRGBA
}

// colours are the names of colours, those of the palette first.
var colours = []colour{{"blue", palette[0]}, {"vermilion", palette[1]}, {"green", palette[2]}, {"purple", palette[3]}, {"sky", palette[4]}, {"orange", palette[5]}, {"dark", palette[6]}, {"grey", Grey}, {"black", Ink}}

func colorNames() []string { return collect.Each(colours, func(c colour) string { return c.name }) }

// parseColor parses "#0072b2" or a name.
func parseColor(text string) (color.NRGBA, bool) {
	for _, c := range colours {
		if c.name == text {
			return c.of, true
		}
	}
	if hex, ok := strings.CutPrefix(text, "#"); ok && len(hex) == 6 {
		if v, err := strconv.ParseUint(hex, 16, 32); err == nil {
			return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}, true
		}
	}
	return color.NRGBA{}, false
}

// addSeries adds the choices of a list. Names of series have commas with a blank; a comma without
// one separates choices.
func (s *Sheet) addSeries(value string) error {
	from := 0
	for i := 0; i <= len(value); i++ {
		if i < len(value) && (value[i] != ',' || i+1 < len(value) && value[i+1] == ' ') {
			continue
		}
		item := value[from:i]
		from = i + 1
		c := Choice{Text: item}
		if at := strings.LastIndexByte(item, ':'); at >= 0 {
			if of, ok := parseColor(item[at+1:]); ok {
				c = Choice{Text: item[:at], Color: of, Tint: true}
			} else if strings.HasPrefix(item[at+1:], "#") {
				return fmt.Errorf("%q is no colour; want #rrggbb or one of %s", item[at+1:], strings.Join(colorNames(), ", "))
			}
		}
		if c.Text == "" {
			return errors.New("a name is empty")
		}
		s.Series = append(s.Series, c)
	}
	return nil
}

// Read sets the settings of a style file: TOML with the names of Settings, whose values are texts,
// numbers, booleans, or lists of them where a setting may be given several times. Errors name the
// file and the setting.
func (s *Sheet) Read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range Settings { // in their order, because width sets the size of letters
		value, ok := values[t.Name]
		if !ok {
			continue
		}
		delete(values, t.Name)
		list, several := value.([]any)
		if several && !t.Many {
			return fmt.Errorf("%s: %s takes one value", path, t.Name)
		}
		if !several {
			list = []any{value}
		}
		for _, v := range list {
			if err := s.Set(t.Name, fmt.Sprint(v)); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	for name := range values {
		err = errors.Join(err, fmt.Errorf("%s: there is no setting %q; they are %s", path, name, strings.Join(names(), ", ")))
	}
	return err
}
