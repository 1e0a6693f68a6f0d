// Verilated -*- C++ -*-
// DESCRIPTION: Verilator output: Design implementation internals
// See Vgcd_bench.h for the primary calling header

#include "verilated.h"

#include "Vgcd_bench___024root.h"

VL_ATTR_COLD void Vgcd_bench___024root___eval_initial__TOP(Vgcd_bench___024root* vlSelf);
VlCoroutine Vgcd_bench___024root___eval_initial__TOP__0(Vgcd_bench___024root* vlSelf);
VlCoroutine Vgcd_bench___024root___eval_initial__TOP__1(Vgcd_bench___024root* vlSelf);

void Vgcd_bench___024root___eval_initial(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_initial\n"); );
    // Body
    Vgcd_bench___024root___eval_initial__TOP(vlSelf);
    Vgcd_bench___024root___eval_initial__TOP__0(vlSelf);
    Vgcd_bench___024root___eval_initial__TOP__1(vlSelf);
    vlSelf->__Vtrigrprev__TOP__gcd_bench__DOT__clk 
        = vlSelf->gcd_bench__DOT__clk;
}

VL_INLINE_OPT VlCoroutine Vgcd_bench___024root___eval_initial__TOP__0(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_initial__TOP__0\n"); );
    // Init
    IData/*31:0*/ gcd_bench__DOT__i;
    gcd_bench__DOT__i = 0;
    IData/*31:0*/ gcd_bench__DOT__steps;
    gcd_bench__DOT__steps = 0;
    QData/*47:0*/ gcd_bench__DOT__all;
    gcd_bench__DOT__all = 0;
    QData/*47:0*/ gcd_bench__DOT__loaded;
    gcd_bench__DOT__loaded = 0;
    QData/*47:0*/ gcd_bench__DOT__most;
    gcd_bench__DOT__most = 0;
    CData/*0:0*/ gcd_bench__DOT__traces;
    gcd_bench__DOT__traces = 0;
    // Body
    if ((! VL_VALUEPLUSARGS_INW(8192, std::string{"state=%s"}, 
                                vlSelf->gcd_bench__DOT__file))) {
        VL_CONST_W_4X(8192,vlSelf->gcd_bench__DOT__file,0x00000067,0x63645f73,0x74617465,0x2e686578);
    }
    if ((! VL_VALUEPLUSARGS_INI(32, std::string{"steps=%d"}, 
                                vlSelf->gcd_bench__DOT__limit))) {
        vlSelf->gcd_bench__DOT__limit = 0xf4240U;
    }
    gcd_bench__DOT__traces = (0U != VL_TESTPLUSARGS_I(
                                                      std::string{"trace"}));
    VL_READMEM_N(true, 12, 17536, 0, VL_CVT_PACK_STR_NW(256, vlSelf->gcd_bench__DOT__file)
                 ,  &(vlSelf->gcd_bench__DOT__state)
                 , 0, ~0ULL);
    co_await vlSelf->__VtrigSched_h1b3a18ca__0.trigger(
                                                       "@(negedge gcd_bench.clk)", 
                                                       "gcd_bench.v", 
                                                       55);
    co_await vlSelf->__VtrigSched_h1b3a18ca__0.trigger(
                                                       "@(negedge gcd_bench.clk)", 
                                                       "gcd_bench.v", 
                                                       55);
    vlSelf->gcd_bench__DOT__reset = 0U;
    vlSelf->gcd_bench__DOT__write = 1U;
    gcd_bench__DOT__i = 0U;
    while (VL_GTS_III(32, 0x4480U, gcd_bench__DOT__i)) {
        vlSelf->gcd_bench__DOT__address = (0x7fffU 
                                           & gcd_bench__DOT__i);
        vlSelf->gcd_bench__DOT__write_data = ((0x447fU 
                                               >= (0x7fffU 
                                                   & gcd_bench__DOT__i))
                                               ? vlSelf->gcd_bench__DOT__state
                                              [(0x7fffU 
                                                & gcd_bench__DOT__i)]
                                               : 0U);
        co_await vlSelf->__VtrigSched_h1b3a18ca__0.trigger(
                                                           "@(negedge gcd_bench.clk)", 
                                                           "gcd_bench.v", 
                                                           61);
        gcd_bench__DOT__i = ((IData)(1U) + gcd_bench__DOT__i);
    }
    vlSelf->gcd_bench__DOT__write = 0U;
    vlSelf->gcd_bench__DOT__start = 1U;
    co_await vlSelf->__VtrigSched_h1b3a18ca__0.trigger(
                                                       "@(negedge gcd_bench.clk)", 
                                                       "gcd_bench.v", 
                                                       32);
    vlSelf->gcd_bench__DOT__start = 0U;
    vlSelf->gcd_bench__DOT__step = 0U;
    while ((0U != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
        co_await vlSelf->__VtrigSched_h1b3a18ca__0.trigger(
                                                           "@(negedge gcd_bench.clk)", 
                                                           "gcd_bench.v", 
                                                           35);
    }
    gcd_bench__DOT__loaded = vlSelf->gcd_bench__DOT__cycles;
    gcd_bench__DOT__steps = 0U;
    gcd_bench__DOT__all = 0ULL;
    gcd_bench__DOT__most = 0ULL;
    while (((~ (IData)(vlSelf->gcd_bench__DOT__halted)) 
            & VL_LTS_III(32, gcd_bench__DOT__steps, vlSelf->gcd_bench__DOT__limit))) {
        vlSelf->gcd_bench__DOT__step = 1U;
        co_await vlSelf->__VtrigSched_h1b3a18ca__0.trigger(
                                                           "@(negedge gcd_bench.clk)", 
                                                           "gcd_bench.v", 
                                                           32);
        vlSelf->gcd_bench__DOT__start = 0U;
        vlSelf->gcd_bench__DOT__step = 0U;
        while ((0U != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            co_await vlSelf->__VtrigSched_h1b3a18ca__0.trigger(
                                                               "@(negedge gcd_bench.clk)", 
                                                               "gcd_bench.v", 
                                                               35);
        }
        gcd_bench__DOT__steps = ((IData)(1U) + gcd_bench__DOT__steps);
        gcd_bench__DOT__all = (0xffffffffffffULL & 
                               (gcd_bench__DOT__all 
                                + vlSelf->gcd_bench__DOT__cycles));
        if ((vlSelf->gcd_bench__DOT__cycles > gcd_bench__DOT__most)) {
            gcd_bench__DOT__most = vlSelf->gcd_bench__DOT__cycles;
        }
        if (VL_UNLIKELY((((IData)(gcd_bench__DOT__traces) 
                          | (IData)(vlSelf->gcd_bench__DOT__halted)) 
                         | (gcd_bench__DOT__steps == vlSelf->gcd_bench__DOT__limit)))) {
            VL_WRITEF("step %0d cycles %0# halted %0#\n",
                      32,gcd_bench__DOT__steps,48,vlSelf->gcd_bench__DOT__cycles,
                      1,(IData)(vlSelf->gcd_bench__DOT__halted));
            gcd_bench__DOT__i = 0U;
            while (VL_GTS_III(32, 0x4480U, gcd_bench__DOT__i)) {
                vlSelf->gcd_bench__DOT__address = (0x7fffU 
                                                   & gcd_bench__DOT__i);
                co_await vlSelf->__VtrigSched_h1b3a18ca__0.trigger(
                                                                   "@(negedge gcd_bench.clk)", 
                                                                   "gcd_bench.v", 
                                                                   42);
                if (VL_UNLIKELY(((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__x_read) 
                                 != ((0x447fU >= (0x7fffU 
                                                  & gcd_bench__DOT__i))
                                      ? vlSelf->gcd_bench__DOT__state
                                     [(0x7fffU & gcd_bench__DOT__i)]
                                      : 0U)))) {
                    VL_WRITEF("change %0d %0d\n",32,
                              gcd_bench__DOT__i,12,
                              (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__x_read));
                    vlSelf->gcd_bench__DOT____Vlvbound_h94432051__0 
                        = vlSelf->gcd_bench__DOT__circuit__DOT__x_read;
                    if (VL_LIKELY((0x447fU >= (0x7fffU 
                                               & gcd_bench__DOT__i)))) {
                        vlSelf->gcd_bench__DOT__state[(0x7fffU 
                                                       & gcd_bench__DOT__i)] 
                            = vlSelf->gcd_bench__DOT____Vlvbound_h94432051__0;
                    }
                }
                gcd_bench__DOT__i = ((IData)(1U) + gcd_bench__DOT__i);
            }
        }
    }
    VL_WRITEF("halted %0# steps %0d cycles %0# most %0# start %0# working %0#\n",
              1,vlSelf->gcd_bench__DOT__halted,32,gcd_bench__DOT__steps,
              48,gcd_bench__DOT__all,48,gcd_bench__DOT__most,
              48,gcd_bench__DOT__loaded,8,(IData)(vlSelf->gcd_bench__DOT__working));
    if (VL_UNLIKELY(VL_VALUEPLUSARGS_INW(8192, std::string{"last=%s"}, 
                                         vlSelf->gcd_bench__DOT__file))) {
        VL_WRITEMEM_N(true, 12, 17536, 0, VL_CVT_PACK_STR_NW(256, vlSelf->gcd_bench__DOT__file)
                      ,  &(vlSelf->gcd_bench__DOT__state)
                      , 0, ~0ULL);
    }
    VL_FINISH_MT("gcd_bench.v", 84, "");
}

VL_INLINE_OPT VlCoroutine Vgcd_bench___024root___eval_initial__TOP__1(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_initial__TOP__1\n"); );
    // Body
    while (1U) {
        co_await vlSelf->__VdlySched.delay(5U, "gcd_bench.v", 
                                           21);
        vlSelf->gcd_bench__DOT__clk = (1U & (~ (IData)(vlSelf->gcd_bench__DOT__clk)));
    }
}

VL_INLINE_OPT void Vgcd_bench___024root___act_sequent__TOP__0(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___act_sequent__TOP__0\n"); );
    // Body
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
}

void Vgcd_bench___024root___eval_act(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_act\n"); );
    // Body
    if (vlSelf->__VactTriggered.at(1U)) {
        Vgcd_bench___024root___act_sequent__TOP__0(vlSelf);
    }
}

extern const VlUnpacked<CData/*0:0*/, 16> Vgcd_bench__ConstPool__TABLE_hb4074921_0;
extern const VlUnpacked<SData/*12:0*/, 16> Vgcd_bench__ConstPool__TABLE_h692194ee_0;
extern const VlUnpacked<SData/*12:0*/, 16> Vgcd_bench__ConstPool__TABLE_hab33fe76_0;

VL_INLINE_OPT void Vgcd_bench___024root___nba_sequent__TOP__0(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___nba_sequent__TOP__0\n"); );
    // Init
    CData/*0:0*/ gcd_bench__DOT__circuit__DOT__streams;
    gcd_bench__DOT__circuit__DOT__streams = 0;
    SData/*12:0*/ __Vtask_gcd_bench__DOT__circuit__DOT__call__10__first_word;
    __Vtask_gcd_bench__DOT__circuit__DOT__call__10__first_word = 0;
    SData/*12:0*/ __Vtask_gcd_bench__DOT__circuit__DOT__call__12__first_word;
    __Vtask_gcd_bench__DOT__circuit__DOT__call__12__first_word = 0;
    CData/*4:0*/ __Vtask_gcd_bench__DOT__circuit__DOT__turn__13__next;
    __Vtask_gcd_bench__DOT__circuit__DOT__turn__13__next = 0;
    SData/*12:0*/ __Vtask_gcd_bench__DOT__circuit__DOT__call__18__first_word;
    __Vtask_gcd_bench__DOT__circuit__DOT__call__18__first_word = 0;
    CData/*3:0*/ __Vtableidx1;
    __Vtableidx1 = 0;
    IData/*17:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__multiplied;
    __Vdly__gcd_bench__DOT__circuit__DOT__multiplied = 0;
    SData/*14:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__x__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__x__v0 = 0;
    SData/*11:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__x__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__x__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__x__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__x__v0 = 0;
    CData/*7:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__delta__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__delta__v0 = 0;
    SData/*11:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__delta__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__delta__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__delta__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__delta__v0 = 0;
    SData/*14:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__held__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__held__v0 = 0;
    CData/*5:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__held__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__held__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__held__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__held__v0 = 0;
    IData/*17:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__sum;
    __Vdly__gcd_bench__DOT__circuit__DOT__sum = 0;
    IData/*17:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__own;
    __Vdly__gcd_bench__DOT__circuit__DOT__own = 0;
    CData/*7:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__digits;
    __Vdly__gcd_bench__DOT__circuit__DOT__digits = 0;
    IData/*17:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__quotient;
    __Vdly__gcd_bench__DOT__circuit__DOT__quotient = 0;
    SData/*13:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__values__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__values__v0 = 0;
    SData/*10:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__values__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__values__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__values__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__values__v0 = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys0__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys0__v0 = 0;
    QData/*38:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys0__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys0__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys0__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys0__v0 = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys1__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys1__v0 = 0;
    QData/*38:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys1__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys1__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys1__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys1__v0 = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys2__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys2__v0 = 0;
    QData/*38:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys2__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys2__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys2__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys2__v0 = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys3__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys3__v0 = 0;
    QData/*38:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys3__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys3__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys3__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys3__v0 = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys4__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys4__v0 = 0;
    QData/*63:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys4__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys4__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys4__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys4__v0 = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys5__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys5__v0 = 0;
    QData/*38:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys5__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys5__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys5__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys5__v0 = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys6__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys6__v0 = 0;
    VlWide<4>/*118:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys6__v0;
    VL_ZERO_W(119, __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys6__v0);
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys6__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys6__v0 = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys7__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys7__v0 = 0;
    VlWide<3>/*66:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys7__v0;
    VL_ZERO_W(67, __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys7__v0);
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys7__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys7__v0 = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys8__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys8__v0 = 0;
    QData/*52:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys8__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys8__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys8__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys8__v0 = 0;
    CData/*0:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__mine_next;
    __Vdly__gcd_bench__DOT__circuit__DOT__mine_next = 0;
    CData/*0:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__conflict;
    __Vdly__gcd_bench__DOT__circuit__DOT__conflict = 0;
    CData/*0:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__scanning;
    __Vdly__gcd_bench__DOT__circuit__DOT__scanning = 0;
    CData/*7:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__scan_next;
    __Vdly__gcd_bench__DOT__circuit__DOT__scan_next = 0;
    CData/*0:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__scan_read;
    __Vdly__gcd_bench__DOT__circuit__DOT__scan_read = 0;
    CData/*7:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__ties;
    __Vdly__gcd_bench__DOT__circuit__DOT__ties = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__tied__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__tied__v0 = 0;
    CData/*6:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__tied__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__tied__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__tied__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__tied__v0 = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__queue__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__queue__v0 = 0;
    CData/*6:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__queue__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__queue__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__queue__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__queue__v0 = 0;
    CData/*6:0*/ __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__idle__v0;
    __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__idle__v0 = 0;
    CData/*0:0*/ __Vdlyvval__gcd_bench__DOT__circuit__DOT__idle__v0;
    __Vdlyvval__gcd_bench__DOT__circuit__DOT__idle__v0 = 0;
    CData/*0:0*/ __Vdlyvset__gcd_bench__DOT__circuit__DOT__idle__v0;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__idle__v0 = 0;
    SData/*14:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__base;
    __Vdly__gcd_bench__DOT__circuit__DOT__base = 0;
    CData/*0:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__swept;
    __Vdly__gcd_bench__DOT__circuit__DOT__swept = 0;
    CData/*7:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__length;
    __Vdly__gcd_bench__DOT__circuit__DOT__length = 0;
    CData/*4:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__state;
    __Vdly__gcd_bench__DOT__circuit__DOT__state = 0;
    SData/*8:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__row;
    __Vdly__gcd_bench__DOT__circuit__DOT__row = 0;
    CData/*0:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__same;
    __Vdly__gcd_bench__DOT__circuit__DOT__same = 0;
    CData/*6:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__col;
    __Vdly__gcd_bench__DOT__circuit__DOT__col = 0;
    CData/*3:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__layer;
    __Vdly__gcd_bench__DOT__circuit__DOT__layer = 0;
    CData/*7:0*/ __Vdly__gcd_bench__DOT__circuit__DOT__at;
    __Vdly__gcd_bench__DOT__circuit__DOT__at = 0;
    CData/*7:0*/ __Vdly__gcd_bench__DOT__working;
    __Vdly__gcd_bench__DOT__working = 0;
    VlWide<3>/*95:0*/ __Vtemp_hb15cbf15__0;
    VlWide<4>/*127:0*/ __Vtemp_h4d61ff4b__0;
    // Body
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__idle__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__queue__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__tied__v0 = 0U;
    __Vdly__gcd_bench__DOT__circuit__DOT__ties = vlSelf->gcd_bench__DOT__circuit__DOT__ties;
    __Vdly__gcd_bench__DOT__circuit__DOT__own = vlSelf->gcd_bench__DOT__circuit__DOT__own;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys8__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys7__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys6__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys5__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys4__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys3__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys2__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys1__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys0__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__values__v0 = 0U;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__x__v0 = 0U;
    __Vdly__gcd_bench__DOT__circuit__DOT__quotient 
        = vlSelf->gcd_bench__DOT__circuit__DOT__quotient;
    __Vdly__gcd_bench__DOT__circuit__DOT__digits = vlSelf->gcd_bench__DOT__circuit__DOT__digits;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__delta__v0 = 0U;
    __Vdly__gcd_bench__DOT__circuit__DOT__sum = vlSelf->gcd_bench__DOT__circuit__DOT__sum;
    __Vdly__gcd_bench__DOT__working = vlSelf->gcd_bench__DOT__working;
    __Vdly__gcd_bench__DOT__circuit__DOT__at = vlSelf->gcd_bench__DOT__circuit__DOT__at;
    __Vdly__gcd_bench__DOT__circuit__DOT__same = vlSelf->gcd_bench__DOT__circuit__DOT__same;
    __Vdly__gcd_bench__DOT__circuit__DOT__length = vlSelf->gcd_bench__DOT__circuit__DOT__length;
    __Vdly__gcd_bench__DOT__circuit__DOT__swept = vlSelf->gcd_bench__DOT__circuit__DOT__swept;
    __Vdly__gcd_bench__DOT__circuit__DOT__col = vlSelf->gcd_bench__DOT__circuit__DOT__col;
    __Vdly__gcd_bench__DOT__circuit__DOT__row = vlSelf->gcd_bench__DOT__circuit__DOT__row;
    __Vdly__gcd_bench__DOT__circuit__DOT__layer = vlSelf->gcd_bench__DOT__circuit__DOT__layer;
    __Vdly__gcd_bench__DOT__circuit__DOT__base = vlSelf->gcd_bench__DOT__circuit__DOT__base;
    __Vdly__gcd_bench__DOT__circuit__DOT__state = vlSelf->gcd_bench__DOT__circuit__DOT__state;
    __Vdlyvset__gcd_bench__DOT__circuit__DOT__held__v0 = 0U;
    __Vdly__gcd_bench__DOT__circuit__DOT__multiplied 
        = vlSelf->gcd_bench__DOT__circuit__DOT__multiplied;
    __Vdly__gcd_bench__DOT__circuit__DOT__conflict 
        = vlSelf->gcd_bench__DOT__circuit__DOT__conflict;
    __Vdly__gcd_bench__DOT__circuit__DOT__mine_next 
        = vlSelf->gcd_bench__DOT__circuit__DOT__mine_next;
    __Vdly__gcd_bench__DOT__circuit__DOT__scan_read 
        = vlSelf->gcd_bench__DOT__circuit__DOT__scan_read;
    __Vdly__gcd_bench__DOT__circuit__DOT__scan_next 
        = vlSelf->gcd_bench__DOT__circuit__DOT__scan_next;
    __Vdly__gcd_bench__DOT__circuit__DOT__scanning 
        = vlSelf->gcd_bench__DOT__circuit__DOT__scanning;
    if ((((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__disturbs) 
          | (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__accepts)) 
         | (1U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)))) {
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__idle__v0 
            = vlSelf->gcd_bench__DOT__circuit__DOT__accepts;
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__idle__v0 = 1U;
        __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__idle__v0 
            = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__disturbs)
                ? (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scored_column)
                : (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col));
    }
    if ((((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__disturbs) 
          | (9U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) 
         | (0x11U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)))) {
        if (vlSelf->gcd_bench__DOT__circuit__DOT__disturbs) {
            __Vdlyvval__gcd_bench__DOT__circuit__DOT__queue__v0 
                = vlSelf->gcd_bench__DOT__circuit__DOT__scored_column;
            __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__queue__v0 
                = (0x7fU & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__length));
        } else {
            __Vdlyvval__gcd_bench__DOT__circuit__DOT__queue__v0 
                = vlSelf->gcd_bench__DOT__circuit__DOT__col;
            __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__queue__v0 
                = (0x7fU & ((9U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))
                             ? (IData)(vlSelf->gcd_bench__DOT__working)
                             : (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__kept)));
        }
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__queue__v0 = 1U;
    }
    if (vlSelf->gcd_bench__DOT__circuit__DOT__tie_write) {
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__tied__v0 
            = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__alone)
                ? (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col)
                : (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scored_column));
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__tied__v0 = 1U;
        if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__alone) 
             | (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__better))) {
            __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__tied__v0 = 0U;
            __Vdly__gcd_bench__DOT__circuit__DOT__ties = 1U;
        } else {
            __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__tied__v0 
                = (0x7fU & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties));
            __Vdly__gcd_bench__DOT__circuit__DOT__ties 
                = (0xffU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties)));
        }
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__learned) 
         & (0x10000U == (0x1e000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)))) {
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys8__v0 
            = (((QData)((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__own)) 
                << 0x23U) | (((QData)((IData)((0x1fU 
                                               & vlSelf->gcd_bench__DOT__circuit__DOT__key[0U]))) 
                              << 0x1eU) | (QData)((IData)(
                                                          ((0x3e000000U 
                                                            & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                               << 0x12U)) 
                                                           | ((0x1f00000U 
                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                                  << 6U)) 
                                                              | ((0xf8000U 
                                                                  & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                                     >> 6U)) 
                                                                 | ((0x7c00U 
                                                                     & ((vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                         << 0xeU) 
                                                                        | (0x3c00U 
                                                                           & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                                              >> 0x12U)))) 
                                                                    | ((0x3e0U 
                                                                        & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                           << 2U)) 
                                                                       | (0x1fU 
                                                                          & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                             >> 0xaU)))))))))));
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys8__v0 = 1U;
        __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys8__v0 
            = vlSelf->gcd_bench__DOT__circuit__DOT__col;
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__learned) 
         & (0xe000U == (0x1e000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)))) {
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys7__v0[0U] 
            = (IData)((((QData)((IData)((0x7fU & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                  >> 0xeU)))) 
                        << 0x1cU) | (QData)((IData)(
                                                    ((0xfe00000U 
                                                      & vlSelf->gcd_bench__DOT__circuit__DOT__key[0U]) 
                                                     | ((0x1fc000U 
                                                         & ((vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                             << 0x12U) 
                                                            | (0x3c000U 
                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                                  >> 0xeU)))) 
                                                        | ((0x3f80U 
                                                            & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                               << 4U)) 
                                                           | (0x7fU 
                                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                 >> 0xaU)))))))));
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys7__v0[1U] 
            = ((0xfffffff8U & ((vlSelf->gcd_bench__DOT__circuit__DOT__own 
                                << 0x11U) | ((0x1fc00U 
                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                 << 0xaU)) 
                                             | (0x3f8U 
                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                   >> 4U))))) 
               | (IData)(((((QData)((IData)((0x7fU 
                                             & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                >> 0xeU)))) 
                            << 0x1cU) | (QData)((IData)(
                                                        ((0xfe00000U 
                                                          & vlSelf->gcd_bench__DOT__circuit__DOT__key[0U]) 
                                                         | ((0x1fc000U 
                                                             & ((vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                 << 0x12U) 
                                                                | (0x3c000U 
                                                                   & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                                      >> 0xeU)))) 
                                                            | ((0x3f80U 
                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                   << 4U)) 
                                                               | (0x7fU 
                                                                  & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                     >> 0xaU)))))))) 
                          >> 0x20U)));
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys7__v0[2U] 
            = (7U & (vlSelf->gcd_bench__DOT__circuit__DOT__own 
                     >> 0xfU));
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys7__v0 = 1U;
        __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys7__v0 
            = vlSelf->gcd_bench__DOT__circuit__DOT__col;
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__learned) 
         & (0xc000U == (0x1e000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)))) {
        __Vtemp_hb15cbf15__0[0U] = (IData)((((QData)((IData)(
                                                             (0x3fU 
                                                              & ((vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                  << 1U) 
                                                                 | (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                    >> 0x1fU))))) 
                                             << 0x30U) 
                                            | (((QData)((IData)(
                                                                (0x3fU 
                                                                 & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                    >> 6U)))) 
                                                << 0x2aU) 
                                               | (((QData)((IData)(
                                                                   (0x3fU 
                                                                    & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                       >> 0xdU)))) 
                                                   << 0x24U) 
                                                  | (((QData)((IData)(
                                                                      (0x3fU 
                                                                       & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                          >> 0x14U)))) 
                                                      << 0x1eU) 
                                                     | (QData)((IData)(
                                                                       ((0x3f000000U 
                                                                         & ((vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                                             << 0x1dU) 
                                                                            | (0x1f000000U 
                                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                                >> 3U)))) 
                                                                        | ((0xfc0000U 
                                                                            & (vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                                               << 0x10U)) 
                                                                           | ((0x3f000U 
                                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                                                << 3U)) 
                                                                              | ((0xfc0U 
                                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                                                >> 0xaU)) 
                                                                                | (0x3fU 
                                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                                                >> 0x17U)))))))))))));
        __Vtemp_hb15cbf15__0[1U] = ((0xffc00000U & 
                                     ((0xe0000000U 
                                       & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                          << 0xcU)) 
                                      | (0x1fc00000U 
                                         & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                            >> 2U)))) 
                                    | (IData)(((((QData)((IData)(
                                                                 (0x3fU 
                                                                  & ((vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                      << 1U) 
                                                                     | (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                        >> 0x1fU))))) 
                                                 << 0x30U) 
                                                | (((QData)((IData)(
                                                                    (0x3fU 
                                                                     & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                        >> 6U)))) 
                                                    << 0x2aU) 
                                                   | (((QData)((IData)(
                                                                       (0x3fU 
                                                                        & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                           >> 0xdU)))) 
                                                       << 0x24U) 
                                                      | (((QData)((IData)(
                                                                          (0x3fU 
                                                                           & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                              >> 0x14U)))) 
                                                          << 0x1eU) 
                                                         | (QData)((IData)(
                                                                           ((0x3f000000U 
                                                                             & ((vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                                                << 0x1dU) 
                                                                                | (0x1f000000U 
                                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                                >> 3U)))) 
                                                                            | ((0xfc0000U 
                                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                                                << 0x10U)) 
                                                                               | ((0x3f000U 
                                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                                                << 3U)) 
                                                                                | ((0xfc0U 
                                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                                                >> 0xaU)) 
                                                                                | (0x3fU 
                                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                                                >> 0x17U)))))))))))) 
                                               >> 0x20U)));
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys6__v0[0U] 
            = __Vtemp_hb15cbf15__0[0U];
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys6__v0[1U] 
            = __Vtemp_hb15cbf15__0[1U];
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys6__v0[2U] 
            = ((0xf8000000U & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                               << 0x14U)) | ((0x7c00000U 
                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                 << 8U)) 
                                             | (0x3fffffU 
                                                & ((0x3e0000U 
                                                    & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                       >> 4U)) 
                                                   | ((0x1f000U 
                                                       & ((0x3f0000U 
                                                           & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                              << 0x10U)) 
                                                          | (0xf000U 
                                                             & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                                >> 0x10U)))) 
                                                      | ((0xf80U 
                                                          & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                             << 4U)) 
                                                         | ((0x7cU 
                                                             & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                >> 8U)) 
                                                            | (3U 
                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                  >> 0x14U)))))))));
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys6__v0[3U] 
            = ((vlSelf->gcd_bench__DOT__circuit__DOT__own 
                << 5U) | (0x1fU & vlSelf->gcd_bench__DOT__circuit__DOT__key[0U]));
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys6__v0 = 1U;
        __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys6__v0 
            = vlSelf->gcd_bench__DOT__circuit__DOT__col;
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__learned) 
         & (0xa000U == (0x1e000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)))) {
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys5__v0 
            = (((QData)((IData)(((vlSelf->gcd_bench__DOT__circuit__DOT__own 
                                  << 0xeU) | ((0x3000U 
                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                  << 0xcU)) 
                                              | ((0xc00U 
                                                  & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                     << 3U)) 
                                                 | ((0x300U 
                                                     & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                        >> 6U)) 
                                                    | ((0xc0U 
                                                        & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                           >> 0xfU)) 
                                                       | ((0x30U 
                                                           & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                              >> 0x18U)) 
                                                          | ((0xcU 
                                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                 >> 1U)) 
                                                             | (3U 
                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                   >> 0xaU))))))))))) 
                << 7U) | (QData)((IData)(((0x60U & 
                                           (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                            >> 0xcU)) 
                                          | (0x1fU 
                                             & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                >> 0x18U))))));
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys5__v0 = 1U;
        __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys5__v0 
            = vlSelf->gcd_bench__DOT__circuit__DOT__col;
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__learned) 
         & (0x8000U == (0x1e000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)))) {
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys4__v0 
            = (((QData)((IData)(((vlSelf->gcd_bench__DOT__circuit__DOT__own 
                                  << 0xeU) | ((0x3000U 
                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                  << 0xcU)) 
                                              | ((0xc00U 
                                                  & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                     << 3U)) 
                                                 | ((0x300U 
                                                     & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                        >> 6U)) 
                                                    | ((0xc0U 
                                                        & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                           >> 0xfU)) 
                                                       | ((0x30U 
                                                           & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                              >> 0x18U)) 
                                                          | ((0xcU 
                                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                 >> 1U)) 
                                                             | (3U 
                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                   >> 0xaU))))))))))) 
                << 0x20U) | (QData)((IData)(((0xf0000000U 
                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                 << 0xbU)) 
                                             | ((0xf000000U 
                                                 & vlSelf->gcd_bench__DOT__circuit__DOT__key[1U]) 
                                                | ((0xf00000U 
                                                    & ((vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                        << 0x15U) 
                                                       | (0x100000U 
                                                          & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                             >> 0xbU)))) 
                                                   | ((0xf0000U 
                                                       & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                          << 0xaU)) 
                                                      | ((0xf000U 
                                                          & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                             >> 1U)) 
                                                         | ((0xf00U 
                                                             & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                >> 0xcU)) 
                                                            | ((0xf0U 
                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                                   >> 0x17U)) 
                                                               | (0xfU 
                                                                  & (vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                                     >> 2U))))))))))));
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys4__v0 = 1U;
        __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys4__v0 
            = vlSelf->gcd_bench__DOT__circuit__DOT__col;
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__learned) 
         & (0x6000U == (0x1e000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)))) {
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys3__v0 
            = (((QData)((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__own)) 
                << 0x15U) | (QData)((IData)(((0x1c0000U 
                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                 << 0x12U)) 
                                             | ((0x38000U 
                                                 & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                    << 8U)) 
                                                | ((0x7000U 
                                                    & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                       >> 2U)) 
                                                   | ((0xe00U 
                                                       & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                          >> 0xcU)) 
                                                      | ((0x1c0U 
                                                          & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                             >> 0x16U)) 
                                                         | ((0x38U 
                                                             & vlSelf->gcd_bench__DOT__circuit__DOT__key[1U]) 
                                                            | (7U 
                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                  >> 0xaU)))))))))));
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys3__v0 = 1U;
        __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys3__v0 
            = vlSelf->gcd_bench__DOT__circuit__DOT__col;
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__learned) 
         & (0x4000U == (0x1e000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)))) {
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys2__v0 
            = (((QData)((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__own)) 
                << 0x15U) | (QData)((IData)(((0x1c0000U 
                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                 << 0x12U)) 
                                             | ((0x38000U 
                                                 & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                    << 8U)) 
                                                | ((0x7000U 
                                                    & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                       >> 2U)) 
                                                   | ((0xe00U 
                                                       & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                          >> 0xcU)) 
                                                      | ((0x1c0U 
                                                          & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                             >> 0x16U)) 
                                                         | ((0x38U 
                                                             & vlSelf->gcd_bench__DOT__circuit__DOT__key[1U]) 
                                                            | (7U 
                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                  >> 0xaU)))))))))));
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys2__v0 = 1U;
        __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys2__v0 
            = vlSelf->gcd_bench__DOT__circuit__DOT__col;
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__learned) 
         & (0x2000U == (0x1e000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)))) {
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys1__v0 
            = (((QData)((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__own)) 
                << 0x15U) | (QData)((IData)(((0x1c0000U 
                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                 << 0x12U)) 
                                             | ((0x38000U 
                                                 & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                    << 8U)) 
                                                | ((0x7000U 
                                                    & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                       >> 2U)) 
                                                   | ((0xe00U 
                                                       & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                          >> 0xcU)) 
                                                      | ((0x1c0U 
                                                          & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                             >> 0x16U)) 
                                                         | ((0x38U 
                                                             & vlSelf->gcd_bench__DOT__circuit__DOT__key[1U]) 
                                                            | (7U 
                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                  >> 0xaU)))))))))));
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys1__v0 = 1U;
        __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys1__v0 
            = vlSelf->gcd_bench__DOT__circuit__DOT__col;
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__learned) 
         & (0U == (0x1e000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)))) {
        __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys0__v0 
            = (((QData)((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__own)) 
                << 0x15U) | (QData)((IData)(((0x1c0000U 
                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                 << 0x12U)) 
                                             | ((0x38000U 
                                                 & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                    << 8U)) 
                                                | ((0x7000U 
                                                    & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                       >> 2U)) 
                                                   | ((0xe00U 
                                                       & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                          >> 0xcU)) 
                                                      | ((0x1c0U 
                                                          & (vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                             >> 0x16U)) 
                                                         | ((0x38U 
                                                             & vlSelf->gcd_bench__DOT__circuit__DOT__key[1U]) 
                                                            | (7U 
                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                                  >> 0xaU)))))))))));
        __Vdlyvset__gcd_bench__DOT__circuit__DOT__keys0__v0 = 1U;
        __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys0__v0 
            = vlSelf->gcd_bench__DOT__circuit__DOT__col;
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__done) 
         & (0x20000000U == (0x3c000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)))) {
        vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_h54a65520__0 
            = (0x7ffU & vlSelf->gcd_bench__DOT__circuit__DOT__sum);
        if ((0x2a7fU >= (0x3fffU & (((IData)(0x55U) 
                                     * (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col)) 
                                    + (0x1fffU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                  >> 0xdU)))))) {
            __Vdlyvval__gcd_bench__DOT__circuit__DOT__values__v0 
                = vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_h54a65520__0;
            __Vdlyvset__gcd_bench__DOT__circuit__DOT__values__v0 = 1U;
            __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__values__v0 
                = (0x3fffU & (((IData)(0x55U) * (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col)) 
                              + (0x1fffU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                            >> 0xdU))));
        }
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__phase = (
                                                   ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ready) 
                                                    & ((5U 
                                                        == 
                                                        (0xfU 
                                                         & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                            >> 0x1aU))) 
                                                       | (6U 
                                                          == 
                                                          (0xfU 
                                                           & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                              >> 0x1aU))))) 
                                                   & (~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__phase)));
    if (((0U != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))
          ? ((0x19U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))
              ? ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__swept) 
                 & (1U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__purpose)))
              : (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_apply))
          : (IData)(vlSelf->gcd_bench__DOT__write))) {
        vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_hb30874c8__0 
            = (0xfffU & ((0U != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))
                          ? ((0x19U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))
                              ? VL_EXTENDS_II(12,6, (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__held_read))
                              : ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__x_read) 
                                 + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__delta_read)))
                          : (IData)(vlSelf->gcd_bench__DOT__write_data)));
        if ((0x447fU >= (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__x_to))) {
            __Vdlyvval__gcd_bench__DOT__circuit__DOT__x__v0 
                = vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_hb30874c8__0;
            __Vdlyvset__gcd_bench__DOT__circuit__DOT__x__v0 = 1U;
            __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__x__v0 
                = vlSelf->gcd_bench__DOT__circuit__DOT__x_to;
        }
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_apply) 
         | (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__c_out))) {
        vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_h752fae2f__0 
            = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_apply)
                ? 0U : (0xfffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__delta_read) 
                                  + (0xfffU & vlSelf->gcd_bench__DOT__circuit__DOT__multiplied))));
        if ((0x88U >= (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__delta_row))) {
            __Vdlyvval__gcd_bench__DOT__circuit__DOT__delta__v0 
                = vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_h752fae2f__0;
            __Vdlyvset__gcd_bench__DOT__circuit__DOT__delta__v0 = 1U;
            __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__delta__v0 
                = vlSelf->gcd_bench__DOT__circuit__DOT__delta_row;
        }
    }
    if ((((0x19U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)) 
          & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__swept)) 
         & (0U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__purpose)))) {
        vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_h59e1b626__0 
            = (0x3fU & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__x_read));
        if ((0x447fU >= (0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                                    + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__swept_row))))) {
            __Vdlyvval__gcd_bench__DOT__circuit__DOT__held__v0 
                = vlSelf->gcd_bench__DOT__circuit__DOT____Vlvbound_h59e1b626__0;
            __Vdlyvset__gcd_bench__DOT__circuit__DOT__held__v0 = 1U;
            __Vdlyvdim0__gcd_bench__DOT__circuit__DOT__held__v0 
                = (0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                              + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__swept_row)));
        }
    }
    __Vdly__gcd_bench__DOT__circuit__DOT__multiplied 
        = (0x3ffffU & VL_MULS_III(18, (0x3ffffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__empty)
                                                    ? 
                                                   ((5U 
                                                     == 
                                                     (0xfU 
                                                      & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                         >> 0x1aU)))
                                                     ? vlSelf->gcd_bench__DOT__circuit__DOT__gate
                                                     : vlSelf->gcd_bench__DOT__circuit__DOT__sum)
                                                    : 
                                                   VL_EXTENDS_II(18,13, (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_weight)))), 
                                  (0x3ffffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__empty)
                                                ? vlSelf->gcd_bench__DOT__circuit__DOT__sum
                                                : ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_out)
                                                    ? vlSelf->gcd_bench__DOT__circuit__DOT__product
                                                    : 
                                                   VL_EXTENDS_II(18,12, (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__x_read)))))));
    vlSelf->gcd_bench__DOT__circuit__DOT__pc = vlSelf->gcd_bench__DOT__circuit__DOT__fetch;
    vlSelf->gcd_bench__DOT__circuit__DOT__scored_own 
        = vlSelf->gcd_bench__DOT__circuit__DOT__read_own;
    vlSelf->gcd_bench__DOT__circuit__DOT__score8 = 
        (0x3ffffU & ((((((VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,5, 
                                                           (0x1fU 
                                                            & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row8)))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,5, 
                                                                (0x1fU 
                                                                 & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__mine8))))) 
                          + VL_MULS_III(18, (0x3ffffU 
                                             & VL_EXTENDS_II(18,5, 
                                                             (0x1fU 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__row8 
                                                                         >> 5U))))), 
                                        (0x3ffffU & 
                                         VL_EXTENDS_II(18,5, 
                                                       (0x1fU 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__mine8 
                                                                   >> 5U))))))) 
                         + VL_MULS_III(18, (0x3ffffU 
                                            & VL_EXTENDS_II(18,5, 
                                                            (0x1fU 
                                                             & (IData)(
                                                                       (vlSelf->gcd_bench__DOT__circuit__DOT__row8 
                                                                        >> 0xaU))))), 
                                       (0x3ffffU & 
                                        VL_EXTENDS_II(18,5, 
                                                      (0x1fU 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__mine8 
                                                                  >> 0xaU))))))) 
                        + VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,5, 
                                                           (0x1fU 
                                                            & (IData)(
                                                                      (vlSelf->gcd_bench__DOT__circuit__DOT__row8 
                                                                       >> 0xfU))))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,5, 
                                                                (0x1fU 
                                                                 & (IData)(
                                                                           (vlSelf->gcd_bench__DOT__circuit__DOT__mine8 
                                                                            >> 0xfU))))))) 
                       + VL_MULS_III(18, (0x3ffffU 
                                          & VL_EXTENDS_II(18,5, 
                                                          (0x1fU 
                                                           & (IData)(
                                                                     (vlSelf->gcd_bench__DOT__circuit__DOT__row8 
                                                                      >> 0x14U))))), 
                                     (0x3ffffU & VL_EXTENDS_II(18,5, 
                                                               (0x1fU 
                                                                & (IData)(
                                                                          (vlSelf->gcd_bench__DOT__circuit__DOT__mine8 
                                                                           >> 0x14U))))))) 
                      + VL_MULS_III(18, (0x3ffffU & 
                                         VL_EXTENDS_II(18,5, 
                                                       (0x1fU 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__row8 
                                                                   >> 0x19U))))), 
                                    (0x3ffffU & VL_EXTENDS_II(18,5, 
                                                              (0x1fU 
                                                               & (IData)(
                                                                         (vlSelf->gcd_bench__DOT__circuit__DOT__mine8 
                                                                          >> 0x19U))))))) 
                     + VL_MULS_III(18, (0x3ffffU & 
                                        VL_EXTENDS_II(18,5, 
                                                      (0x1fU 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__row8 
                                                                  >> 0x1eU))))), 
                                   (0x3ffffU & VL_EXTENDS_II(18,5, 
                                                             (0x1fU 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__mine8 
                                                                         >> 0x1eU))))))));
    vlSelf->gcd_bench__DOT__circuit__DOT__score7 = 
        (0x3ffffU & ((((((VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,7, 
                                                           (0x7fU 
                                                            & vlSelf->gcd_bench__DOT__circuit__DOT__row7[0U]))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,7, 
                                                                (0x7fU 
                                                                 & vlSelf->gcd_bench__DOT__circuit__DOT__mine7[0U])))) 
                          + VL_MULS_III(18, (0x3ffffU 
                                             & VL_EXTENDS_II(18,7, 
                                                             (0x7fU 
                                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__row7[0U] 
                                                                 >> 7U)))), 
                                        (0x3ffffU & 
                                         VL_EXTENDS_II(18,7, 
                                                       (0x7fU 
                                                        & (vlSelf->gcd_bench__DOT__circuit__DOT__mine7[0U] 
                                                           >> 7U)))))) 
                         + VL_MULS_III(18, (0x3ffffU 
                                            & VL_EXTENDS_II(18,7, 
                                                            (0x7fU 
                                                             & (vlSelf->gcd_bench__DOT__circuit__DOT__row7[0U] 
                                                                >> 0xeU)))), 
                                       (0x3ffffU & 
                                        VL_EXTENDS_II(18,7, 
                                                      (0x7fU 
                                                       & (vlSelf->gcd_bench__DOT__circuit__DOT__mine7[0U] 
                                                          >> 0xeU)))))) 
                        + VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,7, 
                                                           (0x7fU 
                                                            & (vlSelf->gcd_bench__DOT__circuit__DOT__row7[0U] 
                                                               >> 0x15U)))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,7, 
                                                                (0x7fU 
                                                                 & (vlSelf->gcd_bench__DOT__circuit__DOT__mine7[0U] 
                                                                    >> 0x15U)))))) 
                       + VL_MULS_III(18, (0x3ffffU 
                                          & VL_EXTENDS_II(18,7, 
                                                          (0x7fU 
                                                           & ((vlSelf->gcd_bench__DOT__circuit__DOT__row7[1U] 
                                                               << 4U) 
                                                              | (vlSelf->gcd_bench__DOT__circuit__DOT__row7[0U] 
                                                                 >> 0x1cU))))), 
                                     (0x3ffffU & VL_EXTENDS_II(18,7, 
                                                               (0x7fU 
                                                                & ((vlSelf->gcd_bench__DOT__circuit__DOT__mine7[1U] 
                                                                    << 4U) 
                                                                   | (vlSelf->gcd_bench__DOT__circuit__DOT__mine7[0U] 
                                                                      >> 0x1cU))))))) 
                      + VL_MULS_III(18, (0x3ffffU & 
                                         VL_EXTENDS_II(18,7, 
                                                       (0x7fU 
                                                        & (vlSelf->gcd_bench__DOT__circuit__DOT__row7[1U] 
                                                           >> 3U)))), 
                                    (0x3ffffU & VL_EXTENDS_II(18,7, 
                                                              (0x7fU 
                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__mine7[1U] 
                                                                  >> 3U)))))) 
                     + VL_MULS_III(18, (0x3ffffU & 
                                        VL_EXTENDS_II(18,7, 
                                                      (0x7fU 
                                                       & (vlSelf->gcd_bench__DOT__circuit__DOT__row7[1U] 
                                                          >> 0xaU)))), 
                                   (0x3ffffU & VL_EXTENDS_II(18,7, 
                                                             (0x7fU 
                                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__mine7[1U] 
                                                                 >> 0xaU)))))));
    vlSelf->gcd_bench__DOT__circuit__DOT__score6 = 
        (0x3ffffU & (((((((((((((((((VL_MULS_III(18, 
                                                 (0x3ffffU 
                                                  & VL_EXTENDS_II(18,6, 
                                                                  (0x3fU 
                                                                   & vlSelf->gcd_bench__DOT__circuit__DOT__row6[0U]))), 
                                                 (0x3ffffU 
                                                  & VL_EXTENDS_II(18,6, 
                                                                  (0x3fU 
                                                                   & vlSelf->gcd_bench__DOT__circuit__DOT__mine6[0U])))) 
                                     + VL_MULS_III(18, 
                                                   (0x3ffffU 
                                                    & VL_EXTENDS_II(18,6, 
                                                                    (0x3fU 
                                                                     & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[0U] 
                                                                        >> 6U)))), 
                                                   (0x3ffffU 
                                                    & VL_EXTENDS_II(18,6, 
                                                                    (0x3fU 
                                                                     & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[0U] 
                                                                        >> 6U)))))) 
                                    + VL_MULS_III(18, 
                                                  (0x3ffffU 
                                                   & VL_EXTENDS_II(18,6, 
                                                                   (0x3fU 
                                                                    & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[0U] 
                                                                       >> 0xcU)))), 
                                                  (0x3ffffU 
                                                   & VL_EXTENDS_II(18,6, 
                                                                   (0x3fU 
                                                                    & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[0U] 
                                                                       >> 0xcU)))))) 
                                   + VL_MULS_III(18, 
                                                 (0x3ffffU 
                                                  & VL_EXTENDS_II(18,6, 
                                                                  (0x3fU 
                                                                   & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[0U] 
                                                                      >> 0x12U)))), 
                                                 (0x3ffffU 
                                                  & VL_EXTENDS_II(18,6, 
                                                                  (0x3fU 
                                                                   & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[0U] 
                                                                      >> 0x12U)))))) 
                                  + VL_MULS_III(18, 
                                                (0x3ffffU 
                                                 & VL_EXTENDS_II(18,6, 
                                                                 (0x3fU 
                                                                  & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[0U] 
                                                                     >> 0x18U)))), 
                                                (0x3ffffU 
                                                 & VL_EXTENDS_II(18,6, 
                                                                 (0x3fU 
                                                                  & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[0U] 
                                                                     >> 0x18U)))))) 
                                 + VL_MULS_III(18, 
                                               (0x3ffffU 
                                                & VL_EXTENDS_II(18,6, 
                                                                (0x3fU 
                                                                 & ((vlSelf->gcd_bench__DOT__circuit__DOT__row6[1U] 
                                                                     << 2U) 
                                                                    | (vlSelf->gcd_bench__DOT__circuit__DOT__row6[0U] 
                                                                       >> 0x1eU))))), 
                                               (0x3ffffU 
                                                & VL_EXTENDS_II(18,6, 
                                                                (0x3fU 
                                                                 & ((vlSelf->gcd_bench__DOT__circuit__DOT__mine6[1U] 
                                                                     << 2U) 
                                                                    | (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[0U] 
                                                                       >> 0x1eU))))))) 
                                + VL_MULS_III(18, (0x3ffffU 
                                                   & VL_EXTENDS_II(18,6, 
                                                                   (0x3fU 
                                                                    & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[1U] 
                                                                       >> 4U)))), 
                                              (0x3ffffU 
                                               & VL_EXTENDS_II(18,6, 
                                                               (0x3fU 
                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[1U] 
                                                                   >> 4U)))))) 
                               + VL_MULS_III(18, (0x3ffffU 
                                                  & VL_EXTENDS_II(18,6, 
                                                                  (0x3fU 
                                                                   & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[1U] 
                                                                      >> 0xaU)))), 
                                             (0x3ffffU 
                                              & VL_EXTENDS_II(18,6, 
                                                              (0x3fU 
                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[1U] 
                                                                  >> 0xaU)))))) 
                              + VL_MULS_III(18, (0x3ffffU 
                                                 & VL_EXTENDS_II(18,6, 
                                                                 (0x3fU 
                                                                  & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[1U] 
                                                                     >> 0x10U)))), 
                                            (0x3ffffU 
                                             & VL_EXTENDS_II(18,6, 
                                                             (0x3fU 
                                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[1U] 
                                                                 >> 0x10U)))))) 
                             + VL_MULS_III(18, (0x3ffffU 
                                                & VL_EXTENDS_II(18,7, 
                                                                (0x7fU 
                                                                 & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[1U] 
                                                                    >> 0x16U)))), 
                                           (0x3ffffU 
                                            & VL_EXTENDS_II(18,7, 
                                                            (0x7fU 
                                                             & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[1U] 
                                                                >> 0x16U)))))) 
                            + VL_MULS_III(18, (0x3ffffU 
                                               & VL_EXTENDS_II(18,5, 
                                                               (0x1fU 
                                                                & ((vlSelf->gcd_bench__DOT__circuit__DOT__row6[2U] 
                                                                    << 3U) 
                                                                   | (vlSelf->gcd_bench__DOT__circuit__DOT__row6[1U] 
                                                                      >> 0x1dU))))), 
                                          (0x3ffffU 
                                           & VL_EXTENDS_II(18,5, 
                                                           (0x1fU 
                                                            & ((vlSelf->gcd_bench__DOT__circuit__DOT__mine6[2U] 
                                                                << 3U) 
                                                               | (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[1U] 
                                                                  >> 0x1dU))))))) 
                           + VL_MULS_III(18, (0x3ffffU 
                                              & VL_EXTENDS_II(18,5, 
                                                              (0x1fU 
                                                               & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[2U] 
                                                                  >> 2U)))), 
                                         (0x3ffffU 
                                          & VL_EXTENDS_II(18,5, 
                                                          (0x1fU 
                                                           & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[2U] 
                                                              >> 2U)))))) 
                          + VL_MULS_III(18, (0x3ffffU 
                                             & VL_EXTENDS_II(18,5, 
                                                             (0x1fU 
                                                              & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[2U] 
                                                                 >> 7U)))), 
                                        (0x3ffffU & 
                                         VL_EXTENDS_II(18,5, 
                                                       (0x1fU 
                                                        & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[2U] 
                                                           >> 7U)))))) 
                         + VL_MULS_III(18, (0x3ffffU 
                                            & VL_EXTENDS_II(18,5, 
                                                            (0x1fU 
                                                             & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[2U] 
                                                                >> 0xcU)))), 
                                       (0x3ffffU & 
                                        VL_EXTENDS_II(18,5, 
                                                      (0x1fU 
                                                       & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[2U] 
                                                          >> 0xcU)))))) 
                        + VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,5, 
                                                           (0x1fU 
                                                            & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[2U] 
                                                               >> 0x11U)))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,5, 
                                                                (0x1fU 
                                                                 & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[2U] 
                                                                    >> 0x11U)))))) 
                       + VL_MULS_III(18, (0x3ffffU 
                                          & VL_EXTENDS_II(18,5, 
                                                          (0x1fU 
                                                           & (vlSelf->gcd_bench__DOT__circuit__DOT__row6[2U] 
                                                              >> 0x16U)))), 
                                     (0x3ffffU & VL_EXTENDS_II(18,5, 
                                                               (0x1fU 
                                                                & (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[2U] 
                                                                   >> 0x16U)))))) 
                      + VL_MULS_III(18, (0x3ffffU & 
                                         VL_EXTENDS_II(18,5, 
                                                       (vlSelf->gcd_bench__DOT__circuit__DOT__row6[2U] 
                                                        >> 0x1bU))), 
                                    (0x3ffffU & VL_EXTENDS_II(18,5, 
                                                              (vlSelf->gcd_bench__DOT__circuit__DOT__mine6[2U] 
                                                               >> 0x1bU))))) 
                     + VL_MULS_III(18, (0x3ffffU & 
                                        VL_EXTENDS_II(18,5, 
                                                      (0x1fU 
                                                       & vlSelf->gcd_bench__DOT__circuit__DOT__row6[3U]))), 
                                   (0x3ffffU & VL_EXTENDS_II(18,5, 
                                                             (0x1fU 
                                                              & vlSelf->gcd_bench__DOT__circuit__DOT__mine6[3U]))))));
    vlSelf->gcd_bench__DOT__circuit__DOT__score5 = 
        (0x3ffffU & ((((((((VL_MULS_III(18, (0x3ffffU 
                                             & VL_EXTENDS_II(18,5, 
                                                             (0x1fU 
                                                              & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row5)))), 
                                        (0x3ffffU & 
                                         VL_EXTENDS_II(18,5, 
                                                       (0x1fU 
                                                        & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__mine5))))) 
                            + VL_MULS_III(18, (0x3ffffU 
                                               & VL_EXTENDS_II(18,2, 
                                                               (3U 
                                                                & (IData)(
                                                                          (vlSelf->gcd_bench__DOT__circuit__DOT__row5 
                                                                           >> 5U))))), 
                                          (0x3ffffU 
                                           & VL_EXTENDS_II(18,2, 
                                                           (3U 
                                                            & (IData)(
                                                                      (vlSelf->gcd_bench__DOT__circuit__DOT__mine5 
                                                                       >> 5U))))))) 
                           + VL_MULS_III(18, (0x3ffffU 
                                              & VL_EXTENDS_II(18,2, 
                                                              (3U 
                                                               & (IData)(
                                                                         (vlSelf->gcd_bench__DOT__circuit__DOT__row5 
                                                                          >> 7U))))), 
                                         (0x3ffffU 
                                          & VL_EXTENDS_II(18,2, 
                                                          (3U 
                                                           & (IData)(
                                                                     (vlSelf->gcd_bench__DOT__circuit__DOT__mine5 
                                                                      >> 7U))))))) 
                          + VL_MULS_III(18, (0x3ffffU 
                                             & VL_EXTENDS_II(18,2, 
                                                             (3U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__row5 
                                                                         >> 9U))))), 
                                        (0x3ffffU & 
                                         VL_EXTENDS_II(18,2, 
                                                       (3U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__mine5 
                                                                   >> 9U))))))) 
                         + VL_MULS_III(18, (0x3ffffU 
                                            & VL_EXTENDS_II(18,2, 
                                                            (3U 
                                                             & (IData)(
                                                                       (vlSelf->gcd_bench__DOT__circuit__DOT__row5 
                                                                        >> 0xbU))))), 
                                       (0x3ffffU & 
                                        VL_EXTENDS_II(18,2, 
                                                      (3U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__mine5 
                                                                  >> 0xbU))))))) 
                        + VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,2, 
                                                           (3U 
                                                            & (IData)(
                                                                      (vlSelf->gcd_bench__DOT__circuit__DOT__row5 
                                                                       >> 0xdU))))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,2, 
                                                                (3U 
                                                                 & (IData)(
                                                                           (vlSelf->gcd_bench__DOT__circuit__DOT__mine5 
                                                                            >> 0xdU))))))) 
                       + VL_MULS_III(18, (0x3ffffU 
                                          & VL_EXTENDS_II(18,2, 
                                                          (3U 
                                                           & (IData)(
                                                                     (vlSelf->gcd_bench__DOT__circuit__DOT__row5 
                                                                      >> 0xfU))))), 
                                     (0x3ffffU & VL_EXTENDS_II(18,2, 
                                                               (3U 
                                                                & (IData)(
                                                                          (vlSelf->gcd_bench__DOT__circuit__DOT__mine5 
                                                                           >> 0xfU))))))) 
                      + VL_MULS_III(18, (0x3ffffU & 
                                         VL_EXTENDS_II(18,2, 
                                                       (3U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__row5 
                                                                   >> 0x11U))))), 
                                    (0x3ffffU & VL_EXTENDS_II(18,2, 
                                                              (3U 
                                                               & (IData)(
                                                                         (vlSelf->gcd_bench__DOT__circuit__DOT__mine5 
                                                                          >> 0x11U))))))) 
                     + VL_MULS_III(18, (0x3ffffU & 
                                        VL_EXTENDS_II(18,2, 
                                                      (3U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__row5 
                                                                  >> 0x13U))))), 
                                   (0x3ffffU & VL_EXTENDS_II(18,2, 
                                                             (3U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__mine5 
                                                                         >> 0x13U))))))));
    vlSelf->gcd_bench__DOT__circuit__DOT__score4 = 
        (0x3ffffU & ((((((((((((((VL_MULS_III(18, (0x3ffffU 
                                                   & VL_EXTENDS_II(18,4, 
                                                                   (0xfU 
                                                                    & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row4)))), 
                                              (0x3ffffU 
                                               & VL_EXTENDS_II(18,4, 
                                                               (0xfU 
                                                                & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__mine4))))) 
                                  + VL_MULS_III(18, 
                                                (0x3ffffU 
                                                 & VL_EXTENDS_II(18,4, 
                                                                 (0xfU 
                                                                  & (IData)(
                                                                            (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                             >> 4U))))), 
                                                (0x3ffffU 
                                                 & VL_EXTENDS_II(18,4, 
                                                                 (0xfU 
                                                                  & (IData)(
                                                                            (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                             >> 4U))))))) 
                                 + VL_MULS_III(18, 
                                               (0x3ffffU 
                                                & VL_EXTENDS_II(18,4, 
                                                                (0xfU 
                                                                 & (IData)(
                                                                           (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                            >> 8U))))), 
                                               (0x3ffffU 
                                                & VL_EXTENDS_II(18,4, 
                                                                (0xfU 
                                                                 & (IData)(
                                                                           (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                            >> 8U))))))) 
                                + VL_MULS_III(18, (0x3ffffU 
                                                   & VL_EXTENDS_II(18,4, 
                                                                   (0xfU 
                                                                    & (IData)(
                                                                              (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                               >> 0xcU))))), 
                                              (0x3ffffU 
                                               & VL_EXTENDS_II(18,4, 
                                                               (0xfU 
                                                                & (IData)(
                                                                          (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                           >> 0xcU))))))) 
                               + VL_MULS_III(18, (0x3ffffU 
                                                  & VL_EXTENDS_II(18,4, 
                                                                  (0xfU 
                                                                   & (IData)(
                                                                             (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                              >> 0x10U))))), 
                                             (0x3ffffU 
                                              & VL_EXTENDS_II(18,4, 
                                                              (0xfU 
                                                               & (IData)(
                                                                         (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                          >> 0x10U))))))) 
                              + VL_MULS_III(18, (0x3ffffU 
                                                 & VL_EXTENDS_II(18,4, 
                                                                 (0xfU 
                                                                  & (IData)(
                                                                            (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                             >> 0x14U))))), 
                                            (0x3ffffU 
                                             & VL_EXTENDS_II(18,4, 
                                                             (0xfU 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                         >> 0x14U))))))) 
                             + VL_MULS_III(18, (0x3ffffU 
                                                & VL_EXTENDS_II(18,4, 
                                                                (0xfU 
                                                                 & (IData)(
                                                                           (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                            >> 0x18U))))), 
                                           (0x3ffffU 
                                            & VL_EXTENDS_II(18,4, 
                                                            (0xfU 
                                                             & (IData)(
                                                                       (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                        >> 0x18U))))))) 
                            + VL_MULS_III(18, (0x3ffffU 
                                               & VL_EXTENDS_II(18,4, 
                                                               (0xfU 
                                                                & (IData)(
                                                                          (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                           >> 0x1cU))))), 
                                          (0x3ffffU 
                                           & VL_EXTENDS_II(18,4, 
                                                           (0xfU 
                                                            & (IData)(
                                                                      (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                       >> 0x1cU))))))) 
                           + VL_MULS_III(18, (0x3ffffU 
                                              & VL_EXTENDS_II(18,2, 
                                                              (3U 
                                                               & (IData)(
                                                                         (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                          >> 0x20U))))), 
                                         (0x3ffffU 
                                          & VL_EXTENDS_II(18,2, 
                                                          (3U 
                                                           & (IData)(
                                                                     (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                      >> 0x20U))))))) 
                          + VL_MULS_III(18, (0x3ffffU 
                                             & VL_EXTENDS_II(18,2, 
                                                             (3U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                         >> 0x22U))))), 
                                        (0x3ffffU & 
                                         VL_EXTENDS_II(18,2, 
                                                       (3U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                   >> 0x22U))))))) 
                         + VL_MULS_III(18, (0x3ffffU 
                                            & VL_EXTENDS_II(18,2, 
                                                            (3U 
                                                             & (IData)(
                                                                       (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                        >> 0x24U))))), 
                                       (0x3ffffU & 
                                        VL_EXTENDS_II(18,2, 
                                                      (3U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                  >> 0x24U))))))) 
                        + VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,2, 
                                                           (3U 
                                                            & (IData)(
                                                                      (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                       >> 0x26U))))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,2, 
                                                                (3U 
                                                                 & (IData)(
                                                                           (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                            >> 0x26U))))))) 
                       + VL_MULS_III(18, (0x3ffffU 
                                          & VL_EXTENDS_II(18,2, 
                                                          (3U 
                                                           & (IData)(
                                                                     (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                      >> 0x28U))))), 
                                     (0x3ffffU & VL_EXTENDS_II(18,2, 
                                                               (3U 
                                                                & (IData)(
                                                                          (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                           >> 0x28U))))))) 
                      + VL_MULS_III(18, (0x3ffffU & 
                                         VL_EXTENDS_II(18,2, 
                                                       (3U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                   >> 0x2aU))))), 
                                    (0x3ffffU & VL_EXTENDS_II(18,2, 
                                                              (3U 
                                                               & (IData)(
                                                                         (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                          >> 0x2aU))))))) 
                     + VL_MULS_III(18, (0x3ffffU & 
                                        VL_EXTENDS_II(18,2, 
                                                      (3U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__row4 
                                                                  >> 0x2cU))))), 
                                   (0x3ffffU & VL_EXTENDS_II(18,2, 
                                                             (3U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
                                                                         >> 0x2cU))))))));
    vlSelf->gcd_bench__DOT__circuit__DOT__score3 = 
        (0x3ffffU & ((((((VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,3, 
                                                           (7U 
                                                            & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row3)))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                                (7U 
                                                                 & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__mine3))))) 
                          + VL_MULS_III(18, (0x3ffffU 
                                             & VL_EXTENDS_II(18,3, 
                                                             (7U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__row3 
                                                                         >> 3U))))), 
                                        (0x3ffffU & 
                                         VL_EXTENDS_II(18,3, 
                                                       (7U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__mine3 
                                                                   >> 3U))))))) 
                         + VL_MULS_III(18, (0x3ffffU 
                                            & VL_EXTENDS_II(18,3, 
                                                            (7U 
                                                             & (IData)(
                                                                       (vlSelf->gcd_bench__DOT__circuit__DOT__row3 
                                                                        >> 6U))))), 
                                       (0x3ffffU & 
                                        VL_EXTENDS_II(18,3, 
                                                      (7U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__mine3 
                                                                  >> 6U))))))) 
                        + VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,3, 
                                                           (7U 
                                                            & (IData)(
                                                                      (vlSelf->gcd_bench__DOT__circuit__DOT__row3 
                                                                       >> 9U))))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                                (7U 
                                                                 & (IData)(
                                                                           (vlSelf->gcd_bench__DOT__circuit__DOT__mine3 
                                                                            >> 9U))))))) 
                       + VL_MULS_III(18, (0x3ffffU 
                                          & VL_EXTENDS_II(18,3, 
                                                          (7U 
                                                           & (IData)(
                                                                     (vlSelf->gcd_bench__DOT__circuit__DOT__row3 
                                                                      >> 0xcU))))), 
                                     (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                               (7U 
                                                                & (IData)(
                                                                          (vlSelf->gcd_bench__DOT__circuit__DOT__mine3 
                                                                           >> 0xcU))))))) 
                      + VL_MULS_III(18, (0x3ffffU & 
                                         VL_EXTENDS_II(18,3, 
                                                       (7U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__row3 
                                                                   >> 0xfU))))), 
                                    (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                              (7U 
                                                               & (IData)(
                                                                         (vlSelf->gcd_bench__DOT__circuit__DOT__mine3 
                                                                          >> 0xfU))))))) 
                     + VL_MULS_III(18, (0x3ffffU & 
                                        VL_EXTENDS_II(18,3, 
                                                      (7U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__row3 
                                                                  >> 0x12U))))), 
                                   (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                             (7U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__mine3 
                                                                         >> 0x12U))))))));
    vlSelf->gcd_bench__DOT__circuit__DOT__score2 = 
        (0x3ffffU & ((((((VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,3, 
                                                           (7U 
                                                            & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row2)))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                                (7U 
                                                                 & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__mine2))))) 
                          + VL_MULS_III(18, (0x3ffffU 
                                             & VL_EXTENDS_II(18,3, 
                                                             (7U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__row2 
                                                                         >> 3U))))), 
                                        (0x3ffffU & 
                                         VL_EXTENDS_II(18,3, 
                                                       (7U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__mine2 
                                                                   >> 3U))))))) 
                         + VL_MULS_III(18, (0x3ffffU 
                                            & VL_EXTENDS_II(18,3, 
                                                            (7U 
                                                             & (IData)(
                                                                       (vlSelf->gcd_bench__DOT__circuit__DOT__row2 
                                                                        >> 6U))))), 
                                       (0x3ffffU & 
                                        VL_EXTENDS_II(18,3, 
                                                      (7U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__mine2 
                                                                  >> 6U))))))) 
                        + VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,3, 
                                                           (7U 
                                                            & (IData)(
                                                                      (vlSelf->gcd_bench__DOT__circuit__DOT__row2 
                                                                       >> 9U))))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                                (7U 
                                                                 & (IData)(
                                                                           (vlSelf->gcd_bench__DOT__circuit__DOT__mine2 
                                                                            >> 9U))))))) 
                       + VL_MULS_III(18, (0x3ffffU 
                                          & VL_EXTENDS_II(18,3, 
                                                          (7U 
                                                           & (IData)(
                                                                     (vlSelf->gcd_bench__DOT__circuit__DOT__row2 
                                                                      >> 0xcU))))), 
                                     (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                               (7U 
                                                                & (IData)(
                                                                          (vlSelf->gcd_bench__DOT__circuit__DOT__mine2 
                                                                           >> 0xcU))))))) 
                      + VL_MULS_III(18, (0x3ffffU & 
                                         VL_EXTENDS_II(18,3, 
                                                       (7U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__row2 
                                                                   >> 0xfU))))), 
                                    (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                              (7U 
                                                               & (IData)(
                                                                         (vlSelf->gcd_bench__DOT__circuit__DOT__mine2 
                                                                          >> 0xfU))))))) 
                     + VL_MULS_III(18, (0x3ffffU & 
                                        VL_EXTENDS_II(18,3, 
                                                      (7U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__row2 
                                                                  >> 0x12U))))), 
                                   (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                             (7U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__mine2 
                                                                         >> 0x12U))))))));
    vlSelf->gcd_bench__DOT__circuit__DOT__score1 = 
        (0x3ffffU & ((((((VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,3, 
                                                           (7U 
                                                            & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row1)))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                                (7U 
                                                                 & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__mine1))))) 
                          + VL_MULS_III(18, (0x3ffffU 
                                             & VL_EXTENDS_II(18,3, 
                                                             (7U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__row1 
                                                                         >> 3U))))), 
                                        (0x3ffffU & 
                                         VL_EXTENDS_II(18,3, 
                                                       (7U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__mine1 
                                                                   >> 3U))))))) 
                         + VL_MULS_III(18, (0x3ffffU 
                                            & VL_EXTENDS_II(18,3, 
                                                            (7U 
                                                             & (IData)(
                                                                       (vlSelf->gcd_bench__DOT__circuit__DOT__row1 
                                                                        >> 6U))))), 
                                       (0x3ffffU & 
                                        VL_EXTENDS_II(18,3, 
                                                      (7U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__mine1 
                                                                  >> 6U))))))) 
                        + VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,3, 
                                                           (7U 
                                                            & (IData)(
                                                                      (vlSelf->gcd_bench__DOT__circuit__DOT__row1 
                                                                       >> 9U))))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                                (7U 
                                                                 & (IData)(
                                                                           (vlSelf->gcd_bench__DOT__circuit__DOT__mine1 
                                                                            >> 9U))))))) 
                       + VL_MULS_III(18, (0x3ffffU 
                                          & VL_EXTENDS_II(18,3, 
                                                          (7U 
                                                           & (IData)(
                                                                     (vlSelf->gcd_bench__DOT__circuit__DOT__row1 
                                                                      >> 0xcU))))), 
                                     (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                               (7U 
                                                                & (IData)(
                                                                          (vlSelf->gcd_bench__DOT__circuit__DOT__mine1 
                                                                           >> 0xcU))))))) 
                      + VL_MULS_III(18, (0x3ffffU & 
                                         VL_EXTENDS_II(18,3, 
                                                       (7U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__row1 
                                                                   >> 0xfU))))), 
                                    (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                              (7U 
                                                               & (IData)(
                                                                         (vlSelf->gcd_bench__DOT__circuit__DOT__mine1 
                                                                          >> 0xfU))))))) 
                     + VL_MULS_III(18, (0x3ffffU & 
                                        VL_EXTENDS_II(18,3, 
                                                      (7U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__row1 
                                                                  >> 0x12U))))), 
                                   (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                             (7U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__mine1 
                                                                         >> 0x12U))))))));
    vlSelf->gcd_bench__DOT__circuit__DOT__score0 = 
        (0x3ffffU & ((((((VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,3, 
                                                           (7U 
                                                            & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row0)))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                                (7U 
                                                                 & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__mine0))))) 
                          + VL_MULS_III(18, (0x3ffffU 
                                             & VL_EXTENDS_II(18,3, 
                                                             (7U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__row0 
                                                                         >> 3U))))), 
                                        (0x3ffffU & 
                                         VL_EXTENDS_II(18,3, 
                                                       (7U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__mine0 
                                                                   >> 3U))))))) 
                         + VL_MULS_III(18, (0x3ffffU 
                                            & VL_EXTENDS_II(18,3, 
                                                            (7U 
                                                             & (IData)(
                                                                       (vlSelf->gcd_bench__DOT__circuit__DOT__row0 
                                                                        >> 6U))))), 
                                       (0x3ffffU & 
                                        VL_EXTENDS_II(18,3, 
                                                      (7U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__mine0 
                                                                  >> 6U))))))) 
                        + VL_MULS_III(18, (0x3ffffU 
                                           & VL_EXTENDS_II(18,3, 
                                                           (7U 
                                                            & (IData)(
                                                                      (vlSelf->gcd_bench__DOT__circuit__DOT__row0 
                                                                       >> 9U))))), 
                                      (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                                (7U 
                                                                 & (IData)(
                                                                           (vlSelf->gcd_bench__DOT__circuit__DOT__mine0 
                                                                            >> 9U))))))) 
                       + VL_MULS_III(18, (0x3ffffU 
                                          & VL_EXTENDS_II(18,3, 
                                                          (7U 
                                                           & (IData)(
                                                                     (vlSelf->gcd_bench__DOT__circuit__DOT__row0 
                                                                      >> 0xcU))))), 
                                     (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                               (7U 
                                                                & (IData)(
                                                                          (vlSelf->gcd_bench__DOT__circuit__DOT__mine0 
                                                                           >> 0xcU))))))) 
                      + VL_MULS_III(18, (0x3ffffU & 
                                         VL_EXTENDS_II(18,3, 
                                                       (7U 
                                                        & (IData)(
                                                                  (vlSelf->gcd_bench__DOT__circuit__DOT__row0 
                                                                   >> 0xfU))))), 
                                    (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                              (7U 
                                                               & (IData)(
                                                                         (vlSelf->gcd_bench__DOT__circuit__DOT__mine0 
                                                                          >> 0xfU))))))) 
                     + VL_MULS_III(18, (0x3ffffU & 
                                        VL_EXTENDS_II(18,3, 
                                                      (7U 
                                                       & (IData)(
                                                                 (vlSelf->gcd_bench__DOT__circuit__DOT__row0 
                                                                  >> 0x12U))))), 
                                   (0x3ffffU & VL_EXTENDS_II(18,3, 
                                                             (7U 
                                                              & (IData)(
                                                                        (vlSelf->gcd_bench__DOT__circuit__DOT__mine0 
                                                                         >> 0x12U))))))));
    if (vlSelf->gcd_bench__DOT__circuit__DOT__mine_next) {
        vlSelf->gcd_bench__DOT__circuit__DOT__mine8 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row8;
        vlSelf->gcd_bench__DOT__circuit__DOT__mine7[0U] 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row7[0U];
        vlSelf->gcd_bench__DOT__circuit__DOT__mine7[1U] 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row7[1U];
        vlSelf->gcd_bench__DOT__circuit__DOT__mine7[2U] 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row7[2U];
        vlSelf->gcd_bench__DOT__circuit__DOT__mine6[0U] 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row6[0U];
        vlSelf->gcd_bench__DOT__circuit__DOT__mine6[1U] 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row6[1U];
        vlSelf->gcd_bench__DOT__circuit__DOT__mine6[2U] 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row6[2U];
        vlSelf->gcd_bench__DOT__circuit__DOT__mine6[3U] 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row6[3U];
        vlSelf->gcd_bench__DOT__circuit__DOT__mine5 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row5;
        vlSelf->gcd_bench__DOT__circuit__DOT__mine4 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row4;
        vlSelf->gcd_bench__DOT__circuit__DOT__mine3 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row3;
        vlSelf->gcd_bench__DOT__circuit__DOT__mine2 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row2;
        vlSelf->gcd_bench__DOT__circuit__DOT__mine1 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row1;
        vlSelf->gcd_bench__DOT__circuit__DOT__mine0 
            = vlSelf->gcd_bench__DOT__circuit__DOT__row0;
        __Vdly__gcd_bench__DOT__circuit__DOT__scanning = 1U;
        __Vdly__gcd_bench__DOT__circuit__DOT__scan_next = 0U;
        vlSelf->gcd_bench__DOT__circuit__DOT__first = 1U;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__c_row = vlSelf->gcd_bench__DOT__circuit__DOT__b_row;
    __Vdly__gcd_bench__DOT__circuit__DOT__mine_next 
        = (((((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ready) 
              & (0x24000000U == (0x3c000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word))) 
             & (~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__solo))) 
            & (~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scanning))) 
           & (~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__mine_next)));
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_scored) 
         & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__better))) {
        vlSelf->gcd_bench__DOT__circuit__DOT__best 
            = vlSelf->gcd_bench__DOT__circuit__DOT__score;
    }
    if (vlSelf->gcd_bench__DOT__circuit__DOT__checking) {
        if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_scored) 
             & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scored_idle) 
                & (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scored_column) 
                    != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col)) 
                   & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT____VdfgTmp_h9c2c05b0__0) 
                      | VL_GTES_III(18, vlSelf->gcd_bench__DOT__circuit__DOT__score, vlSelf->gcd_bench__DOT__circuit__DOT__my_own)))))) {
            __Vdly__gcd_bench__DOT__circuit__DOT__conflict = 1U;
        }
    } else {
        __Vdly__gcd_bench__DOT__circuit__DOT__conflict = 0U;
    }
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scanning) 
         & (0x80U != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_next)))) {
        __Vdly__gcd_bench__DOT__circuit__DOT__scan_read = 1U;
        __Vdly__gcd_bench__DOT__circuit__DOT__scan_next 
            = (0xffU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_next)));
    } else {
        __Vdly__gcd_bench__DOT__circuit__DOT__scan_read = 0U;
    }
    if (vlSelf->gcd_bench__DOT__circuit__DOT__scan_scored) {
        vlSelf->gcd_bench__DOT__circuit__DOT__first = 0U;
    }
    if (vlSelf->gcd_bench__DOT__circuit__DOT__scan_done) {
        __Vdly__gcd_bench__DOT__circuit__DOT__scanning = 0U;
    }
    if (vlSelf->gcd_bench__DOT__circuit__DOT__done) {
        if ((1U & (~ (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                      >> 0x1dU)))) {
            if ((0x10000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)) {
                if ((0x8000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)) {
                    __Vdly__gcd_bench__DOT__circuit__DOT__own 
                        = ((0x4000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)
                            ? 0U : (0x3ffffU & (vlSelf->gcd_bench__DOT__circuit__DOT__own 
                                                + vlSelf->gcd_bench__DOT__circuit__DOT__multiplied)));
                }
            }
        }
    }
    if (vlSelf->gcd_bench__DOT__reset) {
        __Vdly__gcd_bench__DOT__circuit__DOT__own = 0U;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__own = __Vdly__gcd_bench__DOT__circuit__DOT__own;
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__delta__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__delta[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__delta__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__delta__v0;
    }
    if (vlSelf->gcd_bench__DOT__reset) {
        vlSelf->gcd_bench__DOT__circuit__DOT__phase = 0U;
        __Vdly__gcd_bench__DOT__circuit__DOT__scanning = 0U;
        __Vdly__gcd_bench__DOT__circuit__DOT__mine_next = 0U;
        __Vdly__gcd_bench__DOT__circuit__DOT__scan_read = 0U;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__mine_next 
        = __Vdly__gcd_bench__DOT__circuit__DOT__mine_next;
    vlSelf->gcd_bench__DOT__circuit__DOT__scanning 
        = __Vdly__gcd_bench__DOT__circuit__DOT__scanning;
    vlSelf->gcd_bench__DOT__circuit__DOT__scan_next 
        = __Vdly__gcd_bench__DOT__circuit__DOT__scan_next;
    vlSelf->gcd_bench__DOT__circuit__DOT__b_apply = (IData)(
                                                            ((0x17U 
                                                              == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)) 
                                                             & (0x8000000U 
                                                                == 
                                                                (0x3c000000U 
                                                                 & vlSelf->gcd_bench__DOT__circuit__DOT__word))));
    vlSelf->gcd_bench__DOT__circuit__DOT__c_out = vlSelf->gcd_bench__DOT__circuit__DOT__b_out;
    vlSelf->gcd_bench__DOT__circuit__DOT__b_weight 
        = (0x1fffU & vlSelf->gcd_bench__DOT__circuit__DOT__word);
    vlSelf->gcd_bench__DOT__circuit__DOT__row8 = vlSelf->gcd_bench__DOT__circuit__DOT__keys8
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column];
    vlSelf->gcd_bench__DOT__circuit__DOT__row7[0U] 
        = vlSelf->gcd_bench__DOT__circuit__DOT__keys7
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column][0U];
    vlSelf->gcd_bench__DOT__circuit__DOT__row7[1U] 
        = vlSelf->gcd_bench__DOT__circuit__DOT__keys7
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column][1U];
    vlSelf->gcd_bench__DOT__circuit__DOT__row7[2U] 
        = vlSelf->gcd_bench__DOT__circuit__DOT__keys7
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column][2U];
    vlSelf->gcd_bench__DOT__circuit__DOT__row6[0U] 
        = vlSelf->gcd_bench__DOT__circuit__DOT__keys6
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column][0U];
    vlSelf->gcd_bench__DOT__circuit__DOT__row6[1U] 
        = vlSelf->gcd_bench__DOT__circuit__DOT__keys6
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column][1U];
    vlSelf->gcd_bench__DOT__circuit__DOT__row6[2U] 
        = vlSelf->gcd_bench__DOT__circuit__DOT__keys6
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column][2U];
    vlSelf->gcd_bench__DOT__circuit__DOT__row6[3U] 
        = vlSelf->gcd_bench__DOT__circuit__DOT__keys6
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column][3U];
    vlSelf->gcd_bench__DOT__circuit__DOT__row5 = vlSelf->gcd_bench__DOT__circuit__DOT__keys5
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column];
    vlSelf->gcd_bench__DOT__circuit__DOT__row4 = vlSelf->gcd_bench__DOT__circuit__DOT__keys4
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column];
    vlSelf->gcd_bench__DOT__circuit__DOT__row3 = vlSelf->gcd_bench__DOT__circuit__DOT__keys3
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column];
    vlSelf->gcd_bench__DOT__circuit__DOT__row2 = vlSelf->gcd_bench__DOT__circuit__DOT__keys2
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column];
    vlSelf->gcd_bench__DOT__circuit__DOT__row1 = vlSelf->gcd_bench__DOT__circuit__DOT__keys1
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column];
    vlSelf->gcd_bench__DOT__circuit__DOT__row0 = vlSelf->gcd_bench__DOT__circuit__DOT__keys0
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column];
    vlSelf->gcd_bench__DOT__circuit__DOT__b_row = (0xffU 
                                                   & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                      >> 0xdU));
    vlSelf->gcd_bench__DOT__circuit__DOT__scored_column 
        = vlSelf->gcd_bench__DOT__circuit__DOT__read_column;
    vlSelf->gcd_bench__DOT__circuit__DOT__scored_idle 
        = vlSelf->gcd_bench__DOT__circuit__DOT__read_idle;
    vlSelf->gcd_bench__DOT__circuit__DOT__scan_scored 
        = vlSelf->gcd_bench__DOT__circuit__DOT__scan_read;
    __Vdly__gcd_bench__DOT__circuit__DOT__base = (0x7fffU 
                                                  & ((IData)(0x89U) 
                                                     * (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col)));
    __Vdly__gcd_bench__DOT__circuit__DOT__swept = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__sweeps) 
                                                   & (0x89U 
                                                      != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row)));
    vlSelf->gcd_bench__DOT__circuit__DOT__swept_row 
        = vlSelf->gcd_bench__DOT__circuit__DOT__row;
    if (vlSelf->gcd_bench__DOT__busy) {
        vlSelf->gcd_bench__DOT__cycles = (0xffffffffffffULL 
                                          & (1ULL + vlSelf->gcd_bench__DOT__cycles));
    }
    if (vlSelf->gcd_bench__DOT__circuit__DOT__disturbs) {
        __Vdly__gcd_bench__DOT__circuit__DOT__length 
            = (0xffU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__length)));
    }
    if ((0x10U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
        if ((8U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            if ((4U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                __Vdly__gcd_bench__DOT__circuit__DOT__state = 0U;
            } else if ((2U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                __Vdly__gcd_bench__DOT__circuit__DOT__state = 0U;
            } else if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                if ((0x89U != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row))) {
                    __Vdly__gcd_bench__DOT__circuit__DOT__row 
                        = (0x1ffU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row)));
                }
                if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__swept) 
                     & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__x_read) 
                        != (0xfffU & VL_EXTENDS_II(12,6, (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__held_read)))))) {
                    __Vdly__gcd_bench__DOT__circuit__DOT__same = 0U;
                }
                if ((((0x89U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row)) 
                      & (~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__swept))) 
                     | ((2U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__purpose)) 
                        & (~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__same))))) {
                    __Vdly__gcd_bench__DOT__circuit__DOT__state 
                        = vlSelf->gcd_bench__DOT__circuit__DOT__then;
                }
            } else {
                __Vdly__gcd_bench__DOT__circuit__DOT__row = 0U;
                __Vdly__gcd_bench__DOT__circuit__DOT__same = 1U;
                __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x19U;
            }
        } else if ((4U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            if ((2U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ready) 
                         & (0x30000000U == (0x3c000000U 
                                            & vlSelf->gcd_bench__DOT__circuit__DOT__word)))) {
                        __Vdly__gcd_bench__DOT__circuit__DOT__state 
                            = vlSelf->gcd_bench__DOT__circuit__DOT__then;
                    }
                } else {
                    __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x17U;
                }
            } else if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                __Vdly__gcd_bench__DOT__circuit__DOT__state 
                    = vlSelf->gcd_bench__DOT__circuit__DOT__then;
            } else {
                __Vdly__gcd_bench__DOT__circuit__DOT__col = 0U;
                vlSelf->gcd_bench__DOT__circuit__DOT__entry = 0x1246U;
                vlSelf->gcd_bench__DOT__circuit__DOT__then = 0U;
                __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x16U;
            }
        } else if ((2U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__at) 
                     == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__length))) {
                    __Vdly__gcd_bench__DOT__circuit__DOT__col = 0U;
                    __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x14U;
                } else {
                    __Vdly__gcd_bench__DOT__circuit__DOT__col 
                        = (0x7fU & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__queue_read));
                    __Vdly__gcd_bench__DOT__circuit__DOT__state = 2U;
                }
            } else {
                __Vdly__gcd_bench__DOT__circuit__DOT__layer 
                    = (0xfU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__layer)));
                __Vdly__gcd_bench__DOT__circuit__DOT__length 
                    = vlSelf->gcd_bench__DOT__circuit__DOT__kept;
                __Vdly__gcd_bench__DOT__circuit__DOT__at 
                    = vlSelf->gcd_bench__DOT__working;
                if ((7U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__layer))) {
                    vlSelf->gcd_bench__DOT__circuit__DOT__then = 0x13U;
                    __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x15U;
                } else {
                    __Vdly__gcd_bench__DOT__circuit__DOT__state = 0xbU;
                }
            }
        } else if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            __Vdly__gcd_bench__DOT__circuit__DOT__at 
                = (0xffU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__at)));
            vlSelf->gcd_bench__DOT__circuit__DOT__kept 
                = (0xffU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__kept)));
            vlSelf->gcd_bench__DOT__circuit__DOT__then = 0xeU;
            __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x15U;
        } else {
            __Vdly__gcd_bench__DOT__circuit__DOT__at 
                = (0xffU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__at)));
            vlSelf->gcd_bench__DOT__circuit__DOT__then = 0xeU;
            __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x15U;
        }
    } else if ((8U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
        if ((4U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            if ((2U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                    if (vlSelf->gcd_bench__DOT__circuit__DOT__same) {
                        if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__at) 
                             < (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__fresh))) {
                            vlSelf->gcd_bench__DOT__circuit__DOT__entry = 0x109bU;
                            vlSelf->gcd_bench__DOT__circuit__DOT__then = 0x10U;
                            __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x16U;
                        } else {
                            __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x10U;
                        }
                    } else {
                        __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x11U;
                    }
                } else {
                    __Vdly__gcd_bench__DOT__circuit__DOT__col 
                        = vlSelf->gcd_bench__DOT__circuit__DOT__queue_read;
                    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__at) 
                         == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__length))) {
                        __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x12U;
                    } else {
                        vlSelf->gcd_bench__DOT__circuit__DOT__purpose = 2U;
                        vlSelf->gcd_bench__DOT__circuit__DOT__then = 0xfU;
                        __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x18U;
                    }
                }
            } else if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__at) 
                     == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__length))) {
                    __Vdly__gcd_bench__DOT__circuit__DOT__at 
                        = (0xffU & (IData)(vlSelf->gcd_bench__DOT__working));
                    vlSelf->gcd_bench__DOT__circuit__DOT__then = 0xeU;
                    __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x15U;
                } else {
                    __Vdly__gcd_bench__DOT__circuit__DOT__at 
                        = (0xffU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__at)));
                    __Vtask_gcd_bench__DOT__circuit__DOT__call__10__first_word 
                        = vlSelf->gcd_bench__DOT__circuit__DOT__visit_entry;
                    vlSelf->gcd_bench__DOT__circuit__DOT__entry 
                        = __Vtask_gcd_bench__DOT__circuit__DOT__call__10__first_word;
                    vlSelf->gcd_bench__DOT__circuit__DOT__then = 0xdU;
                    __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x16U;
                }
                vlSelf->gcd_bench__DOT__circuit__DOT__kept 
                    = vlSelf->gcd_bench__DOT__working;
                __Vdly__gcd_bench__DOT__circuit__DOT__col 
                    = vlSelf->gcd_bench__DOT__circuit__DOT__queue_read;
            } else {
                if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__at) 
                     == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__length))) {
                    __Vdly__gcd_bench__DOT__circuit__DOT__at = 0U;
                    vlSelf->gcd_bench__DOT__circuit__DOT__then = 0xdU;
                    __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x15U;
                } else {
                    __Vdly__gcd_bench__DOT__circuit__DOT__at 
                        = (0xffU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__at)));
                    __Vtask_gcd_bench__DOT__circuit__DOT__call__12__first_word 
                        = vlSelf->gcd_bench__DOT__circuit__DOT__learn_entry;
                    vlSelf->gcd_bench__DOT__circuit__DOT__entry 
                        = __Vtask_gcd_bench__DOT__circuit__DOT__call__12__first_word;
                    vlSelf->gcd_bench__DOT__circuit__DOT__then = 0xcU;
                    __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x16U;
                }
                __Vdly__gcd_bench__DOT__circuit__DOT__col 
                    = vlSelf->gcd_bench__DOT__circuit__DOT__queue_read;
            }
        } else if ((2U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                __Vtask_gcd_bench__DOT__circuit__DOT__turn__13__next 
                    = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__has_heads)
                        ? 0xcU : 0xdU);
                __Vdly__gcd_bench__DOT__circuit__DOT__at = 0U;
                vlSelf->gcd_bench__DOT__circuit__DOT__fresh 
                    = vlSelf->gcd_bench__DOT__circuit__DOT__length;
                vlSelf->gcd_bench__DOT__circuit__DOT__then 
                    = __Vtask_gcd_bench__DOT__circuit__DOT__turn__13__next;
                __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x15U;
            } else {
                if (vlSelf->gcd_bench__DOT__circuit__DOT__loading) {
                    __Vdly__gcd_bench__DOT__circuit__DOT__col 
                        = (0x7fU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col)));
                    __Vdly__gcd_bench__DOT__circuit__DOT__state 
                        = ((0x7fU == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col))
                            ? 0x14U : 2U);
                } else {
                    vlSelf->gcd_bench__DOT__circuit__DOT__then = 0x13U;
                    __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x15U;
                }
                __Vdly__gcd_bench__DOT__circuit__DOT__at 
                    = (0xffU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__at)));
            }
        } else if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            __Vdly__gcd_bench__DOT__working = (0xffU 
                                               & ((IData)(1U) 
                                                  + (IData)(vlSelf->gcd_bench__DOT__working)));
            __Vdly__gcd_bench__DOT__circuit__DOT__state = 0xaU;
        } else {
            __Vdly__gcd_bench__DOT__circuit__DOT__state = 0xaU;
        }
    } else if ((4U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
        if ((2U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
                vlSelf->gcd_bench__DOT__circuit__DOT__checking = 0U;
                __Vdly__gcd_bench__DOT__circuit__DOT__state 
                    = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__conflict)
                        ? 9U : 8U);
            } else {
                __Vdly__gcd_bench__DOT__circuit__DOT__layer 
                    = (0xfU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__layer)));
                if ((1U & ((~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__same)) 
                           | (7U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__layer))))) {
                    vlSelf->gcd_bench__DOT__circuit__DOT__solo = 0U;
                }
                if (vlSelf->gcd_bench__DOT__circuit__DOT__same) {
                    vlSelf->gcd_bench__DOT__circuit__DOT__checking 
                        = (7U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__layer));
                    if ((7U != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__layer))) {
                        __Vdly__gcd_bench__DOT__circuit__DOT__state = 4U;
                    } else {
                        vlSelf->gcd_bench__DOT__circuit__DOT__entry = 0x123cU;
                        vlSelf->gcd_bench__DOT__circuit__DOT__then = 7U;
                        __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x16U;
                    }
                } else {
                    vlSelf->gcd_bench__DOT__circuit__DOT__checking = 0U;
                    vlSelf->gcd_bench__DOT__circuit__DOT__purpose = 1U;
                    vlSelf->gcd_bench__DOT__circuit__DOT__then = 9U;
                    __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x18U;
                }
            }
        } else if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            vlSelf->gcd_bench__DOT__circuit__DOT__purpose = 2U;
            vlSelf->gcd_bench__DOT__circuit__DOT__then = 6U;
            __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x18U;
        } else {
            __Vtask_gcd_bench__DOT__circuit__DOT__call__18__first_word 
                = vlSelf->gcd_bench__DOT__circuit__DOT__visit_entry;
            vlSelf->gcd_bench__DOT__circuit__DOT__entry 
                = __Vtask_gcd_bench__DOT__circuit__DOT__call__18__first_word;
            vlSelf->gcd_bench__DOT__circuit__DOT__then = 5U;
            __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x16U;
        }
    } else if ((2U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
        if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            __Vdly__gcd_bench__DOT__circuit__DOT__layer = 0U;
            vlSelf->gcd_bench__DOT__circuit__DOT__solo = 1U;
            vlSelf->gcd_bench__DOT__circuit__DOT__entry = 0x109bU;
            vlSelf->gcd_bench__DOT__circuit__DOT__then = 4U;
            __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x16U;
        } else {
            vlSelf->gcd_bench__DOT__circuit__DOT__purpose = 0U;
            vlSelf->gcd_bench__DOT__circuit__DOT__then = 3U;
            __Vdly__gcd_bench__DOT__circuit__DOT__state = 0x18U;
        }
    } else if ((1U & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
        if ((0x7fU == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col))) {
            __Vdly__gcd_bench__DOT__circuit__DOT__col = 0U;
            __Vdly__gcd_bench__DOT__circuit__DOT__state = 2U;
        } else {
            __Vdly__gcd_bench__DOT__circuit__DOT__col 
                = (0x7fU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col)));
        }
    } else {
        if (vlSelf->gcd_bench__DOT__start) {
            __Vdly__gcd_bench__DOT__working = 0U;
            __Vdly__gcd_bench__DOT__circuit__DOT__state = 1U;
            __Vdly__gcd_bench__DOT__circuit__DOT__col = 0U;
            __Vdly__gcd_bench__DOT__circuit__DOT__layer = 0U;
            vlSelf->gcd_bench__DOT__circuit__DOT__solo = 0U;
            vlSelf->gcd_bench__DOT__circuit__DOT__checking = 0U;
            vlSelf->gcd_bench__DOT__circuit__DOT__loading = 1U;
        } else {
            if (((IData)(vlSelf->gcd_bench__DOT__step) 
                 & (~ (IData)(vlSelf->gcd_bench__DOT__halted)))) {
                __Vdly__gcd_bench__DOT__circuit__DOT__state = 0xbU;
            }
            __Vdly__gcd_bench__DOT__circuit__DOT__col = 0U;
            __Vdly__gcd_bench__DOT__circuit__DOT__layer = 0U;
            vlSelf->gcd_bench__DOT__circuit__DOT__solo = 0U;
            vlSelf->gcd_bench__DOT__circuit__DOT__checking = 0U;
            vlSelf->gcd_bench__DOT__circuit__DOT__loading = 0U;
        }
        __Vdly__gcd_bench__DOT__circuit__DOT__length 
            = vlSelf->gcd_bench__DOT__working;
        if (((IData)(vlSelf->gcd_bench__DOT__start) 
             | ((IData)(vlSelf->gcd_bench__DOT__step) 
                & (~ (IData)(vlSelf->gcd_bench__DOT__halted))))) {
            vlSelf->gcd_bench__DOT__cycles = 0ULL;
        }
    }
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__keys8__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys8[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys8__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys8__v0;
    }
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__keys7__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys7[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys7__v0][0U] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys7__v0[0U];
        vlSelf->gcd_bench__DOT__circuit__DOT__keys7[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys7__v0][1U] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys7__v0[1U];
        vlSelf->gcd_bench__DOT__circuit__DOT__keys7[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys7__v0][2U] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys7__v0[2U];
    }
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__keys6__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys6[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys6__v0][0U] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys6__v0[0U];
        vlSelf->gcd_bench__DOT__circuit__DOT__keys6[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys6__v0][1U] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys6__v0[1U];
        vlSelf->gcd_bench__DOT__circuit__DOT__keys6[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys6__v0][2U] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys6__v0[2U];
        vlSelf->gcd_bench__DOT__circuit__DOT__keys6[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys6__v0][3U] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys6__v0[3U];
    }
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__keys5__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys5[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys5__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys5__v0;
    }
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__keys4__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys4[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys4__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys4__v0;
    }
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__keys3__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys3[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys3__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys3__v0;
    }
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__keys2__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys2[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys2__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys2__v0;
    }
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__keys1__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys1[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys1__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys1__v0;
    }
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__keys0__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__keys0[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__keys0__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__keys0__v0;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__scan_read 
        = __Vdly__gcd_bench__DOT__circuit__DOT__scan_read;
    vlSelf->gcd_bench__DOT__circuit__DOT__conflict 
        = __Vdly__gcd_bench__DOT__circuit__DOT__conflict;
    vlSelf->gcd_bench__DOT__circuit__DOT__length = __Vdly__gcd_bench__DOT__circuit__DOT__length;
    vlSelf->gcd_bench__DOT__circuit__DOT__same = __Vdly__gcd_bench__DOT__circuit__DOT__same;
    if (vlSelf->gcd_bench__DOT__reset) {
        vlSelf->gcd_bench__DOT__circuit__DOT__b_apply = 0U;
        vlSelf->gcd_bench__DOT__circuit__DOT__c_out = 0U;
        vlSelf->gcd_bench__DOT__circuit__DOT__scan_scored = 0U;
        __Vdly__gcd_bench__DOT__working = 0U;
        __Vdly__gcd_bench__DOT__circuit__DOT__state = 0U;
        vlSelf->gcd_bench__DOT__cycles = 0ULL;
    }
    vlSelf->gcd_bench__DOT__working = __Vdly__gcd_bench__DOT__working;
    vlSelf->gcd_bench__DOT__circuit__DOT__swept = __Vdly__gcd_bench__DOT__circuit__DOT__swept;
    vlSelf->gcd_bench__DOT__circuit__DOT__layer = __Vdly__gcd_bench__DOT__circuit__DOT__layer;
    vlSelf->gcd_bench__DOT__circuit__DOT__col = __Vdly__gcd_bench__DOT__circuit__DOT__col;
    vlSelf->gcd_bench__DOT__circuit__DOT__b_out = (IData)(
                                                          ((0x17U 
                                                            == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)) 
                                                           & (0x4000000U 
                                                              == 
                                                              (0x3c000000U 
                                                               & vlSelf->gcd_bench__DOT__circuit__DOT__word))));
    vlSelf->gcd_bench__DOT__circuit__DOT__delta_row 
        = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_apply)
            ? (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_row)
            : (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__c_row));
    vlSelf->gcd_bench__DOT__circuit__DOT__read_column 
        = vlSelf->gcd_bench__DOT__circuit__DOT__key_column;
    vlSelf->gcd_bench__DOT__circuit__DOT__read_idle 
        = vlSelf->gcd_bench__DOT__circuit__DOT__idle
        [vlSelf->gcd_bench__DOT__circuit__DOT__key_column];
    vlSelf->gcd_bench__DOT__circuit__DOT__scan_done 
        = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scanning) 
           & ((~ ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_read) 
                  | (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_scored))) 
              & (0x80U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_next))));
    __Vtableidx1 = vlSelf->gcd_bench__DOT__circuit__DOT__layer;
    vlSelf->gcd_bench__DOT__circuit__DOT__has_heads 
        = Vgcd_bench__ConstPool__TABLE_hb4074921_0[__Vtableidx1];
    vlSelf->gcd_bench__DOT__circuit__DOT__learn_entry 
        = Vgcd_bench__ConstPool__TABLE_h692194ee_0[__Vtableidx1];
    vlSelf->gcd_bench__DOT__circuit__DOT__visit_entry 
        = Vgcd_bench__ConstPool__TABLE_hab33fe76_0[__Vtableidx1];
    vlSelf->gcd_bench__DOT__circuit__DOT__queue_read 
        = vlSelf->gcd_bench__DOT__circuit__DOT__queue
        [(0x7fU & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__at))];
    vlSelf->gcd_bench__DOT__circuit__DOT__x_read = 
        ((0x447fU >= (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__x_from))
          ? vlSelf->gcd_bench__DOT__circuit__DOT__x
         [vlSelf->gcd_bench__DOT__circuit__DOT__x_from]
          : 0U);
    vlSelf->gcd_bench__DOT__circuit__DOT__held_read 
        = ((0x447fU >= (0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                                   + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row))))
            ? vlSelf->gcd_bench__DOT__circuit__DOT__held
           [(0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                        + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row)))]
            : 0U);
    if (vlSelf->gcd_bench__DOT__circuit__DOT__c_term) {
        __Vdly__gcd_bench__DOT__circuit__DOT__sum = 
            (0x3ffffU & (vlSelf->gcd_bench__DOT__circuit__DOT__sum 
                         + vlSelf->gcd_bench__DOT__circuit__DOT__multiplied));
    }
    if (vlSelf->gcd_bench__DOT__circuit__DOT__value_read) {
        __Vdly__gcd_bench__DOT__circuit__DOT__sum = 
            (0x3ffffU & (vlSelf->gcd_bench__DOT__circuit__DOT__sum 
                         + VL_EXTENDS_II(18,11, (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__value))));
    }
    if (vlSelf->gcd_bench__DOT__circuit__DOT__done) {
        if ((0x20000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)) {
            if ((1U & (~ (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                          >> 0x1cU)))) {
                if ((0x8000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)) {
                    if ((0x4000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)) {
                        vlSelf->gcd_bench__DOT__halted 
                            = VL_LTES_III(32, 1U, VL_EXTENDS_II(32,18, vlSelf->gcd_bench__DOT__circuit__DOT__sum));
                    } else {
                        vlSelf->gcd_bench__DOT__circuit__DOT__product 
                            = (0x3ffffU & ((1U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties))
                                            ? vlSelf->gcd_bench__DOT__circuit__DOT__sum
                                            : ((2U 
                                                == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties))
                                                ? (vlSelf->gcd_bench__DOT__circuit__DOT__half 
                                                   + 
                                                   VL_EXTENDS_II(18,2, 
                                                                 (1U 
                                                                  & (vlSelf->gcd_bench__DOT__circuit__DOT__sum 
                                                                     & vlSelf->gcd_bench__DOT__circuit__DOT__half))))
                                                : (
                                                   VL_GTS_III(32, 0U, 
                                                              VL_EXTENDS_II(32,18, vlSelf->gcd_bench__DOT__circuit__DOT__sum))
                                                    ? 
                                                   (- vlSelf->gcd_bench__DOT__circuit__DOT__rounded)
                                                    : vlSelf->gcd_bench__DOT__circuit__DOT__rounded))));
                    }
                }
            }
        } else if ((0x10000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)) {
            if ((0x8000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)) {
                if ((1U & (~ (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                              >> 0x1aU)))) {
                    __Vtemp_h4d61ff4b__0[1U] = ((vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                                                 >> 0x19U) 
                                                | (vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                   << 7U));
                    __Vtemp_h4d61ff4b__0[2U] = ((vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                                                 >> 0x19U) 
                                                | (vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                   << 7U));
                    __Vtemp_h4d61ff4b__0[3U] = ((vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                                                 >> 0x19U) 
                                                | (0x3fffff80U 
                                                   & (vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                                                      << 7U)));
                    vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                        = ((vlSelf->gcd_bench__DOT__circuit__DOT__key[0U] 
                            << 7U) | (0x7fU & vlSelf->gcd_bench__DOT__circuit__DOT__sum));
                    vlSelf->gcd_bench__DOT__circuit__DOT__key[1U] 
                        = __Vtemp_h4d61ff4b__0[1U];
                    vlSelf->gcd_bench__DOT__circuit__DOT__key[2U] 
                        = __Vtemp_h4d61ff4b__0[2U];
                    vlSelf->gcd_bench__DOT__circuit__DOT__key[3U] 
                        = __Vtemp_h4d61ff4b__0[3U];
                }
            } else if ((0x4000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word)) {
                vlSelf->gcd_bench__DOT__circuit__DOT__product 
                    = vlSelf->gcd_bench__DOT__circuit__DOT__multiplied;
            } else {
                vlSelf->gcd_bench__DOT__circuit__DOT__gate 
                    = vlSelf->gcd_bench__DOT__circuit__DOT__sum;
            }
        }
        __Vdly__gcd_bench__DOT__circuit__DOT__sum = 0U;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__delta_read 
        = ((0x88U >= (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__delta_row))
            ? vlSelf->gcd_bench__DOT__circuit__DOT__delta
           [vlSelf->gcd_bench__DOT__circuit__DOT__delta_row]
            : 0U);
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__idle__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__idle[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__idle__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__idle__v0;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__key_column 
        = (0x7fU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scanning)
                     ? (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__scan_next)
                     : (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__col)));
    vlSelf->gcd_bench__DOT__circuit__DOT__at = __Vdly__gcd_bench__DOT__circuit__DOT__at;
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__queue__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__queue[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__queue__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__queue__v0;
    }
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__x__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__x[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__x__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__x__v0;
    }
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__held__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__held[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__held__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__held__v0;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__row = __Vdly__gcd_bench__DOT__circuit__DOT__row;
    vlSelf->gcd_bench__DOT__circuit__DOT__base = __Vdly__gcd_bench__DOT__circuit__DOT__base;
    vlSelf->gcd_bench__DOT__circuit__DOT__multiplied 
        = __Vdly__gcd_bench__DOT__circuit__DOT__multiplied;
    vlSelf->gcd_bench__DOT__circuit__DOT__c_term = vlSelf->gcd_bench__DOT__circuit__DOT__b_term;
    vlSelf->gcd_bench__DOT__circuit__DOT__value_read 
        = vlSelf->gcd_bench__DOT__circuit__DOT__tie_read;
    vlSelf->gcd_bench__DOT__circuit__DOT__value = (
                                                   (0x2a7fU 
                                                    >= 
                                                    (0x3fffU 
                                                     & (((IData)(0x55U) 
                                                         * (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__tie)) 
                                                        + 
                                                        (0x1fffU 
                                                         & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                            >> 0xdU)))))
                                                    ? 
                                                   vlSelf->gcd_bench__DOT__circuit__DOT__values
                                                   [
                                                   (0x3fffU 
                                                    & (((IData)(0x55U) 
                                                        * (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__tie)) 
                                                       + 
                                                       (0x1fffU 
                                                        & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                                           >> 0xdU))))]
                                                    : 0U);
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__values__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__values[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__values__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__values__v0;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__b_term = (IData)(
                                                           ((0x17U 
                                                             == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)) 
                                                            & (0U 
                                                               == 
                                                               (0x3c000000U 
                                                                & vlSelf->gcd_bench__DOT__circuit__DOT__word))));
    vlSelf->gcd_bench__DOT__circuit__DOT__tie = vlSelf->gcd_bench__DOT__circuit__DOT__tied
        [(0x7fU & (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__tie_next))];
    vlSelf->gcd_bench__DOT__circuit__DOT__tie_read 
        = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__averaging) 
           & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__tie_next) 
              != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties)));
    if (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__averaging) 
         & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__tie_next) 
            != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties)))) {
        vlSelf->gcd_bench__DOT__circuit__DOT__tie_next 
            = (0xffU & ((IData)(1U) + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__tie_next)));
    }
    if (((((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ready) 
           & (0x28000000U == (0x3c000000U & vlSelf->gcd_bench__DOT__circuit__DOT__word))) 
          & (~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__averaging))) 
         & (~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__dividing)))) {
        vlSelf->gcd_bench__DOT__circuit__DOT__averaging = 1U;
        vlSelf->gcd_bench__DOT__circuit__DOT__tie_next = 0U;
    }
    if (vlSelf->gcd_bench__DOT__circuit__DOT__mean_done) {
        vlSelf->gcd_bench__DOT__circuit__DOT__averaging = 0U;
        __Vdly__gcd_bench__DOT__circuit__DOT__digits = 0x12U;
        vlSelf->gcd_bench__DOT__circuit__DOT__remainder = 0U;
        __Vdly__gcd_bench__DOT__circuit__DOT__quotient 
            = (0x3ffffU & (VL_GTS_III(32, 0U, VL_EXTENDS_II(32,18, vlSelf->gcd_bench__DOT__circuit__DOT__sum))
                            ? (- vlSelf->gcd_bench__DOT__circuit__DOT__sum)
                            : vlSelf->gcd_bench__DOT__circuit__DOT__sum));
    }
    if ((1U & (~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__divided)))) {
        if (vlSelf->gcd_bench__DOT__circuit__DOT__dividing) {
            __Vdly__gcd_bench__DOT__circuit__DOT__digits 
                = (0xffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__digits) 
                            - (IData)(1U)));
            __Vdly__gcd_bench__DOT__circuit__DOT__quotient 
                = ((0x3fffeU & (vlSelf->gcd_bench__DOT__circuit__DOT__quotient 
                                << 1U)) | ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__shifted) 
                                           >= (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties)));
            vlSelf->gcd_bench__DOT__circuit__DOT__remainder 
                = (0x1ffU & (((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__shifted) 
                              >= (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties))
                              ? ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__shifted) 
                                 - (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties))
                              : (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__shifted)));
        }
    }
    if (vlSelf->gcd_bench__DOT__circuit__DOT__mean_done) {
        vlSelf->gcd_bench__DOT__circuit__DOT__dividing 
            = (2U < (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties));
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__state = __Vdly__gcd_bench__DOT__circuit__DOT__state;
    if (__Vdlyvset__gcd_bench__DOT__circuit__DOT__tied__v0) {
        vlSelf->gcd_bench__DOT__circuit__DOT__tied[__Vdlyvdim0__gcd_bench__DOT__circuit__DOT__tied__v0] 
            = __Vdlyvval__gcd_bench__DOT__circuit__DOT__tied__v0;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__quotient 
        = __Vdly__gcd_bench__DOT__circuit__DOT__quotient;
    if (vlSelf->gcd_bench__DOT__reset) {
        vlSelf->gcd_bench__DOT__circuit__DOT__b_out = 0U;
        __Vdly__gcd_bench__DOT__circuit__DOT__sum = 0U;
        vlSelf->gcd_bench__DOT__halted = 0U;
        vlSelf->gcd_bench__DOT__circuit__DOT__sum = __Vdly__gcd_bench__DOT__circuit__DOT__sum;
        vlSelf->gcd_bench__DOT__circuit__DOT__digits 
            = __Vdly__gcd_bench__DOT__circuit__DOT__digits;
        vlSelf->gcd_bench__DOT__circuit__DOT__c_term = 0U;
        vlSelf->gcd_bench__DOT__circuit__DOT__value_read = 0U;
        vlSelf->gcd_bench__DOT__circuit__DOT__b_term = 0U;
    } else {
        vlSelf->gcd_bench__DOT__circuit__DOT__sum = __Vdly__gcd_bench__DOT__circuit__DOT__sum;
        vlSelf->gcd_bench__DOT__circuit__DOT__digits 
            = __Vdly__gcd_bench__DOT__circuit__DOT__digits;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__empty = (1U 
                                                   & ((~ (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_term)) 
                                                      & (~ 
                                                         ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_out) 
                                                          | ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_apply) 
                                                             | ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__c_out) 
                                                                | (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__c_term)))))));
    vlSelf->gcd_bench__DOT__busy = (0U != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state));
    vlSelf->gcd_bench__DOT__circuit__DOT__sweeps = 
        (0x19U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state));
    vlSelf->gcd_bench__DOT__circuit__DOT__accepts = 
        ((8U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)) 
         | (0x10U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state)));
    vlSelf->gcd_bench__DOT__circuit__DOT__shifted = 
        ((0x1feU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__remainder) 
                    << 1U)) | (1U & (vlSelf->gcd_bench__DOT__circuit__DOT__quotient 
                                     >> 0x11U)));
    vlSelf->gcd_bench__DOT__circuit__DOT__half = (0x3ffffU 
                                                  & VL_SHIFTRS_III(18,18,32, vlSelf->gcd_bench__DOT__circuit__DOT__sum, 1U));
    if (vlSelf->gcd_bench__DOT__circuit__DOT__divided) {
        vlSelf->gcd_bench__DOT__circuit__DOT__dividing = 0U;
    }
    if (vlSelf->gcd_bench__DOT__reset) {
        vlSelf->gcd_bench__DOT__circuit__DOT__averaging = 0U;
        vlSelf->gcd_bench__DOT__circuit__DOT__tie_read = 0U;
        vlSelf->gcd_bench__DOT__circuit__DOT__dividing = 0U;
    }
    vlSelf->gcd_bench__DOT__circuit__DOT__word = ((0x124fU 
                                                   >= (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__fetch))
                                                   ? 
                                                  vlSelf->gcd_bench__DOT__circuit__DOT__rom
                                                  [vlSelf->gcd_bench__DOT__circuit__DOT__fetch]
                                                   : 0U);
    vlSelf->gcd_bench__DOT__circuit__DOT__ties = __Vdly__gcd_bench__DOT__circuit__DOT__ties;
    vlSelf->gcd_bench__DOT__circuit__DOT__divided = 
        ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__dividing) 
         & (0U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__digits)));
    vlSelf->gcd_bench__DOT__circuit__DOT__rounded = 
        (0x3ffffU & (vlSelf->gcd_bench__DOT__circuit__DOT__quotient 
                     + ((((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__remainder) 
                          << 1U) > (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties)) 
                        | ((((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__remainder) 
                             << 1U) == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties)) 
                           & vlSelf->gcd_bench__DOT__circuit__DOT__quotient))));
    vlSelf->gcd_bench__DOT__circuit__DOT__mean_done 
        = ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__averaging) 
           & ((~ ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__tie_read) 
                  | (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__value_read))) 
              & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__tie_next) 
                 == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__ties))));
    vlSelf->gcd_bench__DOT__circuit__DOT__read_own = 0U;
    vlSelf->gcd_bench__DOT__circuit__DOT__my_own = 0U;
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

