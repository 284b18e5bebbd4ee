package price

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files that come with gobench can be read, and agree with the thesis.
func TestTheFilesOfTheRepository(t *testing.T) {
	b, err := Load("../../../configs/prices/ec2-thesis.toml")
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
	c, err := LoadCluster("../../../configs/clusters/example.toml")
	if err != nil {
		t.Fatal(err)
	}
	for ranks, want := range map[int]float64{1: 1.30, 8: 1.30, 9: 2.60, 128: 20.80} {
		if got, err := c.Rate(b, "on-demand", "", Job{Host: "cc1-07", Cores: ranks}); err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%d ranks: %v, %v, want %v", ranks, got, err, want)
		}
	}
	for _, bad := range []struct {
		job  Job
		want string
	}{
		{Job{Host: "cc1-07", Cores: 129}, "129 cores need 17 nodes of cc1.4xlarge"},
		{Job{Host: "laptop", Cores: 2}, `no node called "laptop"`},
		{Job{Hosts: []string{"cc1-07", "laptop"}}, `no node called "laptop"`},
		{Job{Hosts: instances("cc1", 17)}, "the job ran on 17 nodes of cc1.4xlarge, the cluster 16 x cc1 has 16"},
	} {
		if _, err := c.Rate(b, "on-demand", "", bad.job); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%+v: %v, want %s", bad.job, err, bad.want)
		}
	}
}

// instances returns the names of n hosts of a type.
func instances(kind string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("%s-%02d", kind, i))
	}
	return names
}

// A node costs as much with one rank as with one on each core: 16 ranks spread over 16 hosts of
// 1.30 USD/h cost 20.80 USD/h, and four on four hosts at 0.2603 GOPS 19.97 USD/h for a GOPS.
func TestHostsOfTheJobArePaidFor(t *testing.T) {
	b, err := Load("../../../configs/prices/ec2-thesis.toml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := LoadCluster("../../../configs/clusters/example.toml")
	if err != nil {
		t.Fatal(err)
	}
	for hosts, want := range map[int]float64{1: 1.30, 4: 5.20, 16: 20.80} {
		for _, cores := range []int{hosts, 8 * hosts} {
			got, err := c.Rate(b, "on-demand", "", Job{Hosts: instances("cc1", hosts), Cores: cores})
			if err != nil || math.Abs(got-want) > 1e-9 {
				t.Errorf("%d cores of %d hosts: %v, %v, want %v", cores, hosts, got, err, want)
			}
		}
	}
	hour, err := c.Rate(b, "on-demand", "", Job{Hosts: instances("cc1", 4), Cores: 4})
	if got := PerGOPS(hour, 260.3); err != nil || math.Abs(got-19.97) > 0.01 {
		t.Errorf("%v USD/h for a GOPS, %v", got, err)
	}
	mixed := &Cluster{Nodes: []Node{{Type: "cc1.4xlarge", Hosts: "cc1-*", Cores: 8, Count: 16}, {Type: "cc2.8xlarge", Hosts: "cc2-*", Cores: 16, Count: 8}}}
	hour, err = mixed.Rate(b, "on-demand", "2012", Job{Hosts: append(instances("cc1", 2), instances("cc2", 3)...)})
	if err != nil || math.Abs(hour-(2*1.30+3*2.40)) > 1e-9 {
		t.Errorf("hosts of two types: %v, %v", hour, err)
	}
}

// The hourly costs of the clusters of the thesis: tables 1.4 and 1.5, which are tables 3 and 4 of
// chapter 9, and the productivities at 64 clients that follow from the text and table 2 of chapter
// 8. Servers and masters are charged.
func TestTablesOfTheThesis(t *testing.T) {
	b, err := Load("../../../configs/prices/ec2-thesis.toml")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]struct {
		name  string
		cores int
	}{"cc1": {"cc1.4xlarge", 8}, "cc2": {"cc2.8xlarge", 16}, "hi1": {"hi1.4xlarge", 8}, "hs1": {"hs1.8xlarge", 8}}
	for _, row := range []struct {
		name, server string
		servers      int
		client       string
		clients      int
		date         string
		want         float64
	}{
		{"table 1.4", "cc2", 4, "cc2", 8, "2013", 24},
		{"table 1.4", "hi1", 4, "cc2", 8, "2013", 28.4},
		{"table 1.4", "hi1", 4, "hi1", 16, "2013", 62},
		{"table 1.4", "hs1", 4, "cc2", 8, "2013", 34.4},
		{"table 1.5", "cc2", 1, "cc2", 8, "2013", 18},
		{"table 1.5", "cc2", 1, "cc2", 16, "2013", 34},
		{"table 1.5", "hi1", 1, "hi1", 8, "2013", 27.9},
		{"table 1.5", "hi1", 1, "hi1", 16, "2013", 52.7},
		{"table 1.5", "hs1", 1, "hs1", 8, "2013", 41.4},
		{"table 1.5", "hs1", 1, "hs1", 16, "2013", 78.2},
		{"chapter 8, 271 MB/s: 23.2 MB/s for 1 USD/h", "cc1", 1, "cc1", 8, "2012", 271 / 23.16},
		{"chapter 8, 327 MB/s: 27.3", "cc2", 1, "cc2", 4, "2012", 327 / 27.25},
		{"chapter 8, 338 MB/s: 26.6", "hi1", 1, "cc2", 4, "2012", 338 / 26.61},
	} {
		server, client := types[row.server], types[row.client]
		c := Cluster{Nodes: []Node{{Type: client.name, Cores: client.cores, Count: row.clients}, {Type: server.name, Count: row.servers, Role: "server"}}}
		got, err := c.Rate(b, "on-demand", row.date, Job{Hosts: instances(row.client, row.clients)})
		if err != nil || math.Abs(got-row.want) > 0.005 {
			t.Errorf("%s, %d %s and %d %s: %.3f USD/h, want %.3f (%v)", row.name, row.servers, row.server, row.clients, row.client, got, row.want, err)
		}
	}
}

