// Verilated -*- C++ -*-
// DESCRIPTION: Verilator output: Design implementation internals
// See Vgcd_bench.h for the primary calling header

#include "verilated.h"

#include "Vgcd_bench___024root.h"

VL_ATTR_COLD void Vgcd_bench___024root___eval_static__TOP(Vgcd_bench___024root* vlSelf);

VL_ATTR_COLD void Vgcd_bench___024root___eval_static(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_static\n"); );
    // Body
    Vgcd_bench___024root___eval_static__TOP(vlSelf);
}

VL_ATTR_COLD void Vgcd_bench___024root___eval_static__TOP(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_static__TOP\n"); );
    // Body
    vlSelf->gcd_bench__DOT__clk = 0U;
    vlSelf->gcd_bench__DOT__reset = 1U;
    vlSelf->gcd_bench__DOT__write = 0U;
    vlSelf->gcd_bench__DOT__start = 0U;
    vlSelf->gcd_bench__DOT__step = 0U;
    vlSelf->gcd_bench__DOT__address = 0U;
    vlSelf->gcd_bench__DOT__write_data = 0U;
}

VL_ATTR_COLD void Vgcd_bench___024root___eval_initial__TOP(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_initial__TOP\n"); );
    // Init
    IData/*31:0*/ gcd_bench__DOT__circuit__DOT__i;
    gcd_bench__DOT__circuit__DOT__i = 0;
    VlWide<3>/*95:0*/ __Vtemp_h48f392cb__0;
    // Body
    gcd_bench__DOT__circuit__DOT__i = 0U;
    while (VL_GTS_III(32, 0x89U, gcd_bench__DOT__circuit__DOT__i)) {
        vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_he56d69d5__0 = 0U;
        if (VL_LIKELY((0x88U >= (0xffU & gcd_bench__DOT__circuit__DOT__i)))) {
            vlSelf->gcd_bench__DOT__circuit__DOT__delta[(0xffU 
                                                         & gcd_bench__DOT__circuit__DOT__i)] 
                = vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_he56d69d5__0;
        }
        gcd_bench__DOT__circuit__DOT__i = ((IData)(1U) 
                                           + gcd_bench__DOT__circuit__DOT__i);
    }
    __Vtemp_h48f392cb__0[0U] = 0x2e686578U;
    __Vtemp_h48f392cb__0[1U] = 0x5f726f6dU;
    __Vtemp_h48f392cb__0[2U] = 0x676364U;
    VL_READMEM_N(true, 30, 4688, 0, VL_CVT_PACK_STR_NW(3, __Vtemp_h48f392cb__0)
                 ,  &(vlSelf->gcd_bench__DOT__circuit__DOT__rom)
                 , 0, ~0ULL);
}

VL_ATTR_COLD void Vgcd_bench___024root___eval_final(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_final\n"); );
}

VL_ATTR_COLD void Vgcd_bench___024root___eval_triggers__stl(Vgcd_bench___024root* vlSelf);
#ifdef VL_DEBUG
VL_ATTR_COLD void Vgcd_bench___024root___dump_triggers__stl(Vgcd_bench___024root* vlSelf);
#endif  // VL_DEBUG
VL_ATTR_COLD void Vgcd_bench___024root___eval_stl(Vgcd_bench___024root* vlSelf);

VL_ATTR_COLD void Vgcd_bench___024root___eval_settle(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_settle\n"); );
    // Init
    CData/*0:0*/ __VstlContinue;
    // Body
    vlSelf->__VstlIterCount = 0U;
    __VstlContinue = 1U;
    while (__VstlContinue) {
        __VstlContinue = 0U;
        Vgcd_bench___024root___eval_triggers__stl(vlSelf);
        if (vlSelf->__VstlTriggered.any()) {
            __VstlContinue = 1U;
            if (VL_UNLIKELY((0x64U < vlSelf->__VstlIterCount))) {
#ifdef VL_DEBUG
                Vgcd_bench___024root___dump_triggers__stl(vlSelf);
#endif
                VL_FATAL_MT("gcd_bench.v", 7, "", "Settle region did not converge.");
            }
            vlSelf->__VstlIterCount = ((IData)(1U) 
                                       + vlSelf->__VstlIterCount);
            Vgcd_bench___024root___eval_stl(vlSelf);
        }
    }
}

