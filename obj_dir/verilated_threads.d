verilated_threads.o: /usr/share/verilator/include/verilated_threads.cpp \
 /usr/share/verilator/include/verilatedos.h \
 /usr/share/verilator/include/verilated_threads.h \
 /usr/share/verilator/include/verilated.h \
 /usr/share/verilator/include/verilated_config.h \
 /usr/share/verilator/include/verilated_types.h \
 /usr/share/verilator/include/verilated_funcs.h
