//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

#include "textflag.h"

// STRIP is the number of bytes of a row that are updated at a time. Strips of the five rows that
// are used fit in the first-level cache.
#define STRIP 4096

// ARGUMENTS loads the arguments, which all functions share.
#define ARGUMENTS(BROADCAST) \
	MOVQ pe+0(FP), AX; \
	MOVQ pa+8(FP), BX; \
	MOVQ px+16(FP), CX; \
	MOVQ pb+24(FP), DX; \
	MOVQ py+32(FP), SI; \
	MOVQ end+40(FP), DI; \
	BROADCAST c+48(FP), Z15; \
	XORL R8, R8; \
	CMPQ R8, DI; \
	JGE done

// STRIPS is the body of two functions, with the instructions and the bytes of a precision. A strip
// begins at byte R8 of the row and ends before R9.
#define STRIPS(BROADCAST, MOVE, SUB, MUL, ADD, SIZE) \
	ARGUMENTS(BROADCAST); \
strip: \
	LEAQ STRIP(R8), R9; \
	CMPQ R9, DI; \
	CMOVQGT DI, R9; \
	MOVQ R8, R10; \
magnetic: \
	PREFETCHT1 STRIP(BX)(R10*1); \
	PREFETCHT1 STRIP(CX)(R10*1); \
	PREFETCHT1 STRIP(SI)(R10*1); \
	MOVE (AX)(R10*1), Z0; \
	SUB (BX)(R10*1), Z0, Z1; \
	MUL Z15, Z1, Z1; \
	ADD (CX)(R10*1), Z1, Z1; \
	MOVE SIZE(AX)(R10*1), Z2; \
	SUB Z0, Z2, Z2; \
	MUL Z15, Z2, Z2; \
	ADD (SI)(R10*1), Z2, Z2; \
	MOVE Z1, (CX)(R10*1); \
	MOVE Z2, (SI)(R10*1); \
	ADDQ $64, R10; \
	CMPQ R10, R9; \
	JLT magnetic; \
electric: \
	PREFETCHT0 STRIP(BX)(R8*1); \
	PREFETCHT0 STRIP(CX)(R8*1); \
	PREFETCHT0 STRIP(SI)(R8*1); \
	MOVE (SI)(R8*1), Z0; \
	SUB -SIZE(SI)(R8*1), Z0, Z0; \
	MOVE (CX)(R8*1), Z1; \
	SUB (DX)(R8*1), Z1, Z1; \
	SUB Z1, Z0, Z0; \
	MUL Z15, Z0, Z0; \
	ADD (AX)(R8*1), Z0, Z0; \
	MOVE Z0, (AX)(R8*1); \
	ADDQ $64, R8; \
	CMPQ R8, R9; \
	JLT electric; \
	CMPQ R8, DI; \
	JLT strip; \
done: \
	VZEROUPPER; \
	RET

// AHEAD is the distance in bytes at which the single loop prefetches.
#define AHEAD 2048

// FUSED is the body of the two functions with one loop. ALIGN takes the last number of the first
// register, LAST, and all but the last of the second: Hy left of each point. Z14 is Hy of the
// points before.
#define FUSED(BROADCAST, MOVE, SUB, MUL, ADD, SIZE, ALIGN, LAST) \
	ARGUMENTS(BROADCAST); \
	BROADCAST -SIZE(SI), Z14; \
loop: \
	PREFETCHT0 AHEAD(BX)(R8*1); \
	PREFETCHT0 AHEAD(CX)(R8*1); \
	PREFETCHT0 AHEAD(SI)(R8*1); \
	MOVE (AX)(R8*1), Z0; \
	SUB (BX)(R8*1), Z0, Z1; \
	MUL Z15, Z1, Z1; \
	ADD (CX)(R8*1), Z1, Z1; \
	MOVE SIZE(AX)(R8*1), Z2; \
	SUB Z0, Z2, Z2; \
	MUL Z15, Z2, Z2; \
	ADD (SI)(R8*1), Z2, Z2; \
	ALIGN $LAST, Z14, Z2, Z3; \
	MOVE Z1, (CX)(R8*1); \
	MOVE Z2, (SI)(R8*1); \
	VMOVAPS Z2, Z14; \
	SUB Z3, Z2, Z3; \
	SUB (DX)(R8*1), Z1, Z1; \
	SUB Z1, Z3, Z3; \
	MUL Z15, Z3, Z3; \
	ADD Z3, Z0, Z0; \
	MOVE Z0, (AX)(R8*1); \
	ADDQ $64, R8; \
	CMPQ R8, DI; \
	JLT loop; \
done: \
	VZEROUPPER; \
	RET

// func registersFusedFloat32AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float32)
TEXT ·registersFusedFloat32AVX512(SB), NOSPLIT, $0-52
	FUSED(VBROADCASTSS, VMOVUPS, VSUBPS, VMULPS, VADDPS, 4, VALIGND, 15)

// func registersFusedFloat64AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float64)
TEXT ·registersFusedFloat64AVX512(SB), NOSPLIT, $0-56
	FUSED(VBROADCASTSD, VMOVUPD, VSUBPD, VMULPD, VADDPD, 8, VALIGNQ, 7)

// func registersStripsFloat32AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float32)
TEXT ·registersStripsFloat32AVX512(SB), NOSPLIT, $0-52
	STRIPS(VBROADCASTSS, VMOVUPS, VSUBPS, VMULPS, VADDPS, 4)

// func registersStripsFloat64AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float64)
TEXT ·registersStripsFloat64AVX512(SB), NOSPLIT, $0-56
	STRIPS(VBROADCASTSD, VMOVUPD, VSUBPD, VMULPD, VADDPD, 8)
