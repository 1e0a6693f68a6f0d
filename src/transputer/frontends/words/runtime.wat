;; What compiled plans call: exact arithmetic that traps where a result does not fit.
;; A rational is a numerator and a denominator, reduced, the denominator positive.
;; Every function stands alone, from its "(func" at the start of a line to the next one.

;; Traps with "integer overflow".
(func $overflow
  i64.const 0x8000000000000000 i64.const -1 i64.div_s drop)

;; Traps with "integer divide by zero".
(func $by_zero
  i64.const 1 i64.const 0 i64.div_s drop)

(func $add (param $a i64) (param $b i64) (result i64) (local $r i64)
  local.get $a local.get $b i64.add local.tee $r
  local.get $a i64.xor
  local.get $r local.get $b i64.xor
  i64.and i64.const 0 i64.lt_s if call $overflow end
  local.get $r)

(func $sub (param $a i64) (param $b i64) (result i64) (local $r i64)
  local.get $a local.get $b i64.sub local.tee $r
  local.get $a i64.xor
  local.get $a local.get $b i64.xor
  i64.and i64.const 0 i64.lt_s if call $overflow end
  local.get $r)

;; Products of 32-bit numbers fit; others are checked by division, which itself
;; overflows for the smallest number times -1.
(func $mul (param $a i64) (param $b i64) (result i64) (local $r i64)
  local.get $a local.get $b i64.mul local.set $r
  local.get $a i64.const 0x80000000 i64.add
  local.get $b i64.const 0x80000000 i64.add
  i64.or i64.const 32 i64.shr_u i64.eqz if local.get $r return end
  local.get $a i64.eqz if i64.const 0 return end
  local.get $r local.get $a i64.div_s
  local.get $b i64.ne if call $overflow end
  local.get $r)

;; The quotient rounded down.
(func $idiv (param $a i64) (param $b i64) (result i64)
  local.get $a local.get $b i64.div_s
  local.get $a local.get $b call $mod local.get $a local.get $b i64.rem_s i64.ne
  i64.extend_i32_u i64.sub)

;; The remainder with the divisor's sign.
(func $mod (param $a i64) (param $b i64) (result i64) (local $r i64)
  local.get $a local.get $b i64.rem_s local.tee $r
  local.get $b i64.xor i64.const 0 i64.lt_s
  local.get $r i64.const 0 i64.ne i32.and
  if (result i64) local.get $r local.get $b i64.add else local.get $r end)

(func $neg (param $a i64) (result i64)
  i64.const 0 local.get $a call $sub)

(func $abs (param $a i64) (result i64)
  local.get $a i64.const 0 i64.lt_s
  if (result i64) local.get $a call $neg else local.get $a end)

;; Euclid's loop, in 32 bits as soon as both numbers fit.
(func $gcd (param $a i64) (param $b i64) (result i64) (local $t i64) (local $x i32) (local $y i32)
  local.get $a call $abs local.set $a
  local.get $b call $abs local.set $b
  block $small
    loop $next
      local.get $a local.get $b i64.or i64.const 32 i64.shr_u i64.eqz br_if $small
      local.get $b i64.eqz if local.get $a return end
      local.get $a local.get $b i64.rem_u
      local.get $b local.set $a
      local.set $b
      br $next
    end
  end
  local.get $a i32.wrap_i64 local.set $x
  local.get $b i32.wrap_i64 local.set $y
  loop $next
    local.get $y
    if
      local.get $x local.get $y i32.rem_u
      local.get $y local.set $x
      local.set $y
      br $next
    end
  end
  local.get $x i64.extend_i32_u)

(func $lcm (param $a i64) (param $b i64) (result i64) (local $g i64)
  local.get $a local.get $b call $gcd local.tee $g
  i64.eqz if i64.const 0 return end
  local.get $a local.get $g i64.div_s local.get $b call $mul call $abs)

;; By squaring; the exponent is not negative.
(func $pow (param $b i64) (param $e i64) (result i64) (local $r i64)
  i64.const 1 local.set $r
  loop $next
    local.get $e i32.wrap_i64 i32.const 1 i32.and
    if local.get $r local.get $b call $mul local.set $r end
    local.get $e i64.const 1 i64.shr_u local.tee $e
    i64.eqz i32.eqz
    if
      local.get $b local.get $b call $mul local.set $b
      br $next
    end
  end
  local.get $r)

(func $fact (param $n i64) (result i64) (local $r i64) (local $i i64)
  local.get $n i64.const 0 i64.lt_s if unreachable end
  i64.const 1 local.set $r
  loop $next
    local.get $i local.get $n i64.lt_s
    if
      local.get $i i64.const 1 i64.add local.tee $i
      local.get $r call $mul local.set $r
      br $next
    end
  end
  local.get $r)

