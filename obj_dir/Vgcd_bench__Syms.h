// Verilated -*- C++ -*-
// DESCRIPTION: Verilator output: Symbol table internal header
//
// Internal details; most calling programs do not need this header,
// unless using verilator public meta comments.

#ifndef VERILATED_VGCD_BENCH__SYMS_H_
#define VERILATED_VGCD_BENCH__SYMS_H_  // guard

#include "verilated.h"

// INCLUDE MODEL CLASS

#include "Vgcd_bench.h"

// INCLUDE MODULE CLASSES
#include "Vgcd_bench___024root.h"

// SYMS CLASS (contains all model state)
class Vgcd_bench__Syms final : public VerilatedSyms {
  public:
    // INTERNAL STATE
    Vgcd_bench* const __Vm_modelp;
    bool __Vm_didInit = false;

    // MODULE INSTANCE STATE
    Vgcd_bench___024root           TOP;

    // CONSTRUCTORS
    Vgcd_bench__Syms(VerilatedContext* contextp, const char* namep, Vgcd_bench* modelp);
    ~Vgcd_bench__Syms();

    // METHODS
    const char* name() { return TOP.name(); }
} VL_ATTR_ALIGNED(VL_CACHE_LINE_BYTES);

#endif  // guard
