package verbs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gobench/device"
)

// tree writes files under a new directory, as sysfs shows devices.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// machine has an InfiniBand adapter with one port down, a RoCE adapter with the usual table, and
// iWARP.
func machine(t *testing.T) string {
	return tree(t, map[string]string{
		"efa_0/node_type":                    "7: unspecified",
		"efa_0/ports/1/state":                "4: ACTIVE",
		"efa_0/ports/1/link_layer":           "Unspecified",
		"mlx5_0/node_type":                   "1: CA",
		"mlx5_0/ports/1/state":               "1: DOWN",
		"mlx5_0/ports/1/link_layer":          "InfiniBand",
		"mlx5_0/ports/2/state":               "4: ACTIVE",
		"mlx5_0/ports/2/link_layer":          "InfiniBand",
		"mlx5_0/ports/2/gids/0":              "fe80:0000:0000:0000:b859:9f03:0000:0001",
		"mlx5_0/ports/2/gid_attrs/types/0":   "IB/RoCE v1",
		"mlx5_1/node_type":                   "1: CA",
		"mlx5_1/ports/1/state":               "4: ACTIVE",
		"mlx5_1/ports/1/link_layer":          "Ethernet",
		"mlx5_1/ports/1/gids/0":              "fe80:0000:0000:0000:b859:9fff:fe00:0001",
		"mlx5_1/ports/1/gid_attrs/types/0":   "IB/RoCE v1",
		"mlx5_1/ports/1/gids/1":              "fe80:0000:0000:0000:b859:9fff:fe00:0001",
		"mlx5_1/ports/1/gid_attrs/types/1":   "RoCE v2",
		"mlx5_1/ports/1/gids/2":              "0000:0000:0000:0000:0000:ffff:0a00:0005",
		"mlx5_1/ports/1/gid_attrs/types/2":   "IB/RoCE v1",
		"mlx5_1/ports/1/gids/3":              "0000:0000:0000:0000:0000:ffff:0a00:0005",
		"mlx5_1/ports/1/gid_attrs/types/3":   "RoCE v2",
		"mlx5_1/ports/1/gid_attrs/ndevs/3":   "eth2",
		"mlx5_1/ports/1/gids/4":              "0000:0000:0000:0000:0000:0000:0000:0000",
		"mlx5_1/ports/1/gids/40":             "fd00:0000:0000:0000:0000:0000:0000:0005",
		"mlx5_1/ports/1/gid_attrs/types/40":  "RoCE v2",
		"siw0/node_type":                     "4: RNIC",
		"siw0/ports/1/state":                 "4: ACTIVE",
		"siw0/ports/1/link_layer":            "Ethernet",
		"mlx5_1/ports/1/gids/not-a-number":   "",
		"mlx5_1/ports/not-a-number/whatever": "",
	})
}

func chosen(t *testing.T, root string, set map[string]string, rank int) ([]railAddress, error) {
	t.Helper()
	opts, err := device.ParseOptions(driver.Options(), set)
	if err != nil {
		t.Fatal(err)
	}
	s, err := parse(opts, 4)
	if err != nil {
		t.Fatal(err)
	}
	return chooseAddresses(hcas(root), s, rank)
}

func TestChoice(t *testing.T) {
	root := machine(t)
	for _, c := range []struct {
		set    map[string]string
		device string
		port   int
		gid    int
		global bool
	}{
		{nil, "mlx5_0", 2, 0, false},
		{map[string]string{"device": "mlx5_0", "gid": "0"}, "mlx5_0", 2, 0, true},
		{map[string]string{"device": "mlx5_1"}, "mlx5_1", 1, 3, true},
		{map[string]string{"device": "mlx5_1", "family": "6"}, "mlx5_1", 1, 40, true},
		{map[string]string{"device": "mlx5_1", "gid": "1"}, "mlx5_1", 1, 1, true},
		{map[string]string{"port": "1"}, "mlx5_1", 1, 3, true},
		{map[string]string{"device": "mlx5_1", "bind": "fd00::/16"}, "mlx5_1", 1, 40, true},
		{map[string]string{"device": "mlx5_1", "bind": "^eth2,fd00::/16"}, "mlx5_1", 1, 1, true},
		{map[string]string{"device": "siw0"}, "siw0", 1, 0, true},
		{map[string]string{"device": "mlx5_0+mlx5_1", "rails": "spread"}, "mlx5_1", 1, 3, true},
	} {
		railAddresses, err := chosen(t, root, c.set, 3)
		if err != nil {
			t.Errorf("%v: %v", c.set, err)
			continue
		}
		p := railAddresses[0]
		if len(railAddresses) != 1 || p.device != c.device || p.port.number != c.port || p.gid.index != c.gid || p.global != c.global {
			t.Errorf("%v: chose %s port %d GID %d, by GID %v; want %+v", c.set, p.device, p.port.number, p.gid.index, p.global, c)
		}
	}
	railAddresses, err := chosen(t, root, map[string]string{"device": "mlx5_0+mlx5_1"}, 0)
	if err != nil || len(railAddresses) != 2 {
		t.Errorf("two rails: %v, %v", railAddresses, err)
	}
}

