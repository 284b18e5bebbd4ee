// What the two files of the emulator share: the values of MPICH, by those of the standard ABI.
#ifndef GOBENCH_MPI_EMULATOR_H
#define GOBENCH_MPI_EMULATOR_H

struct mpich_pair {
	unsigned standard;
	int mpich;
};

// mpich_handles are the predefined handles, mpich_classes the classes of errors. A pair of 0 ends
// each.
extern const struct mpich_pair mpich_handles[], mpich_classes[];

extern const int mpich_any_source, mpich_any_tag, mpich_tag_ub, mpich_shared, mpich_model, mpich_unified, mpich_nocheck;
// mpich_threads are the levels of thread support, from SINGLE to MULTIPLE.
extern const int mpich_threads[4];
extern void *const mpich_in_place;

#endif
