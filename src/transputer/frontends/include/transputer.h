// The three devices of the machine, for freestanding C.

#ifndef TRANSPUTER_H
#define TRANSPUTER_H

#define TP_DEVICE(name) __attribute__((import_module("transputer"), import_name(name)))

// The next byte of the input (0 to 255), or -1 at its end.
TP_DEVICE("read") int tp_read(void);

// Append the low byte to the output.
TP_DEVICE("write") void tp_write(int byte);

// End the program with this exit code.
TP_DEVICE("exit") __attribute__((noreturn)) void tp_exit(int code);

#undef TP_DEVICE

#endif
