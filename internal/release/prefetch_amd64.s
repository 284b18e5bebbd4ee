//go:build amd64 && !race

#include "textflag.h"

// func Fetch(p unsafe.Pointer, n int)
TEXT ·Fetch(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ n+8(FP), CX

line:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	SUBQ $64, CX
	JGT  line
	RET
