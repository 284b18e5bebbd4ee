package archtest

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// TestSinksAreLookedUpOnce finds type assertions of the sink of a wire, which take place for each
// message and may allocate: protocol.Extension makes one for each sink.
func TestSinksAreLookedUpOnce(t *testing.T) {
	goFiles(t, func(path string, file *ast.File, set *token.FileSet) {
		if !strings.HasPrefix(path, "transports/") || strings.HasSuffix(path, "_test.go") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if a, ok := n.(*ast.TypeAssertExpr); ok {
				if x, ok := a.X.(*ast.Ident); ok && x.Name == "sink" {
					t.Errorf("%s:%d: a type assertion of a sink, want protocol.Extension", path, set.Position(a.Pos()).Line)
				}
			}
			return true
		})
	})
}
