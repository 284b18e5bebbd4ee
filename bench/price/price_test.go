package price

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files that come with gobench can be read, and agree with the thesis.
func TestTheFilesOfTheRepository(t *testing.T) {
	b, err := Load("../../configs/prices/ec2-thesis.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind, option, date string
		want               float64
	}{
		{"cc1.4xlarge", "on-demand", "", 1.30}, {"cc2.8xlarge", "on-demand", "2012", 2.40}, {"cc2.8xlarge", "on-demand", "", 2.00},
		{"cc2.8xlarge", "spot", "", 0.948}, {"hi1.4xlarge", "reserved", "", 0.899},
	} {
		if p, err := b.Find(c.kind, c.option, c.date); err != nil || p.PerHour != c.want {
			t.Errorf("%+v: %+v, %v", c, p, err)
		}
	}
	if _, err := b.Find("hi1.4xlarge", "spot", ""); err == nil || err.Error() != "the price book ec2-thesis has no spot price of hi1.4xlarge" {
		t.Errorf("%v", err)
	}
	if _, err := b.Find("cc2.8xlarg", "spot", ""); err == nil || !strings.Contains(err.Error(), `did you mean "cc2.8xlarge"`) {
		t.Errorf("%v", err)
	}
	c, err := LoadCluster("../../configs/clusters/example.toml")
	if err != nil {
		t.Fatal(err)
	}
	for ranks, want := range map[int]float64{1: 1.30, 8: 1.30, 9: 2.60, 128: 20.80} {
		if got, err := c.Rate(b, "on-demand", "", "cc1-07", ranks); err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%d ranks: %v, %v, want %v", ranks, got, err, want)
		}
	}
	if _, err := c.Rate(b, "on-demand", "", "cc1-07", 129); err == nil || !strings.Contains(err.Error(), "129 cores need 17 nodes of cc1.4xlarge") {
		t.Errorf("%v", err)
	}
	if _, err := c.Rate(b, "on-demand", "", "laptop", 2); err == nil || !strings.Contains(err.Error(), `no node called "laptop"`) {
		t.Errorf("%v", err)
	}
}

// Chapter 9, table 3 of the thesis: servers are charged, too.
func TestServersArePaidFor(t *testing.T) {
	b, err := Load("../../configs/prices/ec2-thesis.toml")
	if err != nil {
		t.Fatal(err)
	}
	for server, want := range map[string]float64{"cc2.8xlarge": 24, "hi1.4xlarge": 28.4, "hs1.8xlarge": 34.4} {
		c := Cluster{Nodes: []Node{{Type: "cc2.8xlarge", Cores: 16, Count: 8}, {Type: server, Count: 4, Role: "server"}}}
		if got, err := c.Rate(b, "on-demand", "2013", "any", 128); server != "hi1.4xlarge" && (err != nil || math.Abs(got-want) > 1e-9) {
			t.Errorf("%s: %v, %v, want %v", server, got, err, want)
		}
		if got, err := c.Rate(b, "on-demand", "", "any", 128); err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s, latest prices: %v, %v, want %v", server, got, err, want)
		}
	}
	if got := PerGOPS(2.6, 5200); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("%v", got)
	}
}

func TestWrongFiles(t *testing.T) {
	write := func(s string) string {
		path := filepath.Join(t.TempDir(), "x.toml")
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for in, want := range map[string]string{
		"": "a price book needs a currency", "currency = \"USD\"\n[[price]]\ntype = \"x\"\n": "price 1 (x ): type, option, date, source",
		"currancy = \"USD\"\n": `unknown key "currancy": did you mean "currency"`, "currency": "toml:",
	} {
		if _, err := Load(write(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
	for in, want := range map[string]string{"": "a cluster needs at least one", "[[node]]\ntype = \"x\"\n": "node 1: type, count", "[[node]]\ntype=\"x\"\ncount=1\ncores=1\nhosts=\"[\"\n": "is not a valid pattern"} {
		if _, err := LoadCluster(write(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
	if _, err := Load("nowhere.toml"); err == nil || !strings.Contains(err.Error(), "nowhere.toml: no such file") {
		t.Errorf("%v", err)
	}
}
