// Verilated -*- C++ -*-
// DESCRIPTION: Verilator output: Design implementation internals
// See Vgcd_bench.h for the primary calling header

#include "verilated.h"

#include "Vgcd_bench__Syms.h"
#include "Vgcd_bench___024root.h"

#ifdef VL_DEBUG
VL_ATTR_COLD void Vgcd_bench___024root___dump_triggers__stl(Vgcd_bench___024root* vlSelf);
#endif  // VL_DEBUG

VL_ATTR_COLD void Vgcd_bench___024root___eval_triggers__stl(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_triggers__stl\n"); );
    // Body
    vlSelf->__VstlTriggered.at(0U) = (0U == vlSelf->__VstlIterCount);
#ifdef VL_DEBUG
    if (VL_UNLIKELY(vlSymsp->_vm_contextp__->debug())) {
        Vgcd_bench___024root___dump_triggers__stl(vlSelf);
    }
#endif
}
