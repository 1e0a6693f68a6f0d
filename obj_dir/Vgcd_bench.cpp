// Verilated -*- C++ -*-
// DESCRIPTION: Verilator output: Model implementation (design independent parts)

#include "Vgcd_bench.h"
#include "Vgcd_bench__Syms.h"

//============================================================
// Constructors

Vgcd_bench::Vgcd_bench(VerilatedContext* _vcontextp__, const char* _vcname__)
    : VerilatedModel{*_vcontextp__}
    , vlSymsp{new Vgcd_bench__Syms(contextp(), _vcname__, this)}
    , rootp{&(vlSymsp->TOP)}
{
    // Register model with the context
    contextp()->addModel(this);
}

Vgcd_bench::Vgcd_bench(const char* _vcname__)
    : Vgcd_bench(Verilated::threadContextp(), _vcname__)
{
}

//============================================================
// Destructor

Vgcd_bench::~Vgcd_bench() {
    delete vlSymsp;
}

//============================================================
// Evaluation function

#ifdef VL_DEBUG
void Vgcd_bench___024root___eval_debug_assertions(Vgcd_bench___024root* vlSelf);
#endif  // VL_DEBUG
void Vgcd_bench___024root___eval_static(Vgcd_bench___024root* vlSelf);
void Vgcd_bench___024root___eval_initial(Vgcd_bench___024root* vlSelf);
void Vgcd_bench___024root___eval_settle(Vgcd_bench___024root* vlSelf);
void Vgcd_bench___024root___eval(Vgcd_bench___024root* vlSelf);

void Vgcd_bench::eval_step() {
    VL_DEBUG_IF(VL_DBG_MSGF("+++++TOP Evaluate Vgcd_bench::eval_step\n"); );
#ifdef VL_DEBUG
    // Debug assertions
    Vgcd_bench___024root___eval_debug_assertions(&(vlSymsp->TOP));
#endif  // VL_DEBUG
    if (VL_UNLIKELY(!vlSymsp->__Vm_didInit)) {
        vlSymsp->__Vm_didInit = true;
        VL_DEBUG_IF(VL_DBG_MSGF("+ Initial\n"););
        Vgcd_bench___024root___eval_static(&(vlSymsp->TOP));
        Vgcd_bench___024root___eval_initial(&(vlSymsp->TOP));
        Vgcd_bench___024root___eval_settle(&(vlSymsp->TOP));
    }
    // MTask 0 start
    VL_DEBUG_IF(VL_DBG_MSGF("MTask0 starting\n"););
    Verilated::mtaskId(0);
    VL_DEBUG_IF(VL_DBG_MSGF("+ Eval\n"););
    Vgcd_bench___024root___eval(&(vlSymsp->TOP));
    // Evaluate cleanup
    Verilated::endOfThreadMTask(vlSymsp->__Vm_evalMsgQp);
    Verilated::endOfEval(vlSymsp->__Vm_evalMsgQp);
}

//============================================================
// Events and timing
bool Vgcd_bench::eventsPending() { return !vlSymsp->TOP.__VdlySched.empty(); }

uint64_t Vgcd_bench::nextTimeSlot() { return vlSymsp->TOP.__VdlySched.nextTimeSlot(); }

//============================================================
// Utilities

const char* Vgcd_bench::name() const {
    return vlSymsp->name();
}

//============================================================
// Invoke final blocks

void Vgcd_bench___024root___eval_final(Vgcd_bench___024root* vlSelf);

VL_ATTR_COLD void Vgcd_bench::final() {
    Vgcd_bench___024root___eval_final(&(vlSymsp->TOP));
}

//============================================================
// Implementations of abstract methods from VerilatedModel

const char* Vgcd_bench::hierName() const { return vlSymsp->name(); }
const char* Vgcd_bench::modelName() const { return "Vgcd_bench"; }
unsigned Vgcd_bench::threads() const { return 1; }
