; result: 148956869
; The 32-bit FNV-1a hash of ten bytes in memory, "transputer".
; local 0: address   local 1: hash

        PUSH 0  PUSH 't'  I32.STORE8
        PUSH 1  PUSH 'r'  I32.STORE8
        PUSH 2  PUSH 'a'  I32.STORE8
        PUSH 3  PUSH 'n'  I32.STORE8
        PUSH 4  PUSH 's'  I32.STORE8
        PUSH 5  PUSH 'p'  I32.STORE8
        PUSH 6  PUSH 'u'  I32.STORE8
        PUSH 7  PUSH 't'  I32.STORE8
        PUSH 8  PUSH 'e'  I32.STORE8
        PUSH 9  PUSH 'r'  I32.STORE8

        PUSH 2166136261                 ; the offset basis
        LOCAL.SET 1
        loop $bytes
            LOCAL.GET 1
            LOCAL.GET 0
            I32.LOAD8_U
            XOR
            PUSH 16777619               ; the prime
            MUL
            LOCAL.SET 1
            LOCAL.GET 0
            PUSH 1
            ADD
            LOCAL.TEE 0
            PUSH 10
            NE
            br_if $bytes
        end
        LOCAL.GET 1
