// Verilated -*- C++ -*-
// DESCRIPTION: Verilator output: Design internal header
// See Vgcd_bench.h for the primary calling header

#ifndef VERILATED_VGCD_BENCH___024ROOT_H_
#define VERILATED_VGCD_BENCH___024ROOT_H_  // guard

#include "verilated.h"
#include "verilated_timing.h"

class Vgcd_bench__Syms;

class Vgcd_bench___024root final : public VerilatedModule {
  public:

    // DESIGN SPECIFIC STATE
    // Anonymous structures to workaround compiler member-count bugs
    struct {
        CData/*0:0*/ gcd_bench__DOT__clk;
        CData/*0:0*/ gcd_bench__DOT__reset;
        CData/*0:0*/ gcd_bench__DOT__write;
        CData/*0:0*/ gcd_bench__DOT__start;
        CData/*0:0*/ gcd_bench__DOT__step;
        CData/*0:0*/ gcd_bench__DOT__busy;
        CData/*0:0*/ gcd_bench__DOT__halted;
        CData/*7:0*/ gcd_bench__DOT__working;
        CData/*4:0*/ gcd_bench__DOT__circuit__DOT__state;
        CData/*4:0*/ gcd_bench__DOT__circuit__DOT__then;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__loading;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__solo;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__checking;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__conflict;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__same;
        CData/*1:0*/ gcd_bench__DOT__circuit__DOT__purpose;
        CData/*6:0*/ gcd_bench__DOT__circuit__DOT__col;
        CData/*7:0*/ gcd_bench__DOT__circuit__DOT__length;
        CData/*7:0*/ gcd_bench__DOT__circuit__DOT__at;
        CData/*7:0*/ gcd_bench__DOT__circuit__DOT__kept;
        CData/*7:0*/ gcd_bench__DOT__circuit__DOT__fresh;
        CData/*3:0*/ gcd_bench__DOT__circuit__DOT__layer;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__swept;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__has_heads;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__b_term;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__b_out;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__b_apply;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__c_term;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__c_out;
        CData/*7:0*/ gcd_bench__DOT__circuit__DOT__b_row;
        CData/*7:0*/ gcd_bench__DOT__circuit__DOT__c_row;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__empty;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__ready;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__phase;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__scanning;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__first;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__mine_next;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__scan_read;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__scan_scored;
        CData/*7:0*/ gcd_bench__DOT__circuit__DOT__scan_next;
        CData/*7:0*/ gcd_bench__DOT__circuit__DOT__ties;
        CData/*6:0*/ gcd_bench__DOT__circuit__DOT__read_column;
        CData/*6:0*/ gcd_bench__DOT__circuit__DOT__scored_column;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__read_idle;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__scored_idle;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__scan_done;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__averaging;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__dividing;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__tie_read;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__value_read;
        CData/*7:0*/ gcd_bench__DOT__circuit__DOT__tie_next;
        CData/*7:0*/ gcd_bench__DOT__circuit__DOT__digits;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__mean_done;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__divided;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__done;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__sweeps;
        CData/*5:0*/ gcd_bench__DOT__circuit__DOT__held_read;
        CData/*7:0*/ gcd_bench__DOT__circuit__DOT__delta_row;
        CData/*6:0*/ gcd_bench__DOT__circuit__DOT__tie;
        CData/*6:0*/ gcd_bench__DOT__circuit__DOT__key_column;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__learned;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__disturbs;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__better;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__alone;
    };
    struct {
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__tie_write;
        CData/*6:0*/ gcd_bench__DOT__circuit__DOT__queue_read;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT__accepts;
        CData/*5:0*/ gcd_bench__DOT__circuit__DOT____Vlvbound_h59e1b626__0;
        CData/*0:0*/ gcd_bench__DOT__circuit__DOT____VdfgTmp_h9c2c05b0__0;
        CData/*0:0*/ __Vtrigrprev__TOP__gcd_bench__DOT__clk;
        CData/*0:0*/ __VactContinue;
        SData/*14:0*/ gcd_bench__DOT__address;
        SData/*11:0*/ gcd_bench__DOT__write_data;
        SData/*11:0*/ gcd_bench__DOT____Vlvbound_h94432051__0;
        SData/*14:0*/ gcd_bench__DOT__circuit__DOT__base;
        SData/*12:0*/ gcd_bench__DOT__circuit__DOT__entry;
        SData/*8:0*/ gcd_bench__DOT__circuit__DOT__row;
        SData/*8:0*/ gcd_bench__DOT__circuit__DOT__swept_row;
        SData/*12:0*/ gcd_bench__DOT__circuit__DOT__learn_entry;
        SData/*12:0*/ gcd_bench__DOT__circuit__DOT__visit_entry;
        SData/*12:0*/ gcd_bench__DOT__circuit__DOT__pc;
        SData/*12:0*/ gcd_bench__DOT__circuit__DOT__b_weight;
        SData/*12:0*/ gcd_bench__DOT__circuit__DOT__fetch;
        SData/*11:0*/ gcd_bench__DOT__circuit__DOT__x_read;
        SData/*14:0*/ gcd_bench__DOT__circuit__DOT__x_from;
        SData/*14:0*/ gcd_bench__DOT__circuit__DOT__x_to;
        SData/*11:0*/ gcd_bench__DOT__circuit__DOT__delta_read;
        SData/*8:0*/ gcd_bench__DOT__circuit__DOT__remainder;
        SData/*8:0*/ gcd_bench__DOT__circuit__DOT__shifted;
        SData/*10:0*/ gcd_bench__DOT__circuit__DOT__value;
        SData/*11:0*/ gcd_bench__DOT__circuit__DOT____Vlvbound_he56d69d5__0;
        SData/*11:0*/ gcd_bench__DOT__circuit__DOT____Vlvbound_hb30874c8__0;
        SData/*11:0*/ gcd_bench__DOT__circuit__DOT____Vlvbound_h752fae2f__0;
        SData/*10:0*/ gcd_bench__DOT__circuit__DOT____Vlvbound_h54a65520__0;
        VlWide<256>/*8191:0*/ gcd_bench__DOT__file;
        IData/*31:0*/ gcd_bench__DOT__limit;
        IData/*29:0*/ gcd_bench__DOT__circuit__DOT__word;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__sum;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__gate;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__product;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__own;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__best;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__scored_own;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__multiplied;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__quotient;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__half;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__rounded;
        VlWide<4>/*125:0*/ gcd_bench__DOT__circuit__DOT__key;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__score0;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__score1;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__score2;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__score3;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__score4;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__score5;
        VlWide<4>/*118:0*/ gcd_bench__DOT__circuit__DOT__row6;
        VlWide<4>/*118:0*/ gcd_bench__DOT__circuit__DOT__mine6;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__score6;
        VlWide<3>/*66:0*/ gcd_bench__DOT__circuit__DOT__row7;
        VlWide<3>/*66:0*/ gcd_bench__DOT__circuit__DOT__mine7;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__score7;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__score8;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__score;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__read_own;
        IData/*17:0*/ gcd_bench__DOT__circuit__DOT__my_own;
        IData/*31:0*/ __VstlIterCount;
        IData/*31:0*/ __VactIterCount;
        QData/*47:0*/ gcd_bench__DOT__cycles;
        QData/*38:0*/ gcd_bench__DOT__circuit__DOT__row0;
    };
    struct {
        QData/*38:0*/ gcd_bench__DOT__circuit__DOT__mine0;
        QData/*38:0*/ gcd_bench__DOT__circuit__DOT__row1;
        QData/*38:0*/ gcd_bench__DOT__circuit__DOT__mine1;
        QData/*38:0*/ gcd_bench__DOT__circuit__DOT__row2;
        QData/*38:0*/ gcd_bench__DOT__circuit__DOT__mine2;
        QData/*38:0*/ gcd_bench__DOT__circuit__DOT__row3;
        QData/*38:0*/ gcd_bench__DOT__circuit__DOT__mine3;
        QData/*63:0*/ gcd_bench__DOT__circuit__DOT__row4;
        QData/*63:0*/ gcd_bench__DOT__circuit__DOT__mine4;
        QData/*38:0*/ gcd_bench__DOT__circuit__DOT__row5;
        QData/*38:0*/ gcd_bench__DOT__circuit__DOT__mine5;
        QData/*52:0*/ gcd_bench__DOT__circuit__DOT__row8;
        QData/*52:0*/ gcd_bench__DOT__circuit__DOT__mine8;
        VlUnpacked<SData/*11:0*/, 17536> gcd_bench__DOT__state;
        VlUnpacked<SData/*11:0*/, 17536> gcd_bench__DOT__circuit__DOT__x;
        VlUnpacked<CData/*5:0*/, 17536> gcd_bench__DOT__circuit__DOT__held;
        VlUnpacked<SData/*10:0*/, 10880> gcd_bench__DOT__circuit__DOT__values;
        VlUnpacked<SData/*11:0*/, 137> gcd_bench__DOT__circuit__DOT__delta;
        VlUnpacked<CData/*6:0*/, 128> gcd_bench__DOT__circuit__DOT__queue;
        VlUnpacked<CData/*6:0*/, 128> gcd_bench__DOT__circuit__DOT__tied;
        VlUnpacked<CData/*0:0*/, 128> gcd_bench__DOT__circuit__DOT__idle;
        VlUnpacked<IData/*29:0*/, 4688> gcd_bench__DOT__circuit__DOT__rom;
        VlUnpacked<QData/*38:0*/, 128> gcd_bench__DOT__circuit__DOT__keys0;
        VlUnpacked<QData/*38:0*/, 128> gcd_bench__DOT__circuit__DOT__keys1;
        VlUnpacked<QData/*38:0*/, 128> gcd_bench__DOT__circuit__DOT__keys2;
        VlUnpacked<QData/*38:0*/, 128> gcd_bench__DOT__circuit__DOT__keys3;
        VlUnpacked<QData/*63:0*/, 128> gcd_bench__DOT__circuit__DOT__keys4;
        VlUnpacked<QData/*38:0*/, 128> gcd_bench__DOT__circuit__DOT__keys5;
        VlUnpacked<VlWide<4>/*118:0*/, 128> gcd_bench__DOT__circuit__DOT__keys6;
        VlUnpacked<VlWide<3>/*66:0*/, 128> gcd_bench__DOT__circuit__DOT__keys7;
        VlUnpacked<QData/*52:0*/, 128> gcd_bench__DOT__circuit__DOT__keys8;
    };
    VlDelayScheduler __VdlySched;
    VlTriggerScheduler __VtrigSched_h1b3a18ca__0;
    VlTriggerVec<1> __VstlTriggered;
    VlTriggerVec<3> __VactTriggered;
    VlTriggerVec<3> __VnbaTriggered;

    // INTERNAL VARIABLES
    Vgcd_bench__Syms* const vlSymsp;

    // CONSTRUCTORS
    Vgcd_bench___024root(Vgcd_bench__Syms* symsp, const char* v__name);
    ~Vgcd_bench___024root();
    VL_UNCOPYABLE(Vgcd_bench___024root);

    // INTERNAL METHODS
    void __Vconfigure(bool first);
} VL_ATTR_ALIGNED(VL_CACHE_LINE_BYTES);


#endif  // guard
