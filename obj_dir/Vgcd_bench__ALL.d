Vgcd_bench__ALL.o: Vgcd_bench__ALL.cpp Vgcd_bench.cpp Vgcd_bench.h \
 /usr/share/verilator/include/verilated.h \
 /usr/share/verilator/include/verilatedos.h \
 /usr/share/verilator/include/verilated_config.h \
 /usr/share/verilator/include/verilated_types.h \
 /usr/share/verilator/include/verilated_funcs.h Vgcd_bench__Syms.h \
 Vgcd_bench___024root.h /usr/share/verilator/include/verilated_timing.h \
 /usr/share/verilator/include/verilated.h \
 Vgcd_bench___024root__DepSet_h4964952a__0.cpp \
 Vgcd_bench___024root__DepSet_hf979613a__0.cpp Vgcd_bench__main.cpp \
 Vgcd_bench__ConstPool_0.cpp Vgcd_bench___024root__Slow.cpp \
 Vgcd_bench___024root__DepSet_h4964952a__0__Slow.cpp \
 Vgcd_bench___024root__DepSet_hf979613a__0__Slow.cpp Vgcd_bench__Syms.cpp
