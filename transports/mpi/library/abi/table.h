// The functions of mpi.c, in plain C types, which hide the differences between the ABIs of MPI.
#ifndef GOBENCH_MPI_TABLE_H
#define GOBENCH_MPI_TABLE_H

enum {
	GB_CONTEXTS = 256, // communicators, one for each context of the device
	GB_ANY = -1,       // source or tag
};

enum gb_mode { GB_STANDARD, GB_SYNCHRONOUS };

// gb_status describes the message of the last receive, test, wait or probe.
struct gb_status {
	long long size; // bytes, as sent where the library reports that, else as stored
	int source, tag;
	int cancelled;
	int truncated;
	int error; // of test_all: 0, or a code of MPI
};

// gb_transfer is a send of the standard mode, or a receive.
struct gb_transfer {
	void *buf;
	long long bytes;
	int peer, tag, context;
	int receives;
};

// gb_stamps are the times of a loop (device.Stamps).
struct gb_stamps {
	long long *at; // ns of CLOCK_MONOTONIC
	long long every, left, made, most;
};

// Operations, element types and operators of collectives, in the order of package device.
enum gb_operation {
	GB_BARRIER, GB_BCAST, GB_SCATTER, GB_GATHER, GB_ALLGATHER, GB_ALLTOALL,
	GB_REDUCE, GB_ALLREDUCE, GB_REDUCE_SCATTER, GB_SCAN, GB_EXSCAN,
};
enum gb_element {
	GB_INT8, GB_INT16, GB_INT32, GB_INT64, GB_UINT8, GB_UINT16, GB_UINT32, GB_UINT64,
	GB_FLOAT32, GB_FLOAT64, GB_COMPLEX64, GB_COMPLEX128,
};
enum gb_operator { GB_SUM, GB_PROD, GB_MAX, GB_MIN, GB_BAND, GB_BOR, GB_BXOR };

// gb_collective describes a collective operation on one rank.
struct gb_collective {
	const void *send;
	void *recv;
	long long bytes; // of the vector, or of one block
	int group;	 // of gb_table.group
	enum gb_operation operation;
	enum gb_element element; // of reductions
	enum gb_operator op;	 // of reductions
	int root;
	int in_place; // MPI_IN_PLACE instead of send, or of recv in a scatter
};

// gb_facts describe the library and this process after start.
struct gb_facts {
	int rank, size;
	int local_size; // ranks that share memory with this one
	int tag_max;
	int thread;   // 0 SINGLE, 1 FUNNELED, 2 SERIALIZED, 3 MULTIPLE
	int standard; // 100 * version + subversion
};

struct gb_window;

// Functions return 0 or an error code of MPI. A request is the number of a slot, from 0. All but
// version are called by the thread that has called start.
struct gb_table {
	const char *(*version)(void); // before start, too
	int (*start)(struct gb_facts *facts, struct gb_status *status);
	void (*explain)(int error, char *text, int room);
	int (*gather)(const void *mine, void *all, long long n); // starts it
	int (*gathered)(int *done);                             // tests it
	int (*settle)(void);                                    // discards messages of an earlier device; collective
	int (*finish)(void);

	int (*send)(enum gb_mode mode, const void *buf, long long n, int dst, int tag, int context);
	int (*receive)(void *buf, long long n, int src, int tag, int context);
	int (*begin_send)(enum gb_mode mode, const void *buf, long long n, int dst, int tag, int context, int *slot);
	int (*begin_receive)(void *buf, long long n, int src, int tag, int context, int *slot);
	// test makes progress up to polls times and reports whether the request is complete; then its
	// slot is free. A negative number of polls waits in the library.
	int (*test)(int slot, int polls, int *done);
	// begin_all begins n transfers in order up to the first error; begun is their number.
	int (*begin_all)(const struct gb_transfer *transfers, int n, int *slots, int *begun);
	// test_all is test of n different slots, which it frees together, with a status of each. It
	// leaves out slots below 0. It returns whether all are complete.
	int (*test_all)(const int *slots, int n, int polls, struct gb_status *statuses);
	// any tests all requests, and returns the first complete one without freeing it, else -1.
	int (*any)(int polls, int *slot);
	int (*probe)(int src, int tag, int context, int polls, int *found);
	int (*cancel)(int slot);
	int (*outstanding)(void);
	int (*pingpong)(const void *out, void *in, long long n, int peer, long long rounds, int first, struct gb_stamps *stamps);

	// group makes the communicator of n ranks, which call it together; the messages that make it
	// use the context as their tag. ungroup frees it.
	int (*group)(int context, const int *members, int n, int *group);
	int (*ungroup)(int group);
	// collect runs a collective operation, or starts it where slot is not NULL.
	int (*collect)(const struct gb_collective *c, int *slot);

	// allocate makes a window with n zeroed bytes of each rank of a group, collectively, on all
	// ranks or none; it is NULL where the memory of a rank and that which others access are not the
	// same (MPI_WIN_SEPARATE). Data of put and get belongs to the library until flush.
	int (*allocate)(int group, long long n, void **base, struct gb_window **window);
	int (*deallocate)(struct gb_window *window);
	// unlock ends the epoch of a window that is not deallocated, before finish.
	int (*unlock)(struct gb_window *window);
	int (*put)(struct gb_window *window, const void *from, long long n, int target, long long offset);
	int (*get)(struct gb_window *window, void *to, long long n, int target, long long offset);
	int (*flush)(struct gb_window *window, int target);

	void *(*alloc)(long long n);
	void (*release)(void *memory);
};

// gb_mpi returns the table.
typedef const struct gb_table *gb_entry(void);

#endif
