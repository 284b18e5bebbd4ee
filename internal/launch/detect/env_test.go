package detect

import (
	"slices"
	"strings"
	"testing"

	"gobench/internal/fuzzing"
)

// No rank is told who its parent is, and everything else stays, the last value of each name.
func FuzzCleanEnv(t *testing.F) {
	f := fuzzing.New(t)
	f.Add("PATH=/bin\nGOBENCH_RANK=1\nPATH=/usr/bin\nPMI_FD=3\nPMIX_X=1\nOMPI_COMM_WORLD_RANK=2")
	f.Add("=\n\nA\nA=1\nGOBENCH_TABLE=x")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 500 {
			return
		}
		env := strings.Split(text, "\n")
		clean := CleanEnv(env)
		last := map[string]string{}
		for _, variable := range env {
			name, _, _ := strings.Cut(variable, "=")
			last[name] = variable
		}
		for _, variable := range clean {
			name, _, _ := strings.Cut(variable, "=")
			if last[name] != variable || slices.Contains(OwnVariables, name) || strings.HasPrefix(name, "PMIX_") {
				t.Fatalf("%q stays of %q", variable, env)
			}
			delete(last, name)
		}
		for name := range last { // what is left out has a reason
			foreign := slices.ContainsFunc(Bootstraps, func(b Bootstrap) bool { return b.owns(name) })
			if !foreign && !slices.Contains(OwnVariables, name) {
				t.Fatalf("%q is left out of %q", name, env)
			}
		}
	})
}
