package lanes

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"
)

var update = flag.Bool("update", false, "make the generated files of package lanes again")

// texts lists what the generated files of package lanes are made of, and the directories that have
// one: Go that is copied, and templates.
var texts = []struct{ text, dirs string }{
	{"x1/penta.go", "x2 x4 x8"}, {"x1/relax.go", "x2 x4 x8"},
	{"x2/copy.go", "x4 x8"}, {"x2/solver.go", "x4 x8"},
	{"block.go.tmpl", "x1 x2 x4 x8"}, {"elements.go.tmpl", "x1"}, {"flow.go.tmpl", "x1 x2 x4 x8"},
	{"reduce.go.tmpl", "x2 x4 x8"}, {"yee.go.tmpl", "x2 x4 x8"},
}

// Generated files are what their texts give: go test ./internal/simd/lanes -update makes them
// again. It lies here because it must build while the files do not. Copies are no symbolic links
// because the archive of a module cannot hold any. Files of plain Go get the constraint of vectors.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	for _, c := range texts {
		name, _, _ := strings.Cut(filepath.Base(c.text), ".")
		for dir := range strings.FieldsSeq(c.dirs) {
			end := ".go"
			if dir == "x4" || dir == "x8" {
				end = "_amd64.go"
			}
			path := filepath.Join(dir, name+end)
			want := generate(t, c.text, dir)
			if got, err := os.ReadFile(path); err == nil && bytes.Equal(got, want) {
				continue
			}
			if !*update {
				t.Errorf("%s is not made of %s: go test ./internal/simd/lanes -update", path, c.text)
				continue
			}
			os.Remove(path)
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// generate returns the file of a directory.
func generate(t *testing.T, text, dir string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.FromSlash(text))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(text, ".tmpl") {
		var out bytes.Buffer
		made := template.Must(template.New(text).Funcs(functions).Parse(string(body)))
		if err := made.Execute(&out, dir); err != nil {
			t.Fatal(err)
		}
		if body, err = format.Source(out.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	head := "// Code generated from ../" + text + "; DO NOT EDIT.\n\n"
	if dir != "x1" && !bytes.HasPrefix(body, []byte("//go:build")) {
		head += "//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28\n\n"
	}
	return append([]byte(head), body...)
}

// functions can be called in the templates, whose argument is the name of the directory.
var functions = template.FuncMap{
	"list":  func(of ...any) []any { return of },
	"from":  from,
	"after": func(k int) []int { return from(k+1, 4) },
	// sum returns a sum plus products of vectors whose names have # for the number k.
	"sum": func(sum, a, b string, ks []int) string {
		for _, k := range ks {
			number := strconv.Itoa(k)
			sum = strings.ReplaceAll(a, "#", number) + ".MulAdd(" + strings.ReplaceAll(b, "#", number) + ", " + sum + ")"
		}
		return sum
	},
	"lower": strings.ToLower,
	// pairs returns texts by names.
	"pairs": func(list ...string) map[string]string {
		named := map[string]string{}
		for pair := range slices.Chunk(list, 2) {
			named[pair[0]] = pair[1]
		}
		return named
	},
	// loop returns one over vectors whose value is an expression of the operands P, Q, R and S.
	"loop":    func(vector, value string) loop { return loop{vector, value} },
	"numbers": numbers,
}

// from returns the numbers from one to another.
func from(a, b int) (list []int) {
	for k := a; k <= b; k++ {
		list = append(list, k)
	}
	return list
}

type loop struct{ V, value string }

var operand = regexp.MustCompile(`\b[PQRS]\b`)

// At returns the value i bytes on.
func (l loop) At(i string) string {
	return operand.ReplaceAllStringFunc(l.value, func(o string) string {
		return "on[" + l.V + "](" + strings.ToLower(o) + ", " + i + ")"
	})
}

// A number is an element of reductions: its name, its type and that of its vectors, how the plain
// loops for the greater and the lesser are called, and what these are of two vectors.
type number struct {
	Name, Go, V, Plain, Max, Min string
	Prod                         bool // vectors can be multiplied
}

func numbers(dir string) []number {
	list := []number{
		{"Int32", "int32", "i32", "[int32, int64]", "P.Max(*Q)", "P.Min(*Q)", true},
		{"Int64", "int64", "i64", "[int64, int64]", "", "", dir == "x8"},
		{"Float32", "float32", "f32", "Float[float32, uint32]", "", "", true},
		{"Float64", "float64", "f64", "Float[float64, uint64]", "", "", true},
	}
	for i := range list[1:] {
		n := &list[1+i]
		n.Max, n.Min = "greater"+n.Name+"(*P, *Q)", "less"+n.Name+"(*P, *Q)"
	}
	return list
}
