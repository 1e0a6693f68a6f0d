/* Processes and temporary files do not exist here: every request fails, as the C standard allows. */
#include <stddef.h>
#include <stdio.h>

int system(const char *command) { return command ? -1 : 0; }

FILE *tmpfile(void) { return NULL; }

char *tmpnam(char *name) { return NULL; }
