// Verilated -*- C++ -*-
// DESCRIPTION: Verilator output: Design implementation internals
// See Vgcd_bench.h for the primary calling header

#include "verilated.h"

#include "Vgcd_bench__Syms.h"
#include "Vgcd_bench___024root.h"

void Vgcd_bench___024root___ctor_var_reset(Vgcd_bench___024root* vlSelf);

Vgcd_bench___024root::Vgcd_bench___024root(Vgcd_bench__Syms* symsp, const char* v__name)
    : VerilatedModule{v__name}
    , __VdlySched{*symsp->_vm_contextp__}
    , vlSymsp{symsp}
 {
    // Reset structure values
    Vgcd_bench___024root___ctor_var_reset(this);
}

void Vgcd_bench___024root::__Vconfigure(bool first) {
    if (false && first) {}  // Prevent unused
}

Vgcd_bench___024root::~Vgcd_bench___024root() {
}
