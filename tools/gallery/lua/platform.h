/* What Lua's standard library calls and WASI does not have. */
#define L_tmpnam 20
int system(const char *command);
