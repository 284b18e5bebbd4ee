// Handles, and mistakes that end the process.
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>

#include "fabric.h"

// Released objects, for object_check. The list keeps them reachable.
static struct object *released;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *object_new(enum magic kind, size_t size)
{
	struct object *o = calloc(1, size);
	if (o)
		o->magic = o->kind = kind;
	return o;
}

void *object_check(void *handle, enum magic kind)
{
	struct object *o = handle;
	return o && o->magic == kind ? o : NULL;
}

void object_free(void *object)
{
	struct object *o = object;
	o->magic = DEAD;
	pthread_mutex_lock(&lock);
	o->next = released;
	released = o;
	pthread_mutex_unlock(&lock);
}

void violation(const char *function, const char *rule)
{
	fprintf(stderr, "emulator: %s: %s\n", function, rule);
	abort();
}