#ifdef VL_DEBUG
VL_ATTR_COLD void Vgcd_bench___024root___dump_triggers__stl(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___dump_triggers__stl\n"); );
    // Body
    if ((1U & (~ (IData)(vlSelf->__VstlTriggered.any())))) {
        VL_DBG_MSGF("         No triggers active\n");
    }
    if (vlSelf->__VstlTriggered.at(0U)) {
        VL_DBG_MSGF("         'stl' region trigger index 0 is active: Internal 'stl' trigger - first iteration\n");
    }
}
#endif  // VL_DEBUG

extern const VlUnpacked<CData/*0:0*/, 16> Vgcd_bench__ConstPool__TABLE_hb4074921_0;
extern const VlUnpacked<SData/*12:0*/, 16> Vgcd_bench__ConstPool__TABLE_h692194ee_0;
extern const VlUnpacked<SData/*12:0*/, 16> Vgcd_bench__ConstPool__TABLE_hab33fe76_0;

VL_ATTR_COLD void Vgcd_bench___024root___stl_sequent__TOP__0(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___stl_sequent__TOP__0\n"); );
    // Init
    CData/*0:0*/ gcd_bench__DOT__circuit__DOT__streams;
    gcd_bench__DOT__circuit__DOT__streams = 0;
    CData/*3:0*/ __Vtableidx1;
    __Vtableidx1 = 0;
    // Body
    vlSelf->gcd_bench__DOT__busy = (0U != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state));
    vlSelf->gcd_bench__DOT__circuit__DOT__sweeps = 
        (0x19U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state));
    vlSelf->gcd_bench__DOT__circuit__DOT__half = (0x3ffffU 
                                                  & VL_SHIFTRS_III(18,18,32, vlSelf->gcd_bench__DOT__circuit__DOT__sum, 1U));
    vlSelf->gcd_bench__DOT__circuit__DOT__accepts = 
        ((8U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)) 
         | (0x10U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)));
    vlSelf->gcd_bench__DOT__circuit__DOT__shifted = 
        ((0x1feU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__remainder) 
                    << 1U)) | (1U & (vlSelf->gcd_bench__DOT__circuit__DOT__quotient 
                                     >> 0x11U)));
    vlSelf->gcd_bench__DOT__circuit__DOT__rounded = 
        (0x3ffffU & (vlSelf->gcd_bench__DOT__circuit__DOT__quotient 
                     + ((((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__remainder) 
                          << 1U) > (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties)) 
                        | ((((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__remainder) 
                             << 1U) == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties)) 
                           & vlSelf->gcd_bench__DOT__circuit__DOT__quotient))));
    vlSelf->gcd_bench__DOT__circuit__DOT__key_column 
        = (0x7fU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scanning)
                     ? (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_next)
                     : (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col)));
    if ((0U != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
        if ((0x19U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            vlSelf->gcd_bench__DOT__circuit__DOT__x_from 
                = (0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                              + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row)));
            vlSelf->gcd_bench__DOT__circuit__DOT__x_to 
                = (0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                              + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__swept_row)));
        } else {
            vlSelf->gcd_bench__DOT__circuit__DOT__x_from 
                = (0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                              + (0xffU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                          >> 0xdU))));
            vlSelf->gcd_bench__DOT__circuit__DOT__x_to 
                = (0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                              + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_row)));
        }
    } else {
        vlSelf->gcd_bench__DOT__circuit__DOT__x_from 
            = (0x7fffU & (IData)(vlSelf->gcd_bench__DOT__address));
        vlSelf->gcd_bench__DOT__circuit__DOT__x_to 
            = (0x7fffU & (IData)(vlSelf->gcd_bench__DOT__address));
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__delta_row 
        = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_apply)
            ? (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_row)
            : (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__c_row));
    __Vtableidx1 = vlSelf->gcd_bench__DOT__circuit__DOT__layer;
    vlSelf->gcd_bench__DOT__circuit__DOT__has_heads 
        = Vgcd_bench__ConstPool__TABLE_hb4074921_0[__Vtableidx1];
    vlSelf->gcd_bench__DOT__circuit__DOT__learn_entry 
        = Vgcd_bench__ConstPool__TABLE_h692194ee_0[__Vtableidx1];
    vlSelf->gcd_bench__DOT__circuit__DOT__visit_entry 
        = Vgcd_bench__ConstPool__TABLE_hab33fe76_0[__Vtableidx1];
    vlSelf->gcd_bench__DOT__circuit__DOT__read_own = 0U;
    vlSelf->gcd_bench__DOT__circuit__DOT__my_own = 0U;
    vlSelf->gcd_bench__DOT__circuit__DOT__divided = 
        ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__dividing) 
         & (0U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__digits)));
    vlSelf->gcd_bench__DOT__circuit__DOT__score = 0U;
    if (((((((((0U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                               >> 0xdU))) | (1U == 
                                             (0xfU 
                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                 >> 0xdU)))) 
              | (2U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                >> 0xdU)))) | (3U == 
                                               (0xfU 
                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                   >> 0xdU)))) 
            | (4U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                              >> 0xdU)))) | (5U == 
                                             (0xfU 
                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                 >> 0xdU)))) 
          | (6U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                            >> 0xdU)))) | (7U == (0xfU 
                                                  & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                     >> 0xdU))))) {
        if ((0U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                            >> 0xdU)))) {
            vlSelf->gcd_bench__DOT__circuit__DOT__read_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__row0 
                                       >> 0x15U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__my_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__mine0 
                                       >> 0x15U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__score 
                = vlSelf->gcd_bench__DOT__circuit__DOT__score0;
        } else if ((1U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                   >> 0xdU)))) {
            vlSelf->gcd_bench__DOT__circuit__DOT__read_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__row1 
                                       >> 0x15U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__my_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__mine1 
                                       >> 0x15U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__score 
                = vlSelf->gcd_bench__DOT__circuit__DOT__score1;
        } else if ((2U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                   >> 0xdU)))) {
            vlSelf->gcd_bench__DOT__circuit__DOT__read_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__row2 
                                       >> 0x15U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__my_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__mine2 
                                       >> 0x15U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__score 
                = vlSelf->gcd_bench__DOT__circuit__DOT__score2;
        } else if ((3U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                   >> 0xdU)))) {
            vlSelf->gcd_bench__DOT__circuit__DOT__read_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__row3 
                                       >> 0x15U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__my_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__mine3 
                                       >> 0x15U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__score 
                = vlSelf->gcd_bench__DOT__circuit__DOT__score3;
        } else if ((4U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                   >> 0xdU)))) {
            vlSelf->gcd_bench__DOT__circuit__DOT__read_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                       >> 0x2eU)));
            vlSelf->gcd_bench__DOT__circuit__DOT__my_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                       >> 0x2eU)));
            vlSelf->gcd_bench__DOT__circuit__DOT__score 
                = vlSelf->gcd_bench__DOT__circuit__DOT__score4;
        } else if ((5U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                   >> 0xdU)))) {
            vlSelf->gcd_bench__DOT__circuit__DOT__read_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__row5 
                                       >> 0x15U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__my_own 
                = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__mine5 
                                       >> 0x15U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__score 
                = vlSelf->gcd_bench__DOT__circuit__DOT__score5;
        } else if ((6U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                   >> 0xdU)))) {
            vlSelf->gcd_bench__DOT__circuit__DOT__read_own 
                = (0x3ffffU & ((vlSelf->gcd_bench__DOT__circuit__DOT__row6[3U] 
                                << 0x1bU) | (vlSelf->gcd_bench__DOT__circuit__DOT__row6[3U] 
                                             >> 5U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__my_own 
                = (0x3ffffU & ((vlSelf->gcd_bench__DOT__circuit__DOT__mine6[3U] 
                                << 0x1bU) | (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[3U] 
                                             >> 5U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__score 
                = vlSelf->gcd_bench__DOT__circuit__DOT__score6;
        } else {
            vlSelf->gcd_bench__DOT__circuit__DOT__read_own 
                = (0x3ffffU & ((vlSelf->gcd_bench__DOT__circuit__DOT__row7[2U] 
                                << 0xfU) | (vlSelf->gcd_bench__DOT__circuit__DOT__row7[1U] 
                                            >> 0x11U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__my_own 
                = (0x3ffffU & ((vlSelf->gcd_bench__DOT__circuit__DOT__mine7[2U] 
                                << 0xfU) | (vlSelf->gcd_bench__DOT__circuit__DOT__mine7[1U] 
                                            >> 0x11U)));
            vlSelf->gcd_bench__DOT__circuit__DOT__score 
                = vlSelf->gcd_bench__DOT__circuit__DOT__score7;
        }
    } else if ((8U == (0xfU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                               >> 0xdU)))) {
        vlSelf->gcd_bench__DOT__circuit__DOT__read_own 
            = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__row8 
                                   >> 0x23U)));
        vlSelf->gcd_bench__DOT__circuit__DOT__my_own 
            = (0x3ffffU & (IData)((vlSelf->gcd_bench__DOT__circuit__DOT__mine8 
                                   >> 0x23U)));
        vlSelf->gcd_bench__DOT__circuit__DOT__score 
            = vlSelf->gcd_bench__DOT__circuit__DOT__score8;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__scan_done 
        = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scanning) 
           & ((~ ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_read) 
                  | (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_scored))) 
              & (0x80U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_next))));
    vlSelf->gcd_bench__DOT__circuit__DOT__mean_done 
        = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__averaging) 
           & ((~ ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__tie_read) 
                  | (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__value_read))) 
              & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__tie_next) 
                 == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties))));
    vlSelf->gcd_bench__DOT__circuit__DOT__empty = (1U 
                                                   & ((~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_term)) 
                                                      & (~ 
                                                         ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_out) 
                                                          | ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_apply) 
                                                             | ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__c_out) 
                                                                | (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__c_term)))))));
    gcd_bench__DOT__circuit__DOT__streams = ((0U == 
                                              (0xfU 
                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                  >> 0x1aU))) 
                                             | ((1U 
                                                 == 
                                                 (0xfU 
                                                  & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                     >> 0x1aU))) 
                                                | (2U 
                                                   == 
                                                   (0xfU 
                                                    & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                       >> 0x1aU)))));
    vlSelf->gcd_bench__DOT__circuit__DOT__delta_read 
        = ((0x88U >= (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__delta_row))
            ? vlSelf->gcd_bench__DOT__circuit__DOT__delta
           [vlSelf->gcd_bench__DOT__circuit__DOT__delta_row]
            : 0U);
    vlSelf->gcd_bench__DOT__circuit__DOT____VdfgTmp_h9c2c05b0__0 
        = VL_GTES_III(18, vlSelf->gcd_bench__DOT__circuit__DOT__score, vlSelf->gcd_bench__DOT__circuit__DOT__scored_own);
    vlSelf->gcd_bench__DOT__circuit__DOT__better = 
        ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__first) 
         | VL_GTS_III(18, vlSelf->gcd_bench__DOT__circuit__DOT__score, vlSelf->gcd_bench__DOT__circuit__DOT__best));
    vlSelf->gcd_bench__DOT__circuit__DOT__ready = (
                                                   (0x17U 
                                                    == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)) 
                                                   & ((~ (IData)(gcd_bench__DOT__circuit__DOT__streams)) 
                                                      & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__empty)));
    vlSelf->gcd_bench__DOT__circuit__DOT__disturbs 
        = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_scored) 
           & ((~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__checking)) 
              & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scored_idle) 
                 & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT____VdfgTmp_h9c2c05b0__0))));
    vlSelf->gcd_bench__DOT__circuit__DOT__done = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ready) 
                                                  & ((3U 
                                                      == 
                                                      (0xfU 
                                                       & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                          >> 0x1aU))) 
                                                     | ((4U 
                                                         == 
                                                         (0xfU 
                                                          & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                             >> 0x1aU))) 
                                                        | ((7U 
                                                            == 
                                                            (0xfU 
                                                             & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                                >> 0x1aU))) 
                                                           | ((8U 
                                                               == 
                                                               (0xfU 
                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                                   >> 0x1aU))) 
                                                              | ((0xbU 
                                                                  == 
                                                                  (0xfU 
                                                                   & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                                      >> 0x1aU))) 
                                                                 | ((((5U 
                                                                       == 
                                                                       (0xfU 
                                                                        & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                                           >> 0x1aU))) 
                                                                      | (6U 
                                                                         == 
                                                                         (0xfU 
                                                                          & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                                             >> 0x1aU)))) 
                                                                     & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__phase)) 
                                                                    | ((IData)(
                                                                               ((0x24000000U 
                                                                                == 
                                                                                (0x3c000000U 
                                                                                & vlSelf->gcd_bench__DOT__circuit__DOT__word)) 
                                                                                & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__solo) 
                                                                                | (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_done)))) 
                                                                       | (IData)(
                                                                                ((0x28000000U 
                                                                                == 
                                                                                (0x3c000000U 
                                                                                & vlSelf->gcd_bench__DOT__circuit__DOT__word)) 
                                                                                & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__divided) 
                                                                                | ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__mean_done) 
                                                                                & (2U 
                                                                                >= (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties))))))))))))));
    vlSelf->gcd_bench__DOT__circuit__DOT__learned = 
        ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__done) 
         & (0x1c000000U == (0x3c000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)));
    vlSelf->gcd_bench__DOT__circuit__DOT__fetch = (0x1fffU 
                                                   & ((0x16U 
                                                       == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))
                                                       ? (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__entry)
                                                       : 
                                                      (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__done) 
                                                        & (IData)(
                                                                  ((0x10000000U 
                                                                    == 
                                                                    (0x3c000000U 
                                                                     & vlSelf->gcd_bench__DOT__circuit__DOT__word)) 
                                                                   & VL_GTES_III(32, 0U, 
                                                                                VL_EXTENDS_II(32,18, vlSelf->gcd_bench__DOT__circuit__DOT__sum)))))
                                                        ? 
                                                       (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                        >> 0xdU)
                                                        : 
                                                       ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__pc) 
                                                        + 
                                                        ((0x17U 
                                                          == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)) 
                                                         & ((IData)(gcd_bench__DOT__circuit__DOT__streams) 
                                                            | (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__done)))))));
    vlSelf->gcd_bench__DOT__circuit__DOT__alone = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__done) 
                                                   & (IData)(
                                                             ((0x24000000U 
                                                               == 
                                                               (0x3c000000U 
                                                                & vlSelf->gcd_bench__DOT__circuit__DOT__word)) 
                                                              & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__solo))));
    vlSelf->gcd_bench__DOT__circuit__DOT__tie_write 
        = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__alone) 
           | ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_scored) 
              & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__better) 
                 | (vlSelf->gcd_bench__DOT__circuit__DOT__best 
                    == vlSelf->gcd_bench__DOT__circuit__DOT__score))));
}

