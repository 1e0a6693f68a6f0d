; result: 21
; The greatest common divisor of 1071 and 462, after Euclid.

        PUSH 1071
        PUSH 462
again:                  ; a b
        DUP
        JZ done
        SWAP
        OVER            ; b a b
        REM_U           ; b a%b
        PUSH 0
        JZ again        ; always: PUSH 0 makes JZ a plain jump
done:
        POP
        HALT