// The price at a date is the one in force: the last that begins at the date or before.
func TestDates(t *testing.T) {
	b, err := Load("../../../configs/prices/ec2-thesis.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind, option, date string
		want               float64 // 0 = none
	}{
		{"cc2.8xlarge", "on-demand", "2012", 2.40}, {"cc2.8xlarge", "on-demand", "2012-12-31", 2.40}, {"cc2.8xlarge", "on-demand", "2013", 2.00},
		{"cc2.8xlarge", "on-demand", "2013-05", 2.00}, {"cc2.8xlarge", "on-demand", "2026", 2.00}, {"cc2.8xlarge", "on-demand", "2011", 0},
		{"cc1.4xlarge", "on-demand", "2013", 1.30}, // the price of 2012 still holds
		{"cc1.4xlarge", "spot", "2012", 0.818}, {"cc1.4xlarge", "spot", "2012-06", 0}, {"cc1.4xlarge", "spot", "2012-08", 0.818},
		{"cc1.4xlarge", "spot", "2012-09-30", 0.818}, {"cc1.4xlarge", "spot", "2012-10", 0}, {"cc1.4xlarge", "spot", "2013", 0},
		{"cc1.4xlarge", "spot", "", 0.818}, // the latest one, though it has ended
	} {
		p, err := b.Find(c.kind, c.option, c.date)
		if p.PerHour != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%+v: %v, %v", c, p.PerHour, err)
		}
	}
	if _, err := b.Find("cc2.8xlarge", "on-demand", "2011"); err == nil || err.Error() != "the price book ec2-thesis has no on-demand price of cc2.8xlarge for 2011: its first one is of 2012" {
		t.Error(err)
	}
	if _, err := b.Find("cc1.4xlarge", "spot", "2013"); err == nil || !strings.HasSuffix(err.Error(), "for 2013: the one before is of 2012-07/2012-09") {
		t.Error(err)
	}
	for date, ok := range map[string]bool{"2012": true, "2012-07": true, "2012-07-31": true, "": false, "12": false, "2012-13": false, "July": false, "2012-7": false} {
		if err := CheckDate(date); (err == nil) != ok {
			t.Errorf("%q: %v", date, err)
		}
	}
}

// A book of the user has prices of later years than those of the repository.
func TestABookOfTheUser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.toml")
	text := "name = \"mine\"\ncurrency = \"EUR\"\n"
	for date, price := range map[string]string{"2024": "1.5", "2025-06-01/2025-12": "1.25", "2026": "1"} {
		text += fmt.Sprintf("[[price]]\ntype = \"n\"\noption = \"on-demand\"\nper_hour = %s\ndate = %q\nsource = \"a bill\"\n", price, date)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Nodes: []Node{{Type: "n", Cores: 4, Count: 8}}}
	for date, want := range map[string]float64{"2024-12-31": 3, "2025-05": 3, "2025-06-01": 2.5, "2025-12-31": 2.5, "2026": 2, "": 2} {
		if got, err := c.Rate(b, "on-demand", date, Job{Hosts: instances("n", 2)}); err != nil || got != want {
			t.Errorf("%s: %v EUR/h, %v, want %v", date, got, err, want)
		}
	}
	if _, err := c.Rate(b, "on-demand", "2023", Job{Hosts: instances("n", 2)}); err == nil {
		t.Error("a price before the first one")
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
		"currency = \"USD\"\n[[price]]\ntype = \"x\"\noption = \"spot\"\nper_hour = 1\ndate = \"May\"\nsource = \"s\"\n":          `price 1 (x spot): "May" is no date`,
		"currency = \"USD\"\n[[price]]\ntype = \"x\"\noption = \"spot\"\nper_hour = 1\ndate = \"2012/May\"\nsource = \"s\"\n":     `price 1 (x spot): "May" is no date`,
		"currency = \"USD\"\n[[price]]\ntype = \"x\"\noption = \"spot\"\nper_hour = 1\ndate = \"2013/2012-07\"\nsource = \"s\"\n": "it ends in 2012-07, before it begins in 2013",
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
