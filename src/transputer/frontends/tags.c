// The tags of exceptions that clang throws and no library of the compiler's package defines.
__asm__(".globl __c_longjmp\n.tagtype __c_longjmp i32\n__c_longjmp:\n"
        ".globl __cpp_exception\n.tagtype __cpp_exception i32\n__cpp_exception:\n");
