;; Exact numbers for programs made of plans.
;;
;; A number is an i64. An even one is twice a small integer. An odd one is twice an address plus 1;
;; there lies a large integer (sign 0 or 1, count of limbs, then limbs of 32 bits from the lowest)
;; or a fraction (2, 0, numerator, denominator: reduced, the denominator above 1).
;; A list is the address of: length, capacity, numbers. Memory is never freed, so it is zero.
;; Every function stands alone, from its "(func" at the start of a line to the next one.

;; Traps with "integer divide by zero".
(func $by_zero
  i32.const 1 i32.const 0 i32.div_u drop)

(func $alloc (param $size i32) (result i32) (local $p i32)
  global.get $heap local.tee $p
  local.get $size i32.add i32.const 7 i32.add i32.const -8 i32.and global.set $heap
  loop $more
    global.get $heap memory.size i32.const 16 i32.shl i32.gt_u
    if
      i32.const 1 memory.grow i32.const -1 i32.eq if unreachable end
      br $more
    end
  end
  local.get $p)

(func $ref (param $p i32) (result i64)
  local.get $p i64.extend_i32_u i64.const 1 i64.shl i64.const 1 i64.or)

(func $at (param $v i64) (result i32)
  local.get $v i64.const 1 i64.shr_u i32.wrap_i64)

(func $is_fraction (param $v i64) (result i32)
  local.get $v i32.wrap_i64 i32.const 1 i32.and i32.eqz if i32.const 0 return end
  local.get $v call $at i32.load i32.const 2 i32.eq)

;; The numerator, and the denominator.
(func $num (param $v i64) (result i64)
  local.get $v call $is_fraction if local.get $v call $at i64.load offset=8 return end
  local.get $v)

(func $den (param $v i64) (result i64)
  local.get $v call $is_fraction if local.get $v call $at i64.load offset=16 return end
  i64.const 2)

;; An integer; traps on a fraction.
(func $whole (param $v i64) (result i64)
  local.get $v call $is_fraction if unreachable end
  local.get $v)

;; An integer that is small; traps on every other number.
(func $small (param $v i64) (result i64)
  local.get $v i32.wrap_i64 i32.const 1 i32.and if unreachable end
  local.get $v)

;; The address of an integer in its large form.
(func $big (param $v i64) (result i32) (local $p i32) (local $m i64)
  local.get $v i32.wrap_i64 i32.const 1 i32.and if local.get $v call $at return end
  i32.const 16 call $alloc local.tee $p
  local.get $v i64.const 0 i64.lt_s i32.store
  local.get $v i64.const 1 i64.shr_s local.tee $m
  i64.const 0 i64.lt_s if i64.const 0 local.get $m i64.sub local.set $m end
  local.get $p local.get $m i64.store offset=8
  local.get $p
  local.get $m i64.eqz
  if (result i32) i32.const 0
  else local.get $m i64.const 32 i64.shr_u i64.eqz if (result i32) i32.const 1 else i32.const 2 end
  end
  i32.store offset=4
  local.get $p)

;; The number in a large form that may have zeros on top or be small.
(func $norm (param $p i32) (result i64) (local $n i32) (local $m i64)
  local.get $p i32.load offset=4 local.set $n
  block $done
    loop $next
      local.get $n i32.eqz br_if $done
      local.get $p local.get $n i32.const 2 i32.shl i32.add i32.load offset=4 br_if $done
      local.get $n i32.const 1 i32.sub local.set $n
      br $next
    end
  end
  local.get $p local.get $n i32.store offset=4
  local.get $n i32.const 2 i32.gt_u if local.get $p call $ref return end
  local.get $n if local.get $p i64.load32_u offset=8 local.set $m end
  local.get $n i32.const 2 i32.eq
  if
    local.get $p i64.load32_u offset=12 i64.const 32 i64.shl local.get $m i64.or local.set $m
  end
  local.get $m i64.const 62 i64.shr_u i64.eqz i32.eqz if local.get $p call $ref return end
  local.get $m i64.const 1 i64.shl local.set $m
  local.get $p i32.load if i64.const 0 local.get $m i64.sub return end
  local.get $m)

