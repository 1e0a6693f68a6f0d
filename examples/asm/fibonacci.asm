; result: 6765
; The 20th Fibonacci number. ROT turns the pair and the counter.

        PUSH 0          ; F(0)
        PUSH 1          ; F(1)
        PUSH 20         ; steps left
step:                   ; a b n
        ROT             ; b n a
        ROT             ; n a b
        SWAP
        OVER            ; n b a b
        ADD             ; n b a+b
        ROT             ; b a+b n
        PUSH 1
        SUB
        DUP
        JNZ step
        POP
        POP             ; F(21) is one too many
        HALT
