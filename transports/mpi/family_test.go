//go:build mpi && cgo

package mpi

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"gobench/device"
)

// Figures and comparisons name the library by its product and number alone.
func TestProduct(t *testing.T) {
	for version, want := range map[string]string{
		"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022": "Open MPI 4.1.4",
		"MPICH Version: 4.0.2 MPICH Release date: Thu Apr 7 12:34:45 CDT 2022 MPICH ABI: 14:2:2": "MPICH 4.0.2",
		"MPICH Version:\t4.2.0rc1\nMPICH Release date:":                                          "MPICH 4.2.0rc1",
		"Intel(R) MPI Library 2021.10 for Linux* OS":                                             "Intel(R) MPI Library 2021.10",
		"MVAPICH Version :      3.0 MVAPICH Release date :":                                      "MVAPICH 3.0",
		"somebody's MPI": "somebody's MPI",
	} {
		if got := product(version); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTheLauncherDecides(t *testing.T) {
	for _, c := range []struct {
		env   map[string]string
		name  string
		ranks int
		error string
	}{
		{nil, "", 0, ""},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4", "PMIX_RANK": "1"}, "openmpi", 4, ""},
		{map[string]string{"PMI_RANK": "0", "PMI_SIZE": "2"}, "mpich", 2, ""},
		{map[string]string{"PMI_ID": "0"}, "mpich", 0, ""},
		{map[string]string{"PMI_RANK": "0", "PMI_SIZE": "2", "OMPI_COMM_WORLD_RANK": "1"}, "", 0, "two launchers"},
		{map[string]string{"PMI_RANK": "0", "PMI_SIZE": "many"}, "", 0, "no number of ranks"},
	} {
		f, n, err := launchedBy(func(name string) (string, bool) { v, ok := c.env[name]; return v, ok })
		name := ""
		if f != nil {
			name = f.name
		}
		if name != c.name || n != c.ranks || (err == nil) != (c.error == "") || err != nil && !strings.Contains(err.Error(), c.error) {
			t.Errorf("%v: %q, %d ranks, error %v", c.env, name, n, err)
		}
	}
}

// int and uint are of 64 bits, with the same operators.
func TestReductions(t *testing.T) {
	for _, c := range []struct {
		element, operator string
		as                string
	}{
		{"int", "sum", "int64"},
		{"uint", "bxor", "uint64"},
		{"int", "land", ""},
		{"uint", "", ""},
		{"float64", "band", ""},
		{"complex64", "max", ""},
	} {
		g := &group{d: &mpi{}}
		err := g.prepare(&device.Collective{Operation: device.Allreduce, Element: c.element, Operator: c.operator})
		var argument *device.ArgumentError
		if c.as == "" && !errors.As(err, &argument) || c.as != "" && (err != nil || elements[g.reduction.Element] != c.as) {
			t.Errorf("%s of %s: element %d, error %v", c.operator, c.element, g.reduction.Element, err)
		}
	}
	for i, name := range functions {
		if begins := "MPI_I" + strings.ToLower(name[len("MPI_"):]); starts[i] != begins {
			t.Errorf("%s is started by %s, want %s", name, starts[i], begins)
		}
	}
}

// What users choose is recorded, and not what differs in each job.
func TestParameters(t *testing.T) {
	got := parameters([]string{"OMPI_MCA_btl=self,tcp", "OMPI_MCA_orte_jobid=77", "MPIR_CVAR_CH4_NETMOD=ofi", "UCX_TLS=tcp", "FI_PROVIDER=shm", "HOME=/", "I_MPI_HYDRA_DEBUG=1"})
	want := map[string]string{"OMPI_MCA_btl": "self,tcp", "MPIR_CVAR_CH4_NETMOD": "ofi", "UCX_TLS": "tcp", "FI_PROVIDER": "shm"}
	if !maps.Equal(got, want) {
		t.Errorf("parameters %v, want %v", got, want)
	}
}

// The ABI of the launcher's own library comes before the standard one, unless the user selects it.
func TestABIs(t *testing.T) {
	for value, want := range map[string]string{"": "mpich standard", "own": "mpich", "standard": "standard", "mpich": "an error"} {
		list, err := families[1].abis(func(name string) (string, bool) { return value, name == abiVariable && value != "" })
		var names []string
		for _, f := range list {
			names = append(names, f.name)
		}
		if err != nil {
			names = []string{"an error"}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s=%s: %s, want %s", abiVariable, value, got, want)
		}
	}
}

// Without the library of the launcher the error names it, and what is here instead.
func TestWithoutALibrary(t *testing.T) {
	kept, abi := families, standard
	defer func() { families, standard = kept, abi }()
	families = []family{kept[0]}
	families[0].libraries, standard.libraries = []string{"libnowhere.so.40"}, []string{"libnowhere_abi.so"}
	t.Setenv("OMPI_COMM_WORLD_RANK", "0")
	_, err := join()
	var none *device.UnavailableError
	if !errors.As(err, &none) || !strings.Contains(err.Error(), "libnowhere.so.40") || !strings.Contains(err.Error(), "libnowhere_abi.so") || !strings.Contains(err.Error(), "mpirun of Open MPI") {
		t.Errorf("error is %v", err)
	}
	if err := probe(); !errors.As(err, &none) {
		t.Errorf("probe: %v", err)
	}
}

func TestModules(t *testing.T) {
	got := modules(`7f00 r-xp 00000000 08:01 1 /usr/lib/openmpi3/mca_pml_ob1.so
7f01 r--p 00000000 08:01 1 /usr/lib/openmpi3/mca_pml_ob1.so
7f02 r-xp 00000000 08:01 2 /usr/lib/openmpi3/mca_btl_vader.so
7f03 r-xp 00000000 08:01 3 /usr/lib/openmpi3/mca_rml_oob.so
7f04 r-xp 00000000 08:01 4 /usr/lib/libfabric.so.1.17.1
7f05 r-xp 00000000 08:01 5 /usr/lib/ucx/libuct_cma.so.0.0.0
7f06 rw-p 00000000 00:00 0 [heap]
`)
	if want := "btl_vader fabric pml_ob1 uct_cma"; got != want {
		t.Errorf("modules %q, want %q", got, want)
	}
}
