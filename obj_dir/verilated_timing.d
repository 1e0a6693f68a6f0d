verilated_timing.o: /usr/share/verilator/include/verilated_timing.cpp \
 /usr/share/verilator/include/verilated_timing.h \
 /usr/share/verilator/include/verilated.h \
 /usr/share/verilator/include/verilatedos.h \
 /usr/share/verilator/include/verilated_config.h \
 /usr/share/verilator/include/verilated_types.h \
 /usr/share/verilator/include/verilated_funcs.h
