// Verilated -*- C++ -*-
// DESCRIPTION: Verilator output: Symbol table implementation internals

#include "Vgcd_bench__Syms.h"
#include "Vgcd_bench.h"
#include "Vgcd_bench___024root.h"

// FUNCTIONS
Vgcd_bench__Syms::~Vgcd_bench__Syms()
{
}

Vgcd_bench__Syms::Vgcd_bench__Syms(VerilatedContext* contextp, const char* namep, Vgcd_bench* modelp)
    : VerilatedSyms{contextp}
    // Setup internal state of the Syms class
    , __Vm_modelp{modelp}
    // Setup module instances
    , TOP{this, namep}
{
    // Configure time unit / time precision
    _vm_contextp__->timeunit(-9);
    _vm_contextp__->timeprecision(-9);
    // Setup each module's pointers to their submodules
    // Setup each module's pointer back to symbol table (for public functions)
    TOP.__Vconfigure(true);
}