;; The order of two magnitudes: -1, 0 or 1.
(func $mcmp (param $a i32) (param $b i32) (result i32) (local $i i32) (local $x i32) (local $y i32)
  local.get $a i32.load offset=4 local.tee $i
  local.get $b i32.load offset=4 local.tee $x
  i32.ne
  if
    local.get $i local.get $x i32.gt_u local.get $i local.get $x i32.lt_u i32.sub return
  end
  loop $next
    local.get $i i32.eqz if i32.const 0 return end
    local.get $a local.get $i i32.const 2 i32.shl i32.add i32.load offset=4 local.tee $x
    local.get $b local.get $i i32.const 2 i32.shl i32.add i32.load offset=4 local.tee $y
    i32.ne
    if
      local.get $x local.get $y i32.gt_u local.get $x local.get $y i32.lt_u i32.sub return
    end
    local.get $i i32.const 1 i32.sub local.set $i
    br $next
  end
  unreachable)

;; The sum of two magnitudes, with a sign.
(func $madd (param $a i32) (param $b i32) (param $sign i32) (result i64)
  (local $p i32) (local $q i32) (local $n i32) (local $m i32) (local $c i64)
  local.get $a i32.load offset=4 local.get $b i32.load offset=4 i32.lt_u
  if local.get $a local.get $b local.set $a local.set $b end
  local.get $a i32.load offset=4 local.set $n
  local.get $b i32.load offset=4 local.set $m
  local.get $n i32.const 2 i32.shl i32.const 12 i32.add call $alloc local.tee $p local.tee $q
  local.get $sign i32.store
  local.get $p local.get $n i32.const 1 i32.add i32.store offset=4
  loop $next
    local.get $n
    if
      local.get $c local.get $a i64.load32_u offset=8 i64.add local.set $c
      local.get $m
      if
        local.get $c local.get $b i64.load32_u offset=8 i64.add local.set $c
        local.get $m i32.const 1 i32.sub local.set $m
        local.get $b i32.const 4 i32.add local.set $b
      end
      local.get $p local.get $c i64.store32 offset=8
      local.get $c i64.const 32 i64.shr_u local.set $c
      local.get $a i32.const 4 i32.add local.set $a
      local.get $p i32.const 4 i32.add local.set $p
      local.get $n i32.const 1 i32.sub local.set $n
      br $next
    end
  end
  local.get $p local.get $c i64.store32 offset=8
  local.get $q call $norm)

;; The difference of two magnitudes, the first not the smaller one, with a sign.
(func $msub (param $a i32) (param $b i32) (param $sign i32) (result i64)
  (local $p i32) (local $q i32) (local $n i32) (local $m i32) (local $c i64)
  local.get $a i32.load offset=4 local.set $n
  local.get $b i32.load offset=4 local.set $m
  local.get $n i32.const 2 i32.shl i32.const 8 i32.add call $alloc local.tee $p local.tee $q
  local.get $sign i32.store
  local.get $p local.get $n i32.store offset=4
  loop $next
    local.get $n
    if
      local.get $c local.get $a i64.load32_u offset=8 i64.add local.set $c
      local.get $m
      if
        local.get $c local.get $b i64.load32_u offset=8 i64.sub local.set $c
        local.get $m i32.const 1 i32.sub local.set $m
        local.get $b i32.const 4 i32.add local.set $b
      end
      local.get $p local.get $c i64.store32 offset=8
      local.get $c i64.const 32 i64.shr_s local.set $c
      local.get $a i32.const 4 i32.add local.set $a
      local.get $p i32.const 4 i32.add local.set $p
      local.get $n i32.const 1 i32.sub local.set $n
      br $next
    end
  end
  local.get $q call $norm)

