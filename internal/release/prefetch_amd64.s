//go:build amd64 && !race

#include "textflag.h"

// func Own(p unsafe.Pointer)
TEXT ·Own(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX), which the assembler does not know
	RET

// func Fetch(p unsafe.Pointer)
TEXT ·Fetch(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), AX
	PREFETCHT0 (AX)
	RET
