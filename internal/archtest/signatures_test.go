package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// isInternal reports whether other modules cannot import a package.
func isInternal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// internalIn returns the exported objects of a package, their exported fields and methods, whose
// types name a type of an internal package of the module: a program of others cannot name that
// type.
func internalIn(p *types.Package) (found []string) {
	report := func(name string, t types.Type) {
		for _, of := range internalTypes(t) {
			found = append(found, strings.TrimPrefix(p.Path(), module)+"."+name+": "+of)
		}
	}
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		named, defined := object.Type().(*types.Named)
		switch _, isType := object.(*types.TypeName); {
		case !object.Exported():
			continue
		case !isType || !defined:
			report(name, object.Type())
			continue
		}
		for i := range named.TypeParams().Len() {
			report(name, named.TypeParams().At(i).Constraint())
		}
		report(name, named.Underlying())
		for m := range named.Methods() {
			if m.Exported() {
				report(name+"."+m.Name(), m.Type())
			}
		}
	}
	return found
}

// internalTypes returns the internal types of the module that a reader of a type has to know. What
// a defined type consists of is not part of a type that names it.
func internalTypes(t types.Type) (found []string) {
	tuple := func(vars *types.Tuple) {
		for v := range vars.Variables() {
			found = append(found, internalTypes(v.Type())...)
		}
	}
	name := func(object *types.TypeName, arguments *types.TypeList) {
		if p := object.Pkg(); p != nil && strings.HasPrefix(p.Path(), module) && isInternal(p.Path()) {
			found = append(found, strings.TrimPrefix(p.Path(), module)+"."+object.Name())
		}
		for a := range arguments.Types() {
			found = append(found, internalTypes(a)...)
		}
	}
	switch t := t.(type) {
	case *types.Named:
		name(t.Obj(), t.TypeArgs())
	case *types.Alias:
		name(t.Obj(), t.TypeArgs())
		return append(found, internalTypes(t.Rhs())...)
	case *types.Map:
		return append(internalTypes(t.Key()), internalTypes(t.Elem())...)
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return internalTypes(t.Elem())
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			found = append(found, internalTypes(p.Constraint())...)
		}
		tuple(t.Params())
		tuple(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				for _, of := range internalTypes(f.Type()) {
					found = append(found, of+" in field "+f.Name())
				}
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if m.Exported() {
				for _, of := range internalTypes(m.Type()) {
					found = append(found, of+" in method "+m.Name())
				}
			}
		}
		for e := range t.EmbeddedTypes() {
			found = append(found, internalTypes(e)...)
		}
	case *types.Union:
		for term := range t.Terms() {
			found = append(found, internalTypes(term.Type())...)
		}
	}
	return found
}

// noInternalTypes fails for the public packages whose exported names need a type of an internal
// package.
func noInternalTypes(t *testing.T, checked map[string]*types.Package) {
	public := publicPackages(t)
	for path, p := range checked {
		name, ok := strings.CutPrefix(path, module)
		if !ok || isInternal(path) || strings.HasSuffix(path, "]") || !slices.ContainsFunc(public, func(pattern string) bool { return fits(pattern, name) }) {
			continue
		}
		for _, found := range internalIn(p) {
			t.Errorf("%s is internal: a program of others cannot name it", found)
		}
	}
}

func TestInternalTypesAreFound(t *testing.T) {
	check := func(path, source string, imports map[string]*types.Package) *types.Package {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "x.go", source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		config := types.Config{Importer: importer(func(path string) (*types.Package, error) { return imports[path], nil })}
		p, err := config.Check(path, set, []*ast.File{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	in := check(module+"internal/in", "package in; type T struct{}; type C interface{ ~int | ~uint }; type G[E any] struct{}", nil)
	for declaration, want := range map[string]int{
		"func F(map[string][]*in.T, ...chan in.T) func() in.T { return nil }": 3,
		"func F[E in.C](E) {}":                                1,
		"type S struct { F, G in.T; h in.T }":                 2,
		"type S struct { in.T }":                              1,
		"type S struct{}; func (*S) M(in.T) {}":               1,
		"type S struct{}; func (*S) m(in.T) {}":               0,
		"type S[E in.C] struct{}":                             1,
		"type I interface { M(in.T); m(in.T) }":               1,
		"type I interface { in.C }":                           1,
		"type A = in.T":                                       1,
		"type S in.T":                                         0,
		"type L []in.T":                                       1,
		"type G[E any] struct{}; var V G[in.T]":               1,
		"type G[E any] struct{}; var V in.G[G[in.T]]":         2,
		"var V = struct{ F in.T }{}":                          1,
		"type s struct { F in.T }; func F() (r s) { return }": 0,
		"func f(in.T) {}; type S struct { f func(*S) in.T }":  0,
	} {
		source := "package p; import \"" + in.Path() + "\"; var _ in.T; " + declaration
		if found := internalIn(check(module+"p", source, map[string]*types.Package{in.Path(): in})); len(found) != want {
			t.Errorf("%s: found %q, want %d", declaration, found, want)
		}
	}
}