// What cannot be chosen is said with what there is.
func TestNoChoice(t *testing.T) {
	root := machine(t)
	for _, c := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"device": "mlx4_0"}, `unknown RDMA device "mlx4_0": did you mean "mlx5_0"? available: efa_0, mlx5_0, mlx5_1, siw0`},
		{map[string]string{"device": "efa_0"}, "efa_0 has no RC queue pairs"},
		{map[string]string{"device": "mlx5_0", "port": "1"}, "port 1 of mlx5_0 is not active (1: DOWN)"},
		{map[string]string{"port": "3"}, "no device that has RC queue pairs has an active port 3"},
		{map[string]string{"device": "mlx5_0", "port": "3"}, "want a port of mlx5_0: 1 to 2"},
		{map[string]string{"device": "mlx5_1", "gid": "7"}, "port 1 of mlx5_1 has no GID 7; its GIDs are 0: fe80::b859:9fff:fe00:1 (IB/RoCE v1), " +
			"1: fe80::b859:9fff:fe00:1 (RoCE v2), 2: 10.0.0.5 (IB/RoCE v1), 3: 10.0.0.5 (RoCE v2, eth2), 40: fd00::5 (RoCE v2)"},
		{map[string]string{"device": "mlx5_1", "bind": "10.1.0.0/16"}, "port 1 of mlx5_1 has no RoCE v2 GID that fits"},
	} {
		if _, err := chosen(t, root, c.set, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: the error is %v, want %q in it", c.set, err, c.want)
		}
	}
	v1 := tree(t, map[string]string{
		"roce/ports/1/state": "4: ACTIVE", "roce/ports/1/link_layer": "Ethernet",
		"roce/ports/1/gids/0": "0000:0000:0000:0000:0000:ffff:0a00:0005", "roce/ports/1/gid_attrs/types/0": "IB/RoCE v1",
	})
	_, err := chosen(t, v1, nil, 0)
	var missing *device.UnavailableError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "no RoCE v2 GID that fits; its GIDs are 0: 10.0.0.5 (IB/RoCE v1)") {
		t.Errorf("only RoCE v1: the error is %v", err)
	}
}

func TestNoDevice(t *testing.T) {
	for _, c := range []struct {
		root, want string
	}{
		{t.TempDir(), "the kernel shows no RDMA device"},
		{tree(t, map[string]string{"mlx5_0/ports/1/state": "2: INIT"}), "no port is active: mlx5_0 port 1 is 2: INIT"},
		{tree(t, map[string]string{"efa_0/node_type": "7: unspecified", "efa_0/ports/1/state": "4: ACTIVE"}), "no device has RC queue pairs: the kernel shows efa_0"},
		{tree(t, map[string]string{"efa_0/node_type": "7: unspecified", "efa_0/ports/1/state": "4: ACTIVE", "mlx5_0/ports/1/state": "2: INIT"}), "no port is active: mlx5_0 port 1 is 2: INIT"},
		{machine(t), ""},
	} {
		if why := noDevice(hcas(c.root)); !strings.Contains(why, c.want) || c.want == "" && why != "" {
			t.Errorf("%q, want %q", why, c.want)
		}
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for name, values := range map[string][]string{
		"device": {"a+b+c+d+e"}, "gid": {"x", "3x", "256"}, "path_mtu": {"100", "1500", "8192"}, "service_level": {"16"}, "traffic_class": {"256"},
		"credits": {"5000"}, "buffer": {"100", "2MiB"}, "queue": {"4"}, "inline": {"8KiB"}, "segment": {"0"}, "peer_timeout": {"5"},
	} {
		for _, v := range values {
			opts, err := device.ParseOptions(driver.Options(), map[string]string{name: v})
			if err == nil {
				_, err = parse(opts, 2)
			}
			var wrong *device.ValueError
			if !errors.As(err, &wrong) || wrong.Option != name {
				t.Errorf("%s=%s: the error is %v", name, v, err)
			}
		}
	}
}

func TestOptionsMadeIntoNumbers(t *testing.T) {
	for _, c := range []struct {
		set                           map[string]string
		ranks, credits, queue, mtu, e int
	}{
		{nil, 2, 64, 128, 0, 14},
		{nil, 1000, 8, 128, 0, 14},
		{map[string]string{"srq": "on"}, 65, 8, 128, 0, 14},
		{map[string]string{"credits": "1", "queue": "100", "path_mtu": "4096", "peer_timeout": "4000"}, 2, 4, 128, 5, 17},
	} {
		opts, err := device.ParseOptions(driver.Options(), c.set)
		if err != nil {
			t.Fatal(err)
		}
		s, err := parse(opts, c.ranks)
		if err != nil || s.credits != c.credits || s.queue != c.queue || s.mtu != c.mtu || s.timeout != c.e {
			t.Errorf("%v, %d ranks: %d credits, queue %d, mtu %d, time-out %d, %v; want %+v", c.set, c.ranks, s.credits, s.queue, s.mtu, s.timeout, err, c)
		}
	}
}

// The driver says what is missing where there is no verbs, and never panics.
func TestProbe(t *testing.T) {
	err := driver.Probe()
	var missing *device.UnavailableError
	if err != nil && (!errors.As(err, &missing) || missing.Transport != name || missing.Reason == "") {
		t.Errorf("Probe says %v", err)
	}
}
