// Faults on demand. The variable GOBENCH_GNI_EMULATOR, or gobench_emulator_set, holds words
// separated by spaces or commas:
//
//	fail=FUNCTION:CODE[:N]  the N-th call (default 1) returns this code
//	transient=P  fatal=P    a posted operation ends with a transaction error, recoverable or not
//	lost=P                  a remote event is lost
//	early=P                 a remote event comes before its message can be read
//	overrun=P               a remote event finds its queue full
//	cross=P                 a greeting is answered although the peer is greeted at the same time
//	entries=N               the most entries of a completion queue of remote events
//	nic=N                   the NIC fails after N operations
//	latency=NS              of messages and operations
//	version=N               the revision that GNI_GetVersion returns
//	seed=N                  of the probabilities P, which are between 0 and 1
//
// With GOBENCH_GNI_CONTROL=FILE the words of the file are added when its modification time changes,
// which is checked every 10 ms.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "fabric.h"


#ifndef FAULTS_VARIABLE
#define FAULTS_VARIABLE "GOBENCH_GNI_EMULATOR"
#endif

struct failure {
	char function[40];
	int code;
	long long left;
};

static struct {
	pthread_mutex_t lock;
	pthread_once_t once;
	struct failure failures[64];
	_Atomic int n;
	double chances[CHANCES];
	_Atomic uint64_t random, latency, entries, version, lifetime;
} set = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static const char *const names[CHANCES] = {"transient", "fatal", "lost", "early", "overrun", "cross"};

static void word(char *text)
{
	char *value = strchr(text, '=');
	if (!value)
		goto unknown;
	*value++ = 0;
	for (int i = 0; i < CHANCES; i++) {
		if (!strcmp(text, names[i])) {
			set.chances[i] = atof(value);
			return;
		}
	}
	uint64_t number = strtoull(value, NULL, 0);
	if (!strcmp(text, "fail")) {
		struct failure f = {.left = 1};
		if (sscanf(value, "%39[^:]:%d:%lld", f.function, &f.code, &f.left) < 2 || set.n == 64)
			goto unknown;
		set.failures[set.n] = f;
		set.n++;
	} else if (!strcmp(text, "latency")) {
		set.latency = number;
	} else if (!strcmp(text, "entries")) {
		set.entries = number;
	} else if (!strcmp(text, "version")) {
		set.version = number;
	} else if (!strcmp(text, "nic")) {
		set.lifetime = number;
	} else if (!strcmp(text, "seed")) {
		set.random = number;
	} else {
		goto unknown;
	}
	return;
unknown:
	fprintf(stderr, "emulator: unknown fault \"%s\"\n", text);
	abort();
}

static void words(const char *text)
{
	char *copy = strdup(text), *rest = copy;
	pthread_mutex_lock(&set.lock);
	for (char *w; copy && (w = strsep(&rest, " ,\n"));)
		if (*w)
			word(w);
	pthread_mutex_unlock(&set.lock);
	free(copy);
}

static void start(void)
{
	const char *text = getenv(FAULTS_VARIABLE);
	set.random = 1;
	if (text)
		words(text);
}

// gobench_emulator_set replaces all faults. It is not part of a vendor's interface.
void __attribute__((visibility("default"))) gobench_emulator_set(const char *text)
{
	pthread_once(&set.once, start);
	pthread_mutex_lock(&set.lock);
	set.n = 0;
	memset(set.chances, 0, sizeof set.chances);
	set.latency = set.entries = set.version = set.lifetime = 0;
	set.random = 1;
	pthread_mutex_unlock(&set.lock);
	words(text);
}

// gobench_emulator_unused returns the number of failures that are set and have not happened.
int __attribute__((visibility("default"))) gobench_emulator_unused(void)
{
	int n = 0;
	for (int i = 0; i < set.n; i++)
		n += set.failures[i].left > 0;
	return n;
}

static void control(void)
{
	static _Atomic uint64_t checked, changed;
	const char *path = getenv("GOBENCH_GNI_CONTROL");
	if (!path)
		return;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	uint64_t at = (uint64_t)t.tv_sec * 100 + (uint64_t)t.tv_nsec / 10000000;
	if (atomic_exchange(&checked, at) == at)
		return;
	struct stat s;
	if (stat(path, &s))
		return;
	uint64_t when = (uint64_t)s.st_mtim.tv_sec * 1000000000 + (uint64_t)s.st_mtim.tv_nsec;
	if (atomic_exchange(&changed, when) == when)
		return;
	FILE *f = fopen(path, "r");
	char text[4096];
	if (f) {
		text[fread(text, 1, sizeof text - 1, f)] = 0;
		fclose(f);
		words(text);
	}
}

static gni_return_t failing(const char *function)
{
	gni_return_t code = GNI_RC_SUCCESS;
	pthread_mutex_lock(&set.lock);
	for (int i = 0; i < set.n && !code; i++)
		if (set.failures[i].left > 0 && !strcmp(set.failures[i].function, function) && !--set.failures[i].left)
			code = (gni_return_t)set.failures[i].code;
	pthread_mutex_unlock(&set.lock);
	return code;
}

struct guard enter(const char *function, struct nic *n)
{
	struct guard g = {.nic = n};
	pthread_once(&set.once, start);
	control();
	if (n && atomic_exchange_explicit(&n->busy, 1, memory_order_acquire))
		violation(function, "two threads call one NIC at a time");
	if (set.n)
		g.code = failing(function);
	if (g.code && n && (!strcmp(function, "GNI_CqGetEvent") || !strcmp(function, "GNI_GetCompleted")))
		n->deaf = true;
	return g;
}

void leave(struct guard *g)
{
	if (g->nic)
		atomic_store_explicit(&g->nic->busy, 0, memory_order_release);
}

bool happens(enum chance c)
{
	if (set.chances[c] <= 0)
		return false;
	uint64_t x = atomic_fetch_add(&set.random, 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9; // splitmix64
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (double)((x ^ x >> 31) >> 11) * 0x1p-53 < set.chances[c];
}

uint64_t latency(void) { return set.latency; }
bool timed(void) { return set.latency || set.chances[EARLY] > 0; }
uint64_t lifetime(void) { return set.lifetime; }
uint32_t most_entries(uint32_t wanted) { return set.entries && set.entries < wanted ? (uint32_t)set.entries : wanted; }
uint32_t version(void) { return set.version ? (uint32_t)set.version : GNI_EMULATOR_VERSION; }
