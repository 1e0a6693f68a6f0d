;; AssemblyScript's `env.abort`: "abort: MESSAGE in FILE:LINE:COLUMN" on standard error, and a trap.
;; Its strings are UTF-16, with their length in bytes four bytes before them; 0 is no string.

(module
  (import "transputer" "put" (func $put (param i32)))
  (memory 0)

  (func $byte (param $byte i32) ;; bit 8 says that it is an error
    (call $put (i32.or (local.get $byte) (i32.const 256))))

  (func $more (param $bits i32) ;; a further byte of a character in UTF-8
    (call $byte (i32.or (i32.const 128) (i32.and (local.get $bits) (i32.const 63)))))

  (func $character (param $code i32)
    (if (i32.lt_u (local.get $code) (i32.const 0x80))
      (then (call $byte (local.get $code)) (return)))
    (if (i32.lt_u (local.get $code) (i32.const 0x800))
      (then (call $byte (i32.or (i32.const 0xC0) (i32.shr_u (local.get $code) (i32.const 6)))))
      (else
        (if (i32.lt_u (local.get $code) (i32.const 0x10000))
          (then (call $byte (i32.or (i32.const 0xE0) (i32.shr_u (local.get $code) (i32.const 12)))))
          (else
            (call $byte (i32.or (i32.const 0xF0) (i32.shr_u (local.get $code) (i32.const 18))))
            (call $more (i32.shr_u (local.get $code) (i32.const 12)))))
        (call $more (i32.shr_u (local.get $code) (i32.const 6)))))
    (call $more (local.get $code)))

  (func $string (param $at i32)
    (local $end i32) (local $code i32) (local $low i32)
    (if (i32.eqz (local.get $at)) (then (return)))
    (local.set $end
      (i32.add (local.get $at)
        (i32.and (i32.load (i32.sub (local.get $at) (i32.const 4))) (i32.const -2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $code (i32.load16_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 2)))
        (if (i32.and ;; two halves of one character
              (i32.eq (i32.shr_u (local.get $code) (i32.const 10)) (i32.const 0x36))
              (i32.lt_u (local.get $at) (local.get $end)))
          (then
            (local.set $low (i32.load16_u (local.get $at)))
            (if (i32.eq (i32.shr_u (local.get $low) (i32.const 10)) (i32.const 0x37))
              (then
                (local.set $code
                  (i32.add (i32.const 0x10000)
                    (i32.or
                      (i32.shl (i32.and (local.get $code) (i32.const 1023)) (i32.const 10))
                      (i32.and (local.get $low) (i32.const 1023)))))
                (local.set $at (i32.add (local.get $at) (i32.const 2)))))))
        (call $character (local.get $code))
        (br $next))))

  (func $number (param $value i32)
    (local $power i32)
    (local.set $power (i32.const 1))
    (block $found
      (loop $longer
        (br_if $found
          (i32.lt_u (i32.div_u (local.get $value) (local.get $power)) (i32.const 10)))
        (local.set $power (i32.mul (local.get $power) (i32.const 10)))
        (br $longer)))
    (loop $next
      (call $byte
        (i32.add (i32.const 48)
          (i32.rem_u (i32.div_u (local.get $value) (local.get $power)) (i32.const 10))))
      (local.set $power (i32.div_u (local.get $power) (i32.const 10)))
      (br_if $next (local.get $power))))

  (func (export "abort") (param $message i32) (param $file i32) (param $line i32) (param $column i32)
    (call $byte (i32.const 97)) (call $byte (i32.const 98)) (call $byte (i32.const 111))
    (call $byte (i32.const 114)) (call $byte (i32.const 116)) (call $byte (i32.const 58))
    (call $byte (i32.const 32))
    (call $string (local.get $message))
    (call $byte (i32.const 32)) (call $byte (i32.const 105)) (call $byte (i32.const 110))
    (call $byte (i32.const 32))
    (call $string (local.get $file))
    (call $byte (i32.const 58))
    (call $number (local.get $line))
    (call $byte (i32.const 58))
    (call $number (local.get $column))
    (call $byte (i32.const 10))
    (unreachable)))