VL_INLINE_OPT void Vgcd_bench___024root___nba_comb__TOP__0(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___nba_comb__TOP__0\n"); );
    // Body
    if ((0U != (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
        if ((0x19U == (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__state))) {
            vlSelf->gcd_bench__DOT__circuit__DOT__x_to 
                = (0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                              + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__swept_row)));
            vlSelf->gcd_bench__DOT__circuit__DOT__x_from 
                = (0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                              + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__row)));
        } else {
            vlSelf->gcd_bench__DOT__circuit__DOT__x_to 
                = (0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                              + (IData)(vlSelf->gcd_bench__DOT__circuit__DOT__b_row)));
            vlSelf->gcd_bench__DOT__circuit__DOT__x_from 
                = (0x7fffU & ((IData)(vlSelf->gcd_bench__DOT__circuit__DOT__base) 
                              + (0xffU & (vlSelf->gcd_bench__DOT__circuit__DOT__word 
                                          >> 0xdU))));
        }
    } else {
        vlSelf->gcd_bench__DOT__circuit__DOT__x_to 
            = (0x7fffU & (IData)(vlSelf->gcd_bench__DOT__address));
        vlSelf->gcd_bench__DOT__circuit__DOT__x_from 
            = (0x7fffU & (IData)(vlSelf->gcd_bench__DOT__address));
    }
}