;; a + b, or a - b where $flip is 1, of integers.
(func $isum (param $x i64) (param $y i64) (param $flip i32) (result i64)
  (local $a i32) (local $b i32) (local $s i32)
  local.get $x call $big local.set $a
  local.get $y call $big local.set $b
  local.get $b i32.load local.get $flip i32.xor local.set $s
  local.get $a i32.load local.get $s i32.eq
  if local.get $a local.get $b local.get $s call $madd return end
  local.get $a local.get $b call $mcmp i32.const 0 i32.ge_s
  if local.get $a local.get $b local.get $a i32.load call $msub return end
  local.get $b local.get $a local.get $s call $msub)

(func $add (param $a i64) (param $b i64) (result i64) (local $r i64)
  local.get $a local.get $b i64.or i32.wrap_i64 i32.const 1 i32.and i32.eqz
  if
    local.get $a local.get $b i64.add local.tee $r
    local.get $a i64.xor local.get $r local.get $b i64.xor i64.and i64.const 0 i64.ge_s
    if local.get $r return end
  else
    local.get $a call $is_fraction local.get $b call $is_fraction i32.or
    if
      local.get $a call $num local.get $b call $den call $mul
      local.get $b call $num local.get $a call $den call $mul call $add
      local.get $a call $den local.get $b call $den call $mul call $fraction return
    end
  end
  local.get $a local.get $b i32.const 0 call $isum)

(func $sub (param $a i64) (param $b i64) (result i64) (local $r i64)
  local.get $a local.get $b i64.or i32.wrap_i64 i32.const 1 i32.and i32.eqz
  if
    local.get $a local.get $b i64.sub local.tee $r
    local.get $a i64.xor local.get $a local.get $b i64.xor i64.and i64.const 0 i64.ge_s
    if local.get $r return end
  else
    local.get $a call $is_fraction local.get $b call $is_fraction i32.or
    if
      local.get $a call $num local.get $b call $den call $mul
      local.get $b call $num local.get $a call $den call $mul call $sub
      local.get $a call $den local.get $b call $den call $mul call $fraction return
    end
  end
  local.get $a local.get $b i32.const 1 call $isum)

;; The product of integers in their large form.
(func $imul (param $x i64) (param $y i64) (result i64)
  (local $a i32) (local $b i32) (local $p i32) (local $q i32) (local $n i32) (local $m i32)
  (local $j i32) (local $c i64) (local $w i64)
  local.get $x call $big local.set $a
  local.get $y call $big local.set $b
  local.get $a i32.load offset=4 local.set $n
  local.get $b i32.load offset=4 local.set $m
  local.get $n local.get $m i32.add i32.const 2 i32.shl i32.const 8 i32.add call $alloc
  local.tee $p local.tee $q
  local.get $a i32.load local.get $b i32.load i32.xor i32.store
  local.get $p local.get $n local.get $m i32.add i32.store offset=4
  loop $row
    local.get $n
    if
      local.get $a i64.load32_u offset=8 local.set $w
      i64.const 0 local.set $c
      i32.const 0 local.set $j
      loop $next
        local.get $j local.get $m i32.ne
        if
          local.get $w
          local.get $b local.get $j i32.const 2 i32.shl i32.add i64.load32_u offset=8 i64.mul
          local.get $p local.get $j i32.const 2 i32.shl i32.add i64.load32_u offset=8 i64.add
          local.get $c i64.add local.set $c
          local.get $p local.get $j i32.const 2 i32.shl i32.add local.get $c i64.store32 offset=8
          local.get $c i64.const 32 i64.shr_u local.set $c
          local.get $j i32.const 1 i32.add local.set $j
          br $next
        end
      end
      local.get $p local.get $m i32.const 2 i32.shl i32.add local.get $c i64.store32 offset=8
      local.get $a i32.const 4 i32.add local.set $a
      local.get $p i32.const 4 i32.add local.set $p
      local.get $n i32.const 1 i32.sub local.set $n
      br $row
    end
  end
  local.get $q call $norm)