;; The number after the one asked for may wrap; it becomes negative, and is looked at in time.
(func $fib (param $n i64) (result i64) (local $a i64) (local $b i64) (local $t i64)
  local.get $n i64.const 0 i64.lt_s if unreachable end
  i64.const 1 local.set $b
  loop $next
    local.get $n i64.const 0 i64.gt_s
    if
      local.get $n i64.const 1 i64.sub local.set $n
      local.get $b local.set $t
      local.get $a local.get $b i64.add local.set $b
      local.get $t local.tee $a
      i64.const 0 i64.lt_s if call $overflow end
      br $next
    end
  end
  local.get $a)

;; By trial division, in 32 bits where the number fits.
(func $prime (param $n i64) (result i32) (local $d i64)
  local.get $n i64.const 2 i64.lt_s if i32.const 0 return end
  local.get $n i64.const 0x7fffffff i64.le_s
  if local.get $n i32.wrap_i64 call $small_prime return end
  local.get $n i32.wrap_i64 i32.const 1 i32.and i32.eqz if i32.const 0 return end
  i64.const 3 local.set $d
  loop $next
    local.get $d local.get $n local.get $d i64.div_u i64.gt_u if i32.const 1 return end
    local.get $n local.get $d i64.rem_u i64.eqz if i32.const 0 return end
    local.get $d i64.const 2 i64.add local.set $d
    br $next
  end
  unreachable)

(func $small_prime (param $n i32) (result i32) (local $d i32)
  local.get $n i32.const 4 i32.lt_u if i32.const 1 return end
  local.get $n i32.const 1 i32.and i32.eqz if i32.const 0 return end
  i32.const 3 local.set $d
  loop $next
    local.get $d local.get $d i32.mul local.get $n i32.gt_u if i32.const 1 return end
    local.get $n local.get $d i32.rem_u i32.eqz if i32.const 0 return end
    local.get $d i32.const 2 i32.add local.set $d
    br $next
  end
  unreachable)

;; Any quotient of integers, as a rational.
(func $ratio (param $n i64) (param $d i64) (result i64 i64) (local $g i64)
  local.get $d i64.eqz if call $by_zero end
  local.get $d i64.const 0 i64.lt_s
  if
    local.get $n call $neg local.set $n
    local.get $d call $neg local.set $d
  end
  local.get $n local.get $d call $gcd local.set $g
  local.get $n local.get $g i64.div_s
  local.get $d local.get $g i64.div_s)

(func $radd (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i64 i64)
  (local $g i64)
  local.get $b local.get $d i64.mul i64.const 1 i64.eq
  if local.get $a local.get $c call $add i64.const 1 return end
  local.get $b local.get $d call $gcd local.set $g
  local.get $a local.get $d local.get $g i64.div_s call $mul
  local.get $c local.get $b local.get $g i64.div_s call $mul
  call $add
  local.get $b local.get $g i64.div_s local.get $d call $mul
  call $ratio)

(func $rsub (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i64 i64)
  local.get $a local.get $b local.get $c call $neg local.get $d call $radd)

;; Reduced crosswise first, so that nothing overflows that need not.
(func $rmul (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i64 i64)
  (local $g i64) (local $h i64)
  local.get $a local.get $d call $gcd local.set $g
  local.get $c local.get $b call $gcd local.set $h
  local.get $a local.get $g i64.div_s local.get $c local.get $h i64.div_s call $mul
  local.get $b local.get $h i64.div_s local.get $d local.get $g i64.div_s call $mul)

(func $rdiv (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i64 i64)
  local.get $c i64.eqz if call $by_zero end
  local.get $c i64.const 0 i64.lt_s
  if
    local.get $c call $neg local.set $c
    local.get $d call $neg local.set $d
  end
  local.get $a local.get $b local.get $d local.get $c call $rmul)

(func $ridiv (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i64)
  local.get $a local.get $b local.get $c local.get $d call $rdiv call $idiv)

(func $rmod (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i64 i64)
  local.get $a local.get $b
  local.get $a local.get $b local.get $c local.get $d call $ridiv i64.const 1
  local.get $c local.get $d call $rmul
  call $rsub)

;; Numbers whose order is that of the two rationals.
(func $rsides (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i64 i64)
  local.get $a local.get $d call $mul
  local.get $c local.get $b call $mul)

(func $rneg (param $n i64) (param $d i64) (result i64 i64)
  local.get $n call $neg local.get $d)

(func $rabs (param $n i64) (param $d i64) (result i64 i64)
  local.get $n call $abs local.get $d)

(func $rceil (param $n i64) (param $d i64) (result i64)
  local.get $n call $neg local.get $d call $idiv call $neg)

