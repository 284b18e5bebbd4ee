#include "funcdata.h"
#include "textflag.h"

// The frame is the stack of the C function: it grows down from the frame's upper end. BX and BP are the
// callee's to keep (System V ABI, 3.2.1), the stack is aligned to 16 bytes, and the direction flag is clear.

// func Call(fn, a, b uintptr) int32
TEXT ·Call(SB), 0, $32832-28
	NO_LOCAL_POINTERS
	MOVQ fn+0(FP), AX
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ SP, BX
	LEAQ 32816(SP), CX
	ANDQ $~15, CX
	MOVQ CX, SP
	CALL AX
	MOVQ BX, SP
	MOVL AX, ret+24(FP)
	RET