;; Factors below 2 to the 31st need no large form.
(func $mul (param $a i64) (param $b i64) (result i64)
  local.get $a local.get $b i64.or i32.wrap_i64 i32.const 1 i32.and i32.eqz
  if
    local.get $a i64.const 0x100000000 i64.add local.get $b i64.const 0x100000000 i64.add i64.or
    i64.const 33 i64.shr_u i64.eqz
    if local.get $a i64.const 1 i64.shr_s local.get $b i64.mul return end
  else
    local.get $a call $is_fraction local.get $b call $is_fraction i32.or
    if
      local.get $a call $num local.get $b call $num call $mul
      local.get $a call $den local.get $b call $den call $mul call $fraction return
    end
  end
  local.get $a local.get $b call $imul)

;; Quotient and remainder of magnitudes: school division with limbs as digits (Knuth's D).
(func $mdiv (param $a i32) (param $b i32) (result i32 i32)
  (local $n i32) (local $m i32) (local $q i32) (local $u i32) (local $v i32) (local $s i64)
  (local $j i32) (local $i i32) (local $d i64) (local $h i64) (local $r i64) (local $c i64)
  (local $t i64) (local $k i32)
  local.get $a i32.load offset=4 local.set $n
  local.get $b i32.load offset=4 local.set $m
  local.get $n i32.const 2 i32.shl i32.const 16 i32.add call $alloc local.set $q
  local.get $n local.get $m i32.lt_u if local.get $q local.get $a return end
  local.get $b local.get $m i32.const 2 i32.shl i32.add i64.load32_u offset=4 local.set $d
  local.get $m i32.const 1 i32.eq
  if
    i32.const 16 call $alloc local.set $u
    local.get $q local.get $n i32.store offset=4
    local.get $n local.set $j
    loop $next
      local.get $j
      if
        local.get $r i64.const 32 i64.shl
        local.get $a local.get $j i32.const 2 i32.shl i32.add i64.load32_u offset=4 i64.or
        local.set $r
        local.get $q local.get $j i32.const 2 i32.shl i32.add
        local.get $r local.get $d i64.div_u i64.store32 offset=4
        local.get $r local.get $d i64.rem_u local.set $r
        local.get $j i32.const 1 i32.sub local.set $j
        br $next
      end
    end
    local.get $u i32.const 1 i32.store offset=4
    local.get $u local.get $r i64.store32 offset=8
    local.get $q local.get $u return
  end
  local.get $d i64.clz i64.const 32 i64.sub local.set $s
  local.get $a local.get $s call $shifted local.set $u
  local.get $b local.get $s call $shifted local.set $v
  local.get $v local.get $m i32.const 2 i32.shl i32.add i64.load32_u offset=4 local.set $d
  local.get $q local.get $n local.get $m i32.sub i32.const 1 i32.add i32.store offset=4
  local.get $n local.get $m i32.sub local.set $j
  loop $digit
    ;; $k is the address of limb $j of the dividend
    local.get $u local.get $j i32.const 2 i32.shl i32.add local.set $k
    local.get $k local.get $m i32.const 2 i32.shl i32.add i64.load32_u offset=8 i64.const 32 i64.shl
    local.get $k local.get $m i32.const 2 i32.shl i32.add i64.load32_u offset=4 i64.or local.tee $t
    local.get $d i64.div_u local.set $h
    local.get $t local.get $h local.get $d i64.mul i64.sub local.set $r
    block $good
      loop $less
        local.get $r i64.const 32 i64.shr_u i64.eqz i32.eqz br_if $good
        local.get $h i64.const 32 i64.shr_u i64.eqz
        if
          local.get $h
          local.get $v local.get $m i32.const 2 i32.shl i32.add i64.load32_u i64.mul
          local.get $r i64.const 32 i64.shl
          local.get $k local.get $m i32.const 2 i32.shl i32.add i64.load32_u i64.or
          i64.le_u br_if $good
        end
        local.get $h i64.const 1 i64.sub local.set $h
        local.get $r local.get $d i64.add local.set $r
        br $less
      end
    end
    i64.const 0 local.set $c
    i64.const 0 local.set $t
    i32.const 0 local.set $i
    loop $next
      local.get $i local.get $m i32.ne
      if
        local.get $h
        local.get $v local.get $i i32.const 2 i32.shl i32.add i64.load32_u offset=8 i64.mul
        local.get $c i64.add local.set $c
        local.get $t
        local.get $k local.get $i i32.const 2 i32.shl i32.add i64.load32_u offset=8 i64.add
        local.get $c i64.const 0xffffffff i64.and i64.sub local.set $t
        local.get $k local.get $i i32.const 2 i32.shl i32.add local.get $t i64.store32 offset=8
        local.get $c i64.const 32 i64.shr_u local.set $c
        local.get $t i64.const 32 i64.shr_s local.set $t
        local.get $i i32.const 1 i32.add local.set $i
        br $next
      end
    end
    local.get $t
    local.get $k local.get $m i32.const 2 i32.shl i32.add i64.load32_u offset=8 i64.add
    local.get $c i64.sub local.set $t
    local.get $k local.get $m i32.const 2 i32.shl i32.add local.get $t i64.store32 offset=8
    local.get $t i64.const 0 i64.lt_s
    if
      local.get $h i64.const 1 i64.sub local.set $h
      i64.const 0 local.set $c
      i32.const 0 local.set $i
      loop $back
        local.get $i local.get $m i32.ne
        if
          local.get $c
          local.get $k local.get $i i32.const 2 i32.shl i32.add i64.load32_u offset=8 i64.add
          local.get $v local.get $i i32.const 2 i32.shl i32.add i64.load32_u offset=8 i64.add
          local.set $c
          local.get $k local.get $i i32.const 2 i32.shl i32.add local.get $c i64.store32 offset=8
          local.get $c i64.const 32 i64.shr_u local.set $c
          local.get $i i32.const 1 i32.add local.set $i
          br $back
        end
      end
      local.get $k local.get $m i32.const 2 i32.shl i32.add
      local.get $k local.get $m i32.const 2 i32.shl i32.add i64.load32_u offset=8
      local.get $c i64.add i64.store32 offset=8
    end
    local.get $q local.get $j i32.const 2 i32.shl i32.add local.get $h i64.store32 offset=8
    local.get $j
    if local.get $j i32.const 1 i32.sub local.set $j br $digit end
  end
  ;; the remainder, shifted back
  i32.const 0 local.set $i
  loop $next
    local.get $i local.get $m i32.ne
    if
      local.get $u local.get $i i32.const 2 i32.shl i32.add
      local.get $u local.get $i i32.const 2 i32.shl i32.add i64.load32_u offset=8
      local.get $u local.get $i i32.const 2 i32.shl i32.add i64.load32_u offset=12
      i64.const 32 i64.shl i64.or local.get $s i64.shr_u i64.store32 offset=8
      local.get $i i32.const 1 i32.add local.set $i
      br $next
    end
  end
  local.get $u local.get $m i32.store offset=4
  local.get $q local.get $u)

;; A magnitude times 2 to the power $s, which is below 32, with one limb more.
(func $shifted (param $a i32) (param $s i64) (result i32)
  (local $n i32) (local $p i32) (local $i i32) (local $c i64)
  local.get $a i32.load offset=4 local.set $n
  local.get $n i32.const 2 i32.shl i32.const 12 i32.add call $alloc local.set $p
  loop $next
    local.get $i local.get $n i32.ne
    if
      local.get $a local.get $i i32.const 2 i32.shl i32.add i64.load32_u offset=8
      local.get $s i64.shl local.get $c i64.or local.set $c
      local.get $p local.get $i i32.const 2 i32.shl i32.add local.get $c i64.store32 offset=8
      local.get $c i64.const 32 i64.shr_u local.set $c
      local.get $i i32.const 1 i32.add local.set $i
      br $next
    end
  end
  local.get $p local.get $n i32.const 2 i32.shl i32.add local.get $c i64.store32 offset=8
  local.get $p)

;; Quotient rounded down, and what it leaves, of integers; the divisor is not 0.
(func $idivmod (param $x i64) (param $y i64) (result i64 i64)
  (local $a i32) (local $b i32) (local $q i64) (local $r i64)
  local.get $x call $big local.set $a
  local.get $y call $big local.set $b
  local.get $a local.get $b call $mcmp i32.const 0 i32.lt_s
  if
    local.get $x call $iabs local.set $r
  else
    local.get $a local.get $b call $mdiv call $norm local.set $r
    call $norm local.set $q
  end
  local.get $a i32.load local.get $b i32.load i32.ne
  if
    i64.const 0 local.get $q call $sub local.set $q
    local.get $r i64.eqz i32.eqz
    if
      local.get $q i64.const 2 call $sub local.set $q
      local.get $y call $iabs local.get $r call $sub local.set $r
    end
  end
  local.get $q
  local.get $b i32.load
  if (result i64) i64.const 0 local.get $r call $sub else local.get $r end)

;; The absolute value of an integer.
(func $iabs (param $v i64) (result i64)
  local.get $v i32.wrap_i64 i32.const 1 i32.and
  if (result i32) local.get $v call $at i32.load
  else local.get $v i64.const 0 i64.lt_s end
  if i64.const 0 local.get $v call $sub return end
  local.get $v)

;; The quotient rounded down. A quotient of two even numbers is the small integer itself.
(func $idiv (param $a i64) (param $b i64) (result i64)
  local.get $b i64.eqz if call $by_zero end
  local.get $b i64.const -2 i64.eq if i64.const 0 local.get $a call $sub call $floor return end
  local.get $a local.get $b i64.or i32.wrap_i64 i32.const 1 i32.and i32.eqz
  if
    local.get $a local.get $b i64.div_s
    local.get $a local.get $b i64.rem_s local.tee $a i64.eqz
    if (result i64) i64.const 0
    else local.get $a local.get $b i64.xor i64.const 63 i64.shr_u end
    i64.sub i64.const 1 i64.shl return
  end
  local.get $a call $is_fraction local.get $b call $is_fraction i32.or
  if
    local.get $a call $num local.get $b call $den call $mul
    local.get $a call $den local.get $b call $num call $mul call $idiv return
  end
  local.get $a local.get $b call $idivmod drop)

(func $floor (param $a i64) (result i64)
  local.get $a call $is_fraction i32.eqz if local.get $a return end
  local.get $a call $num local.get $a call $den call $idiv)

;; What the quotient rounded down leaves; it has the divisor's sign.
(func $mod (param $a i64) (param $b i64) (result i64) (local $r i64)
  local.get $b i64.eqz if call $by_zero end
  local.get $a local.get $b i64.or i32.wrap_i64 i32.const 1 i32.and i32.eqz
  if
    local.get $a local.get $b i64.rem_s local.tee $r
    local.get $b i64.xor i64.const 0 i64.lt_s
    local.get $r i64.eqz i32.eqz i32.and
    if (result i64) local.get $r local.get $b i64.add else local.get $r end
    return
  end
  local.get $a call $is_fraction local.get $b call $is_fraction i32.or
  if
    local.get $a local.get $b local.get $a local.get $b call $idiv call $mul call $sub return
  end
  local.get $a local.get $b call $idivmod local.set $r drop
  local.get $r)

;; The greatest common divisor of integers, not negative. Twice the integers have twice the divisor.
(func $gcd (param $a i64) (param $b i64) (result i64) (local $r i64)
  local.get $a call $whole call $iabs local.set $a
  local.get $b call $whole call $iabs local.set $b
  loop $next
    local.get $b i64.eqz if local.get $a return end
    local.get $a local.get $b i64.or i32.wrap_i64 i32.const 1 i32.and i32.eqz
    if (result i64) local.get $a local.get $b i64.rem_u
    else local.get $a local.get $b call $mod end
    local.get $b local.set $a
    local.set $b
    br $next
  end
  unreachable)

;; The quotient of integers as a number.
(func $fraction (param $n i64) (param $d i64) (result i64) (local $g i64) (local $p i32)
  local.get $d i64.eqz if call $by_zero end
  local.get $d i64.const 2 i64.eq if local.get $n return end
  local.get $n local.get $d call $gcd local.set $g
  local.get $d i64.const 0 call $cmp i32.const 0 i32.lt_s
  if i64.const 0 local.get $g call $sub local.set $g end
  local.get $g i64.const 2 i64.ne
  if
    local.get $n local.get $g call $idiv local.set $n
    local.get $d local.get $g call $idiv local.set $d
  end
  local.get $d i64.const 2 i64.eq if local.get $n return end
  i32.const 24 call $alloc local.tee $p
  i32.const 2 i32.store
  local.get $p local.get $n i64.store offset=8
  local.get $p local.get $d i64.store offset=16
  local.get $p call $ref)

(func $div (param $a i64) (param $b i64) (result i64)
  local.get $a call $num local.get $b call $den call $mul
  local.get $a call $den local.get $b call $num call $mul call $fraction)

;; The order of two numbers: -1, 0 or 1.
(func $cmp (param $a i64) (param $b i64) (result i32) (local $x i32) (local $y i32)
  local.get $a local.get $b i64.or i32.wrap_i64 i32.const 1 i32.and i32.eqz
  if local.get $a local.get $b i64.gt_s local.get $a local.get $b i64.lt_s i32.sub return end
  local.get $a call $is_fraction local.get $b call $is_fraction i32.or
  if
    local.get $a call $num local.get $b call $den call $mul
    local.get $b call $num local.get $a call $den call $mul call $cmp return
  end
  local.get $a call $big local.set $x
  local.get $b call $big local.set $y
  local.get $x i32.load local.get $y i32.load i32.ne
  if i32.const 1 local.get $x i32.load i32.const 1 i32.shl i32.sub return end
  local.get $x i32.load
  if local.get $y local.get $x call $mcmp return end
  local.get $x local.get $y call $mcmp)

;; A power by squaring; the exponent is a small integer.
(func $pow (param $b i64) (param $e i64) (result i64) (local $r i64)
  local.get $e call $small i64.const 0 i64.lt_s
  if
    i64.const 2 local.get $b call $div local.set $b
    i64.const 0 local.get $e i64.sub local.set $e
  end
  i64.const 2 local.set $r
  local.get $e i64.const 1 i64.shr_u local.set $e
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

;; Whether a number is prime, by trial division; traps on large integers.
(func $prime (param $v i64) (result i32) (local $n i64) (local $d i64)
  local.get $v call $is_fraction if i32.const 0 return end
  local.get $v call $small i64.const 1 i64.shr_s local.tee $n
  i64.const 2 i64.lt_s if i32.const 0 return end
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

;; An empty list with room for $n numbers.
(func $list (param $n i32) (result i32) (local $p i32)
  local.get $n i32.const 3 i32.shl i32.const 8 i32.add call $alloc local.tee $p
  local.get $n i32.store offset=4
  local.get $p)

;; The list with one more number; it may move.
(func $append (param $p i32) (param $v i64) (result i32) (local $n i32) (local $q i32) (local $i i32)
  local.get $p i32.load local.tee $n
  local.get $p i32.load offset=4 i32.eq
  if
    local.get $n i32.const 1 i32.shl i32.const 4 i32.add call $list local.set $q
    loop $next
      local.get $i local.get $n i32.ne
      if
        local.get $q local.get $i i32.const 3 i32.shl i32.add
        local.get $p local.get $i i32.const 3 i32.shl i32.add i64.load offset=8 i64.store offset=8
        local.get $i i32.const 1 i32.add local.set $i
        br $next
      end
    end
    local.get $q local.set $p
  end
  local.get $p local.get $n i32.const 3 i32.shl i32.add local.get $v i64.store offset=8
  local.get $p local.get $n i32.const 1 i32.add i32.store
  local.get $p)

;; The address of a list's number by index, from 0; traps where there is none.
(func $place (param $p i32) (param $i i64) (result i32)
  local.get $i call $small local.get $p i64.load32_u i64.const 1 i64.shl i64.ge_u
  if unreachable end
  local.get $p local.get $i i32.wrap_i64 i32.const 2 i32.shl i32.add i32.const 8 i32.add)

;; Writes bytes to standard output.
(func $write (param $p i32) (param $n i32)
  i32.const 0 local.get $p i32.store
  i32.const 0 local.get $n i32.store offset=4
  i32.const 1 i32.const 0 i32.const 1 i32.const 8 call $fd_write drop)

;; Writes an integer in decimal: nine digits at a time from the lowest.
(func $write_integer (param $v i64)
  (local $p i32) (local $n i32) (local $end i32) (local $out i32) (local $r i64) (local $i i32)
  (local $negative i32) (local $d i32)
  local.get $v call $big local.tee $p i32.load local.set $negative
  local.get $p i32.load offset=4 local.set $n
  local.get $n i32.const 10 i32.mul i32.const 16 i32.add local.tee $i call $alloc
  local.get $i i32.add local.tee $end local.set $out
  local.get $p i64.const 0 call $shifted local.set $p
  loop $chunk
    i64.const 0 local.set $r
    local.get $n local.set $i
    loop $limb
      local.get $i
      if
        local.get $r i64.const 32 i64.shl
        local.get $p local.get $i i32.const 2 i32.shl i32.add i64.load32_u offset=4 i64.or
        local.set $r
        local.get $p local.get $i i32.const 2 i32.shl i32.add
        local.get $r i64.const 1000000000 i64.div_u i64.store32 offset=4
        local.get $r i64.const 1000000000 i64.rem_u local.set $r
        local.get $i i32.const 1 i32.sub local.set $i
        br $limb
      end
    end
    block $top
      loop $zero
        local.get $n i32.eqz br_if $top
        local.get $p local.get $n i32.const 2 i32.shl i32.add i32.load offset=4 br_if $top
        local.get $n i32.const 1 i32.sub local.set $n
        br $zero
      end
    end
    local.get $r i32.wrap_i64 local.set $d
    i32.const 9 local.set $i
    loop $digit
      local.get $out i32.const 1 i32.sub local.tee $out
      local.get $d i32.const 10 i32.rem_u i32.const 48 i32.add i32.store8
      local.get $d i32.const 10 i32.div_u local.set $d
      local.get $i i32.const 1 i32.sub local.set $i
      local.get $n if (result i32) local.get $i else local.get $d end
      br_if $digit
    end
    local.get $n br_if $chunk
  end
  local.get $negative
  if local.get $out i32.const 1 i32.sub local.tee $out i32.const 45 i32.store8 end
  local.get $out local.get $end local.get $out i32.sub call $write)

;; The bytes that these write lie at 16: yesno, []/ and a line feed.
(func $write_number (param $v i64)
  local.get $v call $num call $write_integer
  local.get $v call $is_fraction
  if i32.const 25 i32.const 1 call $write local.get $v call $den call $write_integer end)

(func $write_boolean (param $v i32)
  local.get $v
  if i32.const 16 i32.const 3 call $write else i32.const 19 i32.const 2 call $write end)

(func $write_list (param $p i32) (local $i i32)
  i32.const 23 i32.const 1 call $write
  loop $next
    local.get $i local.get $p i32.load i32.ne
    if
      local.get $i if i32.const 21 i32.const 2 call $write end
      local.get $p local.get $i i32.const 3 i32.shl i32.add i64.load offset=8 call $write_number
      local.get $i i32.const 1 i32.add local.set $i
      br $next
    end
  end
  i32.const 24 i32.const 1 call $write)