;; The nearest integer; a half goes away from zero.
(func $rround (param $n i64) (param $d i64) (result i64) (local $q i64)
  local.get $n call $abs i64.const 2 call $mul local.get $d call $add
  local.get $d i64.const 2 call $mul call $idiv local.set $q
  local.get $n i64.const 0 i64.lt_s
  if (result i64) local.get $q call $neg else local.get $q end)

(func $rpow (param $n i64) (param $d i64) (param $e i64) (result i64 i64) (local $t i64)
  local.get $e i64.const 0 i64.lt_s
  if
    local.get $e call $neg local.set $e
    i64.const 1 i64.const 1 local.get $n local.get $d call $rdiv
    local.set $d local.set $n
  end
  local.get $n local.get $e call $pow
  local.get $d local.get $e call $pow)

;; A rational that must be an integer.
(func $whole (param $n i64) (param $d i64) (result i64)
  local.get $d i64.const 1 i64.ne if unreachable end
  local.get $n)

(func $whole_real (param $x f64) (result i64)
  local.get $x local.get $x f64.floor f64.ne if unreachable end
  local.get $x i64.trunc_f64_s)

(func $real (param $n i64) (param $d i64) (result f64)
  local.get $n f64.convert_i64_s local.get $d f64.convert_i64_s f64.div)

(func $sqrt (param $x f64) (result f64)
  local.get $x f64.const 0 f64.lt if unreachable end
  local.get $x f64.sqrt)

(func $fdiv (param $a f64) (param $b f64) (result f64)
  local.get $b f64.const 0 f64.eq if call $by_zero end
  local.get $a local.get $b f64.div)

(func $fidiv (param $a f64) (param $b f64) (result f64)
  local.get $a local.get $b call $fdiv f64.floor)

(func $fmod (param $a f64) (param $b f64) (result f64)
  local.get $a local.get $b local.get $a local.get $b call $fidiv f64.mul f64.sub)

(func $fround (param $x f64) (result f64)
  local.get $x f64.abs f64.const 0.5 f64.add f64.floor local.get $x f64.copysign)

(func $fpow (param $b f64) (param $e i64) (result f64) (local $r f64)
  local.get $e i64.const 0 i64.lt_s
  if
    f64.const 1 local.get $b call $fdiv local.set $b
    local.get $e call $neg local.set $e
  end
  f64.const 1 local.set $r
  loop $next
    local.get $e i32.wrap_i64 i32.const 1 i32.and
    if local.get $r local.get $b f64.mul local.set $r end
    local.get $b local.get $b f64.mul local.set $b
    local.get $e i64.const 1 i64.shr_u local.tee $e
    i64.eqz i32.eqz br_if $next
  end
  local.get $r)

(func $rprime (param $n i64) (param $d i64) (result i32)
  local.get $d i64.const 1 i64.ne if i32.const 0 return end
  local.get $n call $prime)

(func $fprime (param $x f64) (result i32)
  local.get $x local.get $x f64.floor f64.ne if i32.const 0 return end
  local.get $x i64.trunc_f64_s call $prime)

;; An array of rationals: stores one.
(func $put (param $at i32) (param $n i64) (param $d i64)
  local.get $at local.get $n i64.store
  local.get $at local.get $d i64.store offset=8)

;; Makes room for a longer array; traps where there is no memory left.
(func $room (param $end i32)
  local.get $end memory.size i32.const 16 i32.shl i32.gt_u
  if
    i32.const 1 memory.grow i32.const -1 i32.eq if unreachable end
  end)

;; Puts a rational in its place in a sorted array that ends at $end.
(func $insert (param $start i32) (param $end i32) (param $n i64) (param $d i64)
  local.get $end i32.const 16 i32.add call $room
  block $placed
    loop $next
      local.get $end local.get $start i32.eq br_if $placed
      local.get $end i32.const 16 i32.sub i64.load
      local.get $end i32.const 8 i32.sub i64.load
      local.get $n local.get $d call $rsides i64.le_s br_if $placed
      local.get $end
      local.get $end i32.const 16 i32.sub i64.load
      local.get $end i32.const 8 i32.sub i64.load
      call $put
      local.get $end i32.const 16 i32.sub local.set $end
      br $next
    end
  end
  local.get $end local.get $n local.get $d call $put)

;; The middle of a sorted array that is not empty, or the mean of the middle two.
(func $middle (param $start i32) (param $count i32) (result i64 i64) (local $at i32)
  local.get $count i32.eqz if unreachable end
  local.get $start local.get $count i32.const 1 i32.shr_u i32.const 4 i32.shl i32.add local.set $at
  local.get $count i32.const 1 i32.and
  if local.get $at i64.load local.get $at i64.load offset=8 return end
  local.get $at i64.load local.get $at i64.load offset=8
  local.get $at i32.const 16 i32.sub i64.load local.get $at i32.const 8 i32.sub i64.load
  call $radd i64.const 2 i64.const 1 call $rdiv)
