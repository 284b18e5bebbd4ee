//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

#include "textflag.h"

// AHEAD is the distance in bytes at which the loop prefetches.
#define AHEAD 2048

// ROW is the body of both functions. ALIGN takes the last number of the first register, LAST, and
// all but the last of the second: Hy left of each point. Z14 is Hy of the points before.
#define ROW(BROADCAST, MOVE, SUB, MUL, ADD, SIZE, ALIGN, LAST) \
	MOVQ pe+0(FP), AX; \
	MOVQ pa+8(FP), BX; \
	MOVQ px+16(FP), CX; \
	MOVQ pb+24(FP), DX; \
	MOVQ py+32(FP), SI; \
	MOVQ end+40(FP), DI; \
	BROADCAST c+48(FP), Z15; \
	XORL R8, R8; \
	CMPQ R8, DI; \
	JGE done; \
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

// func registersFloat32AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float32)
TEXT ·registersFloat32AVX512(SB), NOSPLIT, $0-52
	ROW(VBROADCASTSS, VMOVUPS, VSUBPS, VMULPS, VADDPS, 4, VALIGND, 15)

// func registersFloat64AVX512(pe, pa, px, pb, py unsafe.Pointer, end int, c float64)
TEXT ·registersFloat64AVX512(SB), NOSPLIT, $0-56
	ROW(VBROADCASTSD, VMOVUPD, VSUBPD, VMULPD, VADDPD, 8, VALIGNQ, 7)
