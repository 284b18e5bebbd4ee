//go:build mpi

package mpi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/lazyregexp"
)

// A family is an ABI of MPI with the launchers that start its programs.
type family struct {
	name      string   // of the ABI, and of its object
	about     string   // its libraries
	launcher  string   // for messages
	libraries []string // file names, in the order in which they are tried
	rank      []string // variables of which the launcher sets one
	size      []string // variables with the number of ranks
}

// families are in the order in which a launcher is recognized: mpiexec of MPICH asks for the
// variables of PMIx as well, if it runs below an mpirun.
var families = []family{
	{name: "openmpi", about: "Open MPI", launcher: "mpirun of Open MPI", libraries: []string{"libmpi.so.40"},
		rank: []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK"}, size: []string{"OMPI_COMM_WORLD_SIZE"}},
	{name: "mpich", about: "MPICH, Intel MPI or MVAPICH", launcher: "mpiexec of MPICH (Hydra)", libraries: []string{"libmpi.so.12", "libmpich.so.12"},
		rank: []string{"PMI_RANK", "PMI_ID"}, size: []string{"PMI_SIZE"}},
}

// standard is the ABI of MPI 5.0, which libraries of any launcher may have beside their own.
var standard = family{name: "standard", about: "the standard ABI of MPI 5.0", libraries: []string{"libmpi_abi.so.1", "libmpi_abi.so"}}

// abiVariable selects the ABI of the library that is opened: "standard", "own", that of the
// launcher's family, or, by default, the first of "own" and "standard" that is there.
const abiVariable = "GOBENCH_MPI_ABI"

// abis returns the ABIs whose libraries are tried for a launcher of f.
func (f *family) abis(env environment) ([]*family, error) {
	switch wanted, _ := env(abiVariable); wanted {
	case "":
		return []*family{f, &standard}, nil
	case "own":
		return []*family{f}, nil
	case "standard":
		return []*family{&standard}, nil
	default:
		return nil, fmt.Errorf("%s is %q in the environment: want own or standard", abiVariable, wanted)
	}
}

// versioned matches the beginning of what MPI_Get_library_version returns.
var versioned = lazyregexp.New(`^(.+?)\s+(?:[Vv]ersion\s*:?\s*|v)?([0-9]+(?:\.[0-9]+)+[0-9A-Za-z.]*)`)

// product returns the name and the number of a version that MPI_Get_library_version returned ("Open
// MPI 4.1.4", "MPICH 4.0.2"), or all of it.
func product(version string) string {
	if m := versioned.FindStringSubmatch(version); m != nil {
		return m[1] + " " + m[2]
	}
	return version
}

// environment looks a variable up.
type environment func(name string) (string, bool)

// launchedBy returns the family whose launcher started this process and the number of ranks, 0 if
// it is not known; nil if no launcher of MPI did. The variables of both are there when one launcher
// was started below the other, which is an error.
func launchedBy(env environment) (*family, int, error) {
	var found []*family
	for i, f := range families {
		if slices.ContainsFunc(f.rank, env.has) {
			found = append(found, &families[i])
		}
	}
	switch len(found) {
	case 0:
		return nil, 0, nil
	case 1:
	default:
		return nil, 0, fmt.Errorf("the variables of two launchers are set, those of %s and of %s: start gobench by one of them alone", found[0].launcher, found[1].launcher)
	}
	for _, variable := range found[0].size {
		if text, ok := env(variable); ok {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return nil, 0, fmt.Errorf("%s=%q in the environment is no number of ranks", variable, text)
			}
			return found[0], n, nil
		}
	}
	return found[0], 0, nil
}

func (env environment) has(name string) bool {
	_, ok := env(name)
	return ok
}

// parameterPrefixes begin the variables by which users choose what a library does.
var parameterPrefixes = []string{"OMPI_MCA_", "MPICH_", "MPIR_CVAR_", "I_MPI_", "MV2_", "UCX_", "FI_"}

// ofLauncher are variables with such prefixes that launchers set for themselves. Most differ in
// each job, and none chooses how messages move.
var ofLauncher = []string{"OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_initial_wdir", "OMPI_MCA_mpi_oversubscribe", "OMPI_MCA_plm",
	"OMPI_MCA_pmix", "OMPI_MCA_routed", "OMPI_MCA_shmem_RUNTIME_QUERY_hint", "I_MPI_HYDRA_"}

// parameters returns the variables of an environment that choose what a library does, by name.
func parameters(environ []string) map[string]string {
	begins := func(prefixes []string, name string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	set := map[string]string{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if begins(parameterPrefixes, name) && !begins(ofLauncher, name) {
			set[name] = value
		}
	}
	return set
}
