/* Rounding modes that WebAssembly does not have. QuickJS asks for them to decide ties when it prints
   a number with a given number of digits; the library ignores them and rounds to the nearest. */
#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