void Vgcd_bench___024root___eval_nba(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_nba\n"); );
    // Body
    if (vlSelf->__VnbaTriggered.at(0U)) {
        Vgcd_bench___024root___nba_sequent__TOP__0(vlSelf);
    }
    if ((vlSelf->__VnbaTriggered.at(0U) | vlSelf->__VnbaTriggered.at(1U))) {
        Vgcd_bench___024root___nba_comb__TOP__0(vlSelf);
    }
}

void Vgcd_bench___024root___eval_triggers__act(Vgcd_bench___024root* vlSelf);
void Vgcd_bench___024root___timing_commit(Vgcd_bench___024root* vlSelf);
#ifdef VL_DEBUG
VL_ATTR_COLD void Vgcd_bench___024root___dump_triggers__act(Vgcd_bench___024root* vlSelf);
#endif  // VL_DEBUG
void Vgcd_bench___024root___timing_resume(Vgcd_bench___024root* vlSelf);
#ifdef VL_DEBUG
VL_ATTR_COLD void Vgcd_bench___024root___dump_triggers__nba(Vgcd_bench___024root* vlSelf);
#endif  // VL_DEBUG

void Vgcd_bench___024root___eval(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval\n"); );
    // Init
    VlTriggerVec<3> __VpreTriggered;
    IData/*31:0*/ __VnbaIterCount;
    CData/*0:0*/ __VnbaContinue;
    // Body
    __VnbaIterCount = 0U;
    __VnbaContinue = 1U;
    while (__VnbaContinue) {
        __VnbaContinue = 0U;
        vlSelf->__VnbaTriggered.clear();
        vlSelf->__VactIterCount = 0U;
        vlSelf->__VactContinue = 1U;
        while (vlSelf->__VactContinue) {
            vlSelf->__VactContinue = 0U;
            Vgcd_bench___024root___eval_triggers__act(vlSelf);
            Vgcd_bench___024root___timing_commit(vlSelf);
            if (vlSelf->__VactTriggered.any()) {
                vlSelf->__VactContinue = 1U;
                if (VL_UNLIKELY((0x64U < vlSelf->__VactIterCount))) {
#ifdef VL_DEBUG
                    Vgcd_bench___024root___dump_triggers__act(vlSelf);
#endif
                    VL_FATAL_MT("gcd_bench.v", 7, "", "Active region did not converge.");
                }
                vlSelf->__VactIterCount = ((IData)(1U) 
                                           + vlSelf->__VactIterCount);
                __VpreTriggered.andNot(vlSelf->__VactTriggered, vlSelf->__VnbaTriggered);
                vlSelf->__VnbaTriggered.set(vlSelf->__VactTriggered);
                Vgcd_bench___024root___timing_resume(vlSelf);
                Vgcd_bench___024root___eval_act(vlSelf);
            }
        }
        if (vlSelf->__VnbaTriggered.any()) {
            __VnbaContinue = 1U;
            if (VL_UNLIKELY((0x64U < __VnbaIterCount))) {
#ifdef VL_DEBUG
                Vgcd_bench___024root___dump_triggers__nba(vlSelf);
#endif
                VL_FATAL_MT("gcd_bench.v", 7, "", "NBA region did not converge.");
            }
            __VnbaIterCount = ((IData)(1U) + __VnbaIterCount);
            Vgcd_bench___024root___eval_nba(vlSelf);
        }
    }
}

void Vgcd_bench___024root___timing_commit(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___timing_commit\n"); );
    // Body
    if ((1U & (~ (IData)(vlSelf->__VactTriggered.at(1U))))) {
        vlSelf->__VtrigSched_h1b3a18ca__0.commit("@(negedge gcd_bench.clk)");
    }
}

void Vgcd_bench___024root___timing_resume(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___timing_resume\n"); );
    // Body
    if (vlSelf->__VactTriggered.at(1U)) {
        vlSelf->__VtrigSched_h1b3a18ca__0.resume("@(negedge gcd_bench.clk)");
    }
    if (vlSelf->__VactTriggered.at(2U)) {
        vlSelf->__VdlySched.resume();
    }
}

#ifdef VL_DEBUG
void Vgcd_bench___024root___eval_debug_assertions(Vgcd_bench___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vgcd_bench__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vgcd_bench___024root___eval_debug_assertions\n"); );
}
#endif  // VL_DEBUG
