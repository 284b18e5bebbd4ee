/*
 * The values of MPICH, from its own header.
 */
#include <mpi.h>

#include "mpich.h"

const struct mpich_pair mpich_handles[] = {
	{0x20, MPI_OP_NULL}, {0x21, MPI_SUM}, {0x22, MPI_MIN}, {0x23, MPI_MAX}, {0x24, MPI_PROD},
	{0x28, MPI_BAND}, {0x29, MPI_BOR}, {0x2a, MPI_BXOR},
	{0x100, MPI_COMM_NULL}, {0x101, MPI_COMM_WORLD},
	{0x130, MPI_INFO_NULL}, {0x143, MPI_ERRORS_RETURN}, {0x180, MPI_REQUEST_NULL},
	{0x200, MPI_DATATYPE_NULL}, {0x20b, MPI_LONG_LONG}, {0x210, MPI_FLOAT}, {0x212, MPI_C_FLOAT_COMPLEX},
	{0x214, MPI_DOUBLE}, {0x216, MPI_C_DOUBLE_COMPLEX}, {0x240, MPI_INT8_T}, {0x241, MPI_UINT8_T},
	{0x247, MPI_BYTE}, {0x248, MPI_INT16_T}, {0x249, MPI_UINT16_T}, {0x250, MPI_INT32_T},
	{0x251, MPI_UINT32_T}, {0x258, MPI_INT64_T}, {0x259, MPI_UINT64_T},
	{0, 0},
};

const struct mpich_pair mpich_classes[] = {
	{2, MPI_ERR_COUNT}, {3, MPI_ERR_TYPE}, {4, MPI_ERR_TAG}, {5, MPI_ERR_COMM}, {6, MPI_ERR_RANK},
	{13, MPI_ERR_ARG}, {15, MPI_ERR_TRUNCATE}, {17, MPI_ERR_INTERN}, {18, MPI_ERR_PENDING}, {19, MPI_ERR_IN_STATUS}, {39, MPI_ERR_NO_MEM},
	{0, 0},
};

const int mpich_any_source = MPI_ANY_SOURCE, mpich_any_tag = MPI_ANY_TAG, mpich_tag_ub = MPI_TAG_UB, mpich_shared = MPI_COMM_TYPE_SHARED;
const int mpich_model = MPI_WIN_MODEL, mpich_unified = MPI_WIN_UNIFIED, mpich_nocheck = MPI_MODE_NOCHECK;
const int mpich_threads[4] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
void *const mpich_in_place = MPI_IN_PLACE;
