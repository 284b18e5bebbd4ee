package peers

import (
	"os/exec"
	"strings"
	"testing"
)

// The table of kernels beside NPB has a row for each cell of the comparison, with the base over the
// rival, whatever the order of the columns, and names the processor.
func TestRatios(t *testing.T) {
	cmd := exec.Command("../scripts/ratios.sh")
	cmd.Stdin = strings.NewReader(`bench,transport,size_B,ranks,class,algorithm,base,side,metric,base_median,side_median,base_n,side_n,ratio,why
cg,smem,0,2,A,,gobench,NPB,mops,2500.25,1000,7,6,0.4,"faster, by far"
is,smem,0,1,A,by rank,gobench,NPB,mops,300,400,7,7,1.3,
is,smem,0,1,A,unsorted,gobench,NPB,run,300,400,7,7,1.3,
ft,smem,0,1,A,,gobench,NPB,mops,300,,7,0,,it has no launches
`)
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != 4 || len(lines[0]) <= len("processor: ") {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, want := range []string{"kernel class ranks algorithm Mop/s rival ratio (launches)", "cg A 2 2500.2 1000.0 2.50 (7+6) NPB", "is A 1 by rank 300.0 400.0 0.75 (7+7) NPB"} {
		if got := strings.Join(strings.Fields(lines[i+1]), " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
