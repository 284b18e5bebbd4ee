package archtest

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// A program that imports gobench cannot name a type of an internal package, nor read its
// documentation: an exported name of a library is no alias of one.
func TestNoAliasOfAnInternalType(t *testing.T) {
	goFiles(t, func(path string, file *ast.File, set *token.FileSet) {
		if !library(path) || strings.HasPrefix(path, "internal/") {
			return
		}
		internal := map[string]bool{}
		for _, i := range file.Imports {
			target, _ := strconv.Unquote(i.Path.Value)
			if name, ok := strings.CutPrefix(target, module+"internal/"); ok {
				internal[name[strings.LastIndex(name, "/")+1:]] = true
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Assign.IsValid() || !spec.Name.IsExported() {
				return true
			}
			if of, ok := spec.Type.(*ast.SelectorExpr); ok {
				if from, ok := of.X.(*ast.Ident); ok && internal[from.Name] {
					t.Errorf("%v: %s is an alias of a type of an internal package", set.Position(spec.Pos()), spec.Name)
				}
			}
			return true
		})
	})
}
