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

// func Claim(p unsafe.Pointer, n int)
TEXT ·Claim(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), CX
	MOVQ n+8(FP), AX

claim:
	BYTE $0x0F; BYTE $0x0D; BYTE $0x09 // PREFETCHW (CX), which the assembler does not know
	ADDQ $64, CX
	SUBQ $64, AX
	JGT  claim
	RET