VL_ATTR_COLD void Vgcd_bench___024root___eval_stl(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_stl\n"); );
    // Body
    if (vlSelf->__VstlTriggered.at(0U)) {
        Vgcd_bench___024root___stl_sequent__TOP__0(vlSelf);
    }
}

#ifdef VL_DEBUG
VL_ATTR_COLD void Vgcd_bench___024root___dump_triggers__act(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___dump_triggers__act\n"); );
    // Body
    if ((1U & (~ (IData)(vlSelf->__VactTriggered.any())))) {
        VL_DBG_MSGF("         No triggers active\n");
    }
    if (vlSelf->__VactTriggered.at(0U)) {
        VL_DBG_MSGF("         'act' region trigger index 0 is active: @(posedge gcd_bench.clk)\n");
    }
    if (vlSelf->__VactTriggered.at(1U)) {
        VL_DBG_MSGF("         'act' region trigger index 1 is active: @(negedge gcd_bench.clk)\n");
    }
    if (vlSelf->__VactTriggered.at(2U)) {
        VL_DBG_MSGF("         'act' region trigger index 2 is active: @([true] __VdlySched.awaitingCurrentTime())\n");
    }
}
#endif  // VL_DEBUG

#ifdef VL_DEBUG
VL_ATTR_COLD void Vgcd_bench___024root___dump_triggers__nba(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___dump_triggers__nba\n"); );
    // Body
    if ((1U & (~ (IData)(vlSelf->__VnbaTriggered.any())))) {
        VL_DBG_MSGF("         No triggers active\n");
    }
    if (vlSelf->__VnbaTriggered.at(0U)) {
        VL_DBG_MSGF("         'nba' region trigger index 0 is active: @(posedge gcd_bench.clk)\n");
    }
    if (vlSelf->__VnbaTriggered.at(1U)) {
        VL_DBG_MSGF("         'nba' region trigger index 1 is active: @(negedge gcd_bench.clk)\n");
    }
    if (vlSelf->__VnbaTriggered.at(2U)) {
        VL_DBG_MSGF("         'nba' region trigger index 2 is active: @([true] __VdlySched.awaitingCurrentTime())\n");
    }
}
#endif  // VL_DEBUG

