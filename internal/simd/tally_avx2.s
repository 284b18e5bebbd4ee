//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

#include "textflag.h"

// OWN prefetches the count of the key that is 32 keys ahead for writing: PREFETCHW (DI)(AX*4),
// which the assembler does not know.
#define OWN(OFFSET) \
	MOVL OFFSET+128(SI), AX; \
	SUBL R8, AX; \
	BYTE $0x0F; BYTE $0x0D; BYTE $0x0C; BYTE $0x87

#define COUNT(OFFSET, OUTSIDE) \
	MOVL OFFSET(SI), AX; \
	SUBL R8, AX; \
	CMPL AX, R9; \
	JCC  OUTSIDE; \
	INCL (DI)(AX*4); \
OUTSIDE:

// TALLY is the body of all functions; ASK prefetches keys. PREFETCHNTA bypasses the second cache,
// which the counts need, because keys are read once.
#define TALLY(ASK) \
	MOVQ counts+0(FP), DI; \
	MOVQ limit+8(FP), R9; \
	MOVQ keys+16(FP), SI; \
	MOVQ n+24(FP), CX; \
	MOVL lo+32(FP), R8; \
	MOVQ SI, DX; \
block: \
	ASK; \
	OWN(0); \
	OWN(4); \
	OWN(8); \
	OWN(12); \
	OWN(16); \
	OWN(20); \
	OWN(24); \
	OWN(28); \
	COUNT(0, outside0); \
	COUNT(4, outside1); \
	COUNT(8, outside2); \
	COUNT(12, outside3); \
	COUNT(16, outside4); \
	COUNT(20, outside5); \
	COUNT(24, outside6); \
	COUNT(28, outside7); \
	ADDQ $32, SI; \
	SUBQ $8, CX; \
	CMPQ CX, $40; \
	JGE  block; \
	SUBQ DX, SI; \
	SHRQ $2, SI; \
	MOVQ SI, ret+40(FP); \
	RET

// func tallyNTA(counts *uint32, limit int, keys *int32, n int, lo int32) int
TEXT ·tallyNTA(SB), NOSPLIT, $0-48
	TALLY(PREFETCHNTA 2048(SI))

// func tallyT0(counts *uint32, limit int, keys *int32, n int, lo int32) int
TEXT ·tallyT0(SB), NOSPLIT, $0-48
	TALLY(PREFETCHT0 2048(SI))
