//go:build amd64 && !race

#include "textflag.h"

// func Await(p *uint64, want uint64, polls int) bool
TEXT ·Await(SB), NOSPLIT, $0-25
	MOVQ p+0(FP), AX
	MOVQ want+8(FP), BX
	MOVQ polls+16(FP), CX

poll:
	CMPQ BX, (AX)
	JEQ  found
	PAUSE
	SUBQ $1, CX
	JGT  poll
	MOVB $0, ret+24(FP)
	RET

found:
	MOVB $1, ret+24(FP)
	RET
