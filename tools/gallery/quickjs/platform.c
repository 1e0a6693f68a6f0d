/* Evaluate the JavaScript on standard input. `print` writes its arguments on a line. An exception
   that nobody catches is printed and ends the program with exit code 1; else the completion value,
   as an integer, is the exit code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quickjs.h"

static JSValue print(JSContext *context, JSValueConst self, int count, JSValueConst *values) {
    for (int i = 0; i < count; i++) {
        const char *text = JS_ToCString(context, values[i]);
        if (text == NULL) return JS_EXCEPTION;
        printf("%s%s", i ? " " : "", text);
        JS_FreeCString(context, text);
    }
    putchar('\n');
    return JS_UNDEFINED;
}

static char *read_script(size_t *length) {
    size_t room = 1 << 16;
    char *script = malloc(room + 1);
    *length = 0;
    for (size_t count; (count = fread(script + *length, 1, room - *length, stdin)) > 0;) {
        *length += count;
        if (*length == room) script = realloc(script, (room *= 2) + 1);
    }
    script[*length] = 0;
    return script;
}

int main(void) {
    size_t length;
    char *script = read_script(&length);
    JSRuntime *runtime = JS_NewRuntime();
    JSContext *context = JS_NewContext(runtime);
    JSValue global = JS_GetGlobalObject(context);
    JS_SetPropertyStr(context, global, "print", JS_NewCFunction(context, print, "print", 1));
    JSValue value = JS_Eval(context, script, length, "stdin", JS_EVAL_TYPE_GLOBAL);
    int code = 1;
    if (JS_IsException(value)) {
        JSValue problem = JS_GetException(context);
        print(context, JS_UNDEFINED, 1, &problem);
        JS_FreeValue(context, problem);
    } else {
        JSContext *job;
        while (JS_ExecutePendingJob(runtime, &job) > 0) {}
        JS_ToInt32(context, &code, value);
    }
    JS_FreeValue(context, value);
    JS_FreeValue(context, global);
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
    free(script);
    return code;
}