VL_ATTR_COLD void Vgcd_bench___024root___ctor_var_reset(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___ctor_var_reset\n"); );
    // Body
    vlSelf->gcd_bench__DOT__clk = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__reset = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__write = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__start = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__step = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__address = VL_RAND_RESET_I(15);
    vlSelf->gcd_bench__DOT__write_data = VL_RAND_RESET_I(12);
    vlSelf->gcd_bench__DOT__busy = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__halted = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__cycles = VL_RAND_RESET_Q(48);
    vlSelf->gcd_bench__DOT__working = VL_RAND_RESET_I(8);
    for (int __Vi0 = 0; __Vi0 < 17536; ++__Vi0) {
        vlSelf->gcd_bench__DOT__state[__Vi0] = VL_RAND_RESET_I(12);
    }
    VL_RAND_RESET_W(8192, vlSelf->gcd_bench__DOT__file);
    vlSelf->gcd_bench__DOT__limit = VL_RAND_RESET_I(32);
    vlSelf->gcd_bench__DOT____Vlvbound_h94432051__0 = VL_RAND_RESET_I(12);
    for (int __Vi0 = 0; __Vi0 < 17536; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__x[__Vi0] = VL_RAND_RESET_I(12);
    }
    for (int __Vi0 = 0; __Vi0 < 17536; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__held[__Vi0] = VL_RAND_RESET_I(6);
    }
    for (int __Vi0 = 0; __Vi0 < 10880; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__values[__Vi0] = VL_RAND_RESET_I(11);
    }
    for (int __Vi0 = 0; __Vi0 < 137; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__delta[__Vi0] = VL_RAND_RESET_I(12);
    }
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__queue[__Vi0] = VL_RAND_RESET_I(7);
    }
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__tied[__Vi0] = VL_RAND_RESET_I(7);
    }
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__idle[__Vi0] = VL_RAND_RESET_I(1);
    }
    for (int __Vi0 = 0; __Vi0 < 4688; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__rom[__Vi0] = VL_RAND_RESET_I(30);
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__state = VL_RAND_RESET_I(5);
    vlSelf->gcd_bench__DOT__circuit__DOT__then = VL_RAND_RESET_I(5);
    vlSelf->gcd_bench__DOT__circuit__DOT__loading = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__solo = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__checking = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__conflict = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__same = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__purpose = VL_RAND_RESET_I(2);
    vlSelf->gcd_bench__DOT__circuit__DOT__col = VL_RAND_RESET_I(7);
    vlSelf->gcd_bench__DOT__circuit__DOT__base = VL_RAND_RESET_I(15);
    vlSelf->gcd_bench__DOT__circuit__DOT__length = VL_RAND_RESET_I(8);
    vlSelf->gcd_bench__DOT__circuit__DOT__at = VL_RAND_RESET_I(8);
    vlSelf->gcd_bench__DOT__circuit__DOT__kept = VL_RAND_RESET_I(8);
    vlSelf->gcd_bench__DOT__circuit__DOT__fresh = VL_RAND_RESET_I(8);
    vlSelf->gcd_bench__DOT__circuit__DOT__layer = VL_RAND_RESET_I(4);
    vlSelf->gcd_bench__DOT__circuit__DOT__entry = VL_RAND_RESET_I(13);
    vlSelf->gcd_bench__DOT__circuit__DOT__row = VL_RAND_RESET_I(9);
    vlSelf->gcd_bench__DOT__circuit__DOT__swept_row = VL_RAND_RESET_I(9);
    vlSelf->gcd_bench__DOT__circuit__DOT__swept = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__learn_entry = VL_RAND_RESET_I(13);
    vlSelf->gcd_bench__DOT__circuit__DOT__visit_entry = VL_RAND_RESET_I(13);
    vlSelf->gcd_bench__DOT__circuit__DOT__has_heads = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__pc = VL_RAND_RESET_I(13);
    vlSelf->gcd_bench__DOT__circuit__DOT__word = VL_RAND_RESET_I(30);
    vlSelf->gcd_bench__DOT__circuit__DOT__b_term = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__b_out = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__b_apply = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__c_term = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__c_out = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__b_row = VL_RAND_RESET_I(8);
    vlSelf->gcd_bench__DOT__circuit__DOT__c_row = VL_RAND_RESET_I(8);
    vlSelf->gcd_bench__DOT__circuit__DOT__b_weight = VL_RAND_RESET_I(13);
    vlSelf->gcd_bench__DOT__circuit__DOT__empty = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__ready = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__sum = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__gate = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__product = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__own = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__phase = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__scanning = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__first = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__mine_next = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__scan_read = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__scan_scored = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__scan_next = VL_RAND_RESET_I(8);
    vlSelf->gcd_bench__DOT__circuit__DOT__ties = VL_RAND_RESET_I(8);
    vlSelf->gcd_bench__DOT__circuit__DOT__read_column = VL_RAND_RESET_I(7);
    vlSelf->gcd_bench__DOT__circuit__DOT__scored_column = VL_RAND_RESET_I(7);
    vlSelf->gcd_bench__DOT__circuit__DOT__read_idle = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__scored_idle = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__best = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__scored_own = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__scan_done = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__averaging = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__dividing = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__tie_read = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__value_read = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__tie_next = VL_RAND_RESET_I(8);
    vlSelf->gcd_bench__DOT__circuit__DOT__digits = VL_RAND_RESET_I(8);
    vlSelf->gcd_bench__DOT__circuit__DOT__mean_done = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__divided = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__done = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__fetch = VL_RAND_RESET_I(13);
    vlSelf->gcd_bench__DOT__circuit__DOT__x_read = VL_RAND_RESET_I(12);
    vlSelf->gcd_bench__DOT__circuit__DOT__multiplied = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__sweeps = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__held_read = VL_RAND_RESET_I(6);
    vlSelf->gcd_bench__DOT__circuit__DOT__x_from = VL_RAND_RESET_I(15);
    vlSelf->gcd_bench__DOT__circuit__DOT__x_to = VL_RAND_RESET_I(15);
    vlSelf->gcd_bench__DOT__circuit__DOT__delta_row = VL_RAND_RESET_I(8);
    vlSelf->gcd_bench__DOT__circuit__DOT__delta_read = VL_RAND_RESET_I(12);
    vlSelf->gcd_bench__DOT__circuit__DOT__quotient = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__remainder = VL_RAND_RESET_I(9);
    vlSelf->gcd_bench__DOT__circuit__DOT__half = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__shifted = VL_RAND_RESET_I(9);
    vlSelf->gcd_bench__DOT__circuit__DOT__rounded = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__value = VL_RAND_RESET_I(11);
    VL_RAND_RESET_W(126, vlSelf->gcd_bench__DOT__circuit__DOT__key);
    vlSelf->gcd_bench__DOT__circuit__DOT__tie = VL_RAND_RESET_I(7);
    vlSelf->gcd_bench__DOT__circuit__DOT__key_column = VL_RAND_RESET_I(7);
    vlSelf->gcd_bench__DOT__circuit__DOT__learned = VL_RAND_RESET_I(1);
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys0[__Vi0] = VL_RAND_RESET_Q(39);
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__row0 = VL_RAND_RESET_Q(39);
    vlSelf->gcd_bench__DOT__circuit__DOT__mine0 = VL_RAND_RESET_Q(39);
    vlSelf->gcd_bench__DOT__circuit__DOT__score0 = VL_RAND_RESET_I(18);
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys1[__Vi0] = VL_RAND_RESET_Q(39);
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__row1 = VL_RAND_RESET_Q(39);
    vlSelf->gcd_bench__DOT__circuit__DOT__mine1 = VL_RAND_RESET_Q(39);
    vlSelf->gcd_bench__DOT__circuit__DOT__score1 = VL_RAND_RESET_I(18);
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys2[__Vi0] = VL_RAND_RESET_Q(39);
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__row2 = VL_RAND_RESET_Q(39);
    vlSelf->gcd_bench__DOT__circuit__DOT__mine2 = VL_RAND_RESET_Q(39);
    vlSelf->gcd_bench__DOT__circuit__DOT__score2 = VL_RAND_RESET_I(18);
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys3[__Vi0] = VL_RAND_RESET_Q(39);
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__row3 = VL_RAND_RESET_Q(39);
    vlSelf->gcd_bench__DOT__circuit__DOT__mine3 = VL_RAND_RESET_Q(39);
    vlSelf->gcd_bench__DOT__circuit__DOT__score3 = VL_RAND_RESET_I(18);
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys4[__Vi0] = VL_RAND_RESET_Q(64);
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__row4 = VL_RAND_RESET_Q(64);
    vlSelf->gcd_bench__DOT__circuit__DOT__mine4 = VL_RAND_RESET_Q(64);
    vlSelf->gcd_bench__DOT__circuit__DOT__score4 = VL_RAND_RESET_I(18);
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys5[__Vi0] = VL_RAND_RESET_Q(39);
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__row5 = VL_RAND_RESET_Q(39);
    vlSelf->gcd_bench__DOT__circuit__DOT__mine5 = VL_RAND_RESET_Q(39);
    vlSelf->gcd_bench__DOT__circuit__DOT__score5 = VL_RAND_RESET_I(18);
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        VL_RAND_RESET_W(119, vlSelf->gcd_bench__DOT__circuit__DOT__keys6[__Vi0]);
    }
    VL_RAND_RESET_W(119, vlSelf->gcd_bench__DOT__circuit__DOT__row6);
    VL_RAND_RESET_W(119, vlSelf->gcd_bench__DOT__circuit__DOT__mine6);
    vlSelf->gcd_bench__DOT__circuit__DOT__score6 = VL_RAND_RESET_I(18);
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        VL_RAND_RESET_W(67, vlSelf->gcd_bench__DOT__circuit__DOT__keys7[__Vi0]);
    }
    VL_RAND_RESET_W(67, vlSelf->gcd_bench__DOT__circuit__DOT__row7);
    VL_RAND_RESET_W(67, vlSelf->gcd_bench__DOT__circuit__DOT__mine7);
    vlSelf->gcd_bench__DOT__circuit__DOT__score7 = VL_RAND_RESET_I(18);
    for (int __Vi0 = 0; __Vi0 < 128; ++__Vi0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys8[__Vi0] = VL_RAND_RESET_Q(53);
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__row8 = VL_RAND_RESET_Q(53);
    vlSelf->gcd_bench__DOT__circuit__DOT__mine8 = VL_RAND_RESET_Q(53);
    vlSelf->gcd_bench__DOT__circuit__DOT__score8 = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__score = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__read_own = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__my_own = VL_RAND_RESET_I(18);
    vlSelf->gcd_bench__DOT__circuit__DOT__disturbs = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__better = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__alone = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__tie_write = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT__queue_read = VL_RAND_RESET_I(7);
    vlSelf->gcd_bench__DOT__circuit__DOT__accepts = VL_RAND_RESET_I(1);
    vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_he56d69d5__0 = VL_RAND_RESET_I(12);
    vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_hb30874c8__0 = VL_RAND_RESET_I(12);
    vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_h59e1b626__0 = VL_RAND_RESET_I(6);
    vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_h752fae2f__0 = VL_RAND_RESET_I(12);
    vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_h54a65520__0 = VL_RAND_RESET_I(11);
    vlSelf->gcd_bench__DOT__circuit__DOT____VdfgTmp_h9c2c05b0__0 = 0;
    vlSelf->__Vtrigrprev__TOP__gcd_bench__DOT__clk = VL_RAND_RESET_I(1);
}
