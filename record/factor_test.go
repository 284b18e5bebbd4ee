package record

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every field of a point has a row: a missing field would not separate cells.
func TestEveryFieldHasARole(t *testing.T) {
	var names []string
	for i := range reflect.TypeFor[Point]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[Point]().Field(i).Tag.Get("json"), ",")
		if name != "-" {
			names = append(names, name)
		}
	}
	for _, f := range Factors {
		i := slices.Index(names, f.Name)
		if i < 0 {
			t.Errorf("%s is no field of a point", f.Name)
			continue
		}
		names = slices.Delete(names, i, i+1)
		if (f.Text == nil) != (f.Role == Outcome) {
			t.Errorf("%s: only factors have a text", f.Name)
		}
	}
	if len(names) > 0 {
		t.Errorf("without role: %v", names)
	}
}

// Another value of a factor changes the key of a cell if its role separates cells, and the factor
// has a text.
func TestFactorsSeparateCells(t *testing.T) {
	for _, f := range Factors {
		p, v := samplePoint(), reflect.Value{}
		p.Batched = 2 // 1 is equivalent to absent
		before := p.CellKey()
		v = reflect.ValueOf(p).Elem().Field(f.index)
		switch f.form {
		case text:
			v.SetString("another")
		case count, positive, integer:
			v.SetInt(v.Int() + 5)
		case quantity, share:
			v.SetFloat(v.Float() + 0.125)
		case flag:
			v.SetBool(true)
		case coreList:
			p.Cores = []int{7, 8}
		case options:
			v.Set(reflect.ValueOf(map[string]string{"x": "y"}))
		default:
			continue
		}
		separates := f.Role == Asked || f.Role == Chosen
		if got := p.CellKey() != before; got != separates {
			t.Errorf("%s: cells are separated: %v, want %v", f.Name, got, separates)
		}
		if f.Role != Outcome && f.Text(p) == "" {
			t.Errorf("%s has no text", f.Name)
		}
	}
}

func TestTextsOfFactors(t *testing.T) {
	p := &Point{
		Ranks: 2, Window: 8, Cores: []int{3, -1}, InPlace: true, Groups: 1, Precision: 0.02, Start: "none",
		Options: map[string]string{"b": "2", "a": "1"}, Grid: "64x32", Real: "double", Cache: "warm", Memory: "device", Root: "rotate",
	}
	for name, want := range map[string][2]string{
		"ranks": {"2", "2 ranks"}, "window": {"8", "window 8"}, "cores": {"3,-1", "cores 3,-1"}, "in_place": {"true", "in place"},
		"groups": {"", ""}, "precision": {"2 %", "2 %"}, "start": {"none", "back to back"}, "options": {"a=1 b=2", "a=1 b=2"},
		"memory": {"device", "device memory"}, "root": {"rotate", "root rotates"}, "size_B": {"0", "0"}, "threads": {"", ""}, "grid": {"64x32", "64 x 32"}, "real": {"double", "float64"}, "cache": {"warm", "cache warm"},
	} {
		f := LookupFactor(name)
		if got := [2]string{f.Text(p), f.Say(p)}; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Files of earlier versions have a class for FDTD that is composed of its parameters.
func TestOldPointsOfFDTD(t *testing.T) {
	const row = `{"class":"512x512x500-single","grid":"512x512","steps":500,"real":"single","source":"256,256","wavelength":20}`
	var p Point
	if err := json.Unmarshal([]byte(row), &p); err != nil {
		t.Fatal(err)
	}
	if p.Class != "" || p.Grid != "512x512" || p.Steps != 500 || p.Source != "256,256" || p.Problem() != "512x512x500-single" || len(p.Extra) != 0 {
		t.Errorf("%+v", p)
	}
	if err := json.Unmarshal([]byte(`{"class":"A"}`), &p); err != nil || p.Class != "A" || p.Problem() != "A" {
		t.Errorf("%+v, %v", p, err)
	}
}
