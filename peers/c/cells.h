/*
 * The cells to measure: a list of OPERATION:BYTES:BATCH:SAMPLES, such as
 * barrier:0:100:200,bcast:1024:100:200. BATCH is the number of operations timed
 * together. BATCH and SAMPLES are equal for all programs that are compared.
 */
#ifndef PEERS_CELLS_H
#define PEERS_CELLS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

enum { CELLS_MOST = 64, CELL_NAME = 24 };

struct cell {
	char name[CELL_NAME];
	size_t size;
	int batch, samples;
};

/* Reads the list into cells and returns their number; exits with 2 if it is invalid. */
static inline int cells_read(struct cell *cells, char *list)
{
	int n = 0;
	for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		char rest;
		struct cell *c = &cells[n++];
		if (n > CELLS_MOST ||
		    sscanf(word, "%23[a-z_]:%zu:%d:%d%c", c->name, &c->size, &c->batch, &c->samples, &rest) != 4 ||
		    !plan_sound(c->samples, c->batch)) {
			fprintf(stderr, "not a cell OPERATION:BYTES:BATCH:SAMPLES, or one too many: %s\n", word);
			exit(2);
		}
	}
	return n;
}

#endif
