#include "textflag.h"

// BX and BP are the callee's to keep (System V ABI, 3.2.1), the direction flag is clear, and the
// stack is aligned to 16 bytes where the function is called. The assembler marks a function that
// writes SP: Go's profiler does not unwind beyond it.

// func call(stack, fn, a, b uintptr) int32
TEXT ·call(SB), NOSPLIT, $0-36
	MOVQ stack+0(FP), CX
	MOVQ fn+8(FP), AX
	MOVQ a+16(FP), DI
	MOVQ b+24(FP), SI
	MOVQ SP, BX
	MOVQ CX, SP
	CALL AX
	MOVQ BX, SP
	MOVL AX, ret+32(FP)
	RET
