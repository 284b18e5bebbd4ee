// Declarations that the C files of one object share. The object exports only gb_mpi.
#ifndef GOBENCH_MPI_STATE_H
#define GOBENCH_MPI_STATE_H

#include <mpi.h>

#include "table.h"

extern MPI_Comm gb_comms[GB_CONTEXTS]; // by context: duplicates of MPI_COMM_WORLD
extern MPI_Comm gb_control;	       // of the exchange of data
extern struct gb_status *gb_message;   // the last message

// Numbers of messages sent to each rank and received from it, from which settle computes those that
// are still under way.
extern long long *gb_sent, *gb_received;

// gb_describe returns a datatype for n bytes and the number of its elements. If made is set, the
// caller frees it.
int gb_describe(long long n, MPI_Datatype *type, int *count, int *made);

// Requests of collective operations: gb_reserve returns the place of the next one, NULL if there is
// no memory; gb_reserved assigns it a slot and returns the number.
MPI_Request *gb_reserve(void);
int gb_reserved(void);

// gb_communicator returns the communicator of gb_group.
MPI_Comm gb_communicator(int group);

// The functions of struct gb_table that are in other files.
int gb_send(enum gb_mode mode, const void *buf, long long n, int dst, int tag, int context);
int gb_receive(void *buf, long long n, int src, int tag, int context);
int gb_begin_send(enum gb_mode mode, const void *buf, long long n, int dst, int tag, int context, int *slot);
int gb_begin_receive(void *buf, long long n, int src, int tag, int context, int *slot);
int gb_begin_all(const struct gb_transfer *transfers, int n, int *slots, int *begun);
int gb_test(int slot, int polls, int *done);
int gb_test_all(const int *numbers, int n, int polls, struct gb_status *statuses);
int gb_any(int polls, int *slot);
int gb_probe(int src, int tag, int context, int polls, int *found);
int gb_cancel(int slot);
int gb_outstanding(void);
int gb_pingpong(const void *out, void *in, long long n, int peer, long long rounds, int first, struct gb_stamps *stamps);
int gb_group(int context, const int *members, int n, int *group);
int gb_ungroup(int group);
int gb_collect(const struct gb_collective *c, int *slot);
int gb_allocate(int group, long long n, void **base, struct gb_window **window);
int gb_deallocate(struct gb_window *w);
int gb_unlock(struct gb_window *w);
int gb_put(struct gb_window *w, const void *from, long long n, int target, long long offset);
int gb_get(struct gb_window *w, void *to, long long n, int target, long long offset);
int gb_flush(struct gb_window *w, int target);

#endif
