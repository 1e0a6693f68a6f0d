;; Bulk instructions as loops over single accesses. All bounds are checked, as the standard
;; asks, before anything is written. An access beyond the last address, or to an element that
;; no table can have, is always out of bounds: that is how they trap.
;;
;; Words are written where they are aligned, eight to a round; reads may be unaligned.
(module
  (memory 0)
  (table $to 0 funcref)
  (table $from 0 funcref)

  ;; Trap unless start + count is inside the memory.
  (func $check (param $start i32) (param $count i32)
    (local $last i32)
    block $bad
      block $empty
        local.get $count
        i32.eqz
        br_if $empty
        local.get $start
        local.get $count
        i32.add
        i32.const 1
        i32.sub
        local.tee $last
        local.get $start
        i32.lt_u
        br_if $bad
        local.get $last
        i32.const 16
        i32.shr_u
        memory.size
        i32.ge_u
        br_if $bad
        return
      end
      ;; nothing is touched, but the start itself must not be beyond the end
      local.get $start
      i32.eqz
      if
        return
      end
      local.get $start
      i32.const 1
      i32.sub
      i32.const 16
      i32.shr_u
      memory.size
      i32.ge_u
      br_if $bad
      return
    end
    i32.const -1
    i32.load8_u offset=1
    drop)

  (func $memory.fill (param $to i32) (param $byte i32) (param $count i32)
    local.get $to
    local.get $count
    call $check
    local.get $byte
    i32.const 255
    i32.and
    i32.const 0x01010101
    i32.mul
    local.set $byte
    block $done
      loop $align
        local.get $count
        i32.eqz
        br_if $done
        local.get $to
        i32.const 3
        i32.and
        if
          local.get $to
          local.get $byte
          i32.store8
          local.get $to
          i32.const 1
          i32.add
          local.set $to
          local.get $count
          i32.const 1
          i32.sub
          local.set $count
          br $align
        end
      end
      block $short
        loop $eight
          local.get $count
          i32.const 32
          i32.lt_u
          br_if $short
          local.get $to
          local.get $byte
          i32.store
          local.get $to
          local.get $byte
          i32.store offset=4
          local.get $to
          local.get $byte
          i32.store offset=8
          local.get $to
          local.get $byte
          i32.store offset=12
          local.get $to
          local.get $byte
          i32.store offset=16
          local.get $to
          local.get $byte
          i32.store offset=20
          local.get $to
          local.get $byte
          i32.store offset=24
          local.get $to
          local.get $byte
          i32.store offset=28
          local.get $to
          i32.const 32
          i32.add
          local.set $to
          local.get $count
          i32.const 32
          i32.sub
          local.set $count
          br $eight
        end
      end
      block $bytes
        loop $word
          local.get $count
          i32.const 4
          i32.lt_u
          br_if $bytes
          local.get $to
          local.get $byte
          i32.store
          local.get $to
          i32.const 4
          i32.add
          local.set $to
          local.get $count
          i32.const 4
          i32.sub
          local.set $count
          br $word
        end
      end
      loop $byte_loop
        local.get $count
        i32.eqz
        br_if $done
        local.get $to
        local.get $byte
        i32.store8
        local.get $to
        i32.const 1
        i32.add
        local.set $to
        local.get $count
        i32.const 1
        i32.sub
        local.set $count
        br $byte_loop
      end
    end)

  ;; Upwards; the ranges may overlap if the destination is below the source.
  (func $up (param $to i32) (param $from i32) (param $count i32)
    block $done
      loop $align
        local.get $count
        i32.eqz
        br_if $done
        local.get $to
        i32.const 3
        i32.and
        if
          local.get $to
          local.get $from
          i32.load8_u
          i32.store8
          local.get $to
          i32.const 1
          i32.add
          local.set $to
          local.get $from
          i32.const 1
          i32.add
          local.set $from
          local.get $count
          i32.const 1
          i32.sub
          local.set $count
          br $align
        end
      end
      block $short
        loop $eight
          local.get $count
          i32.const 32
          i32.lt_u
          br_if $short
          local.get $to
          local.get $from
          i32.load
          i32.store
          local.get $to
          local.get $from
          i32.load offset=4
          i32.store offset=4
          local.get $to
          local.get $from
          i32.load offset=8
          i32.store offset=8
          local.get $to
          local.get $from
          i32.load offset=12
          i32.store offset=12
          local.get $to
          local.get $from
          i32.load offset=16
          i32.store offset=16
          local.get $to
          local.get $from
          i32.load offset=20
          i32.store offset=20
          local.get $to
          local.get $from
          i32.load offset=24
          i32.store offset=24
          local.get $to
          local.get $from
          i32.load offset=28
          i32.store offset=28
          local.get $to
          i32.const 32
          i32.add
          local.set $to
          local.get $from
          i32.const 32
          i32.add
          local.set $from
          local.get $count
          i32.const 32
          i32.sub
          local.set $count
          br $eight
        end
      end
      block $bytes
        loop $word
          local.get $count
          i32.const 4
          i32.lt_u
          br_if $bytes
          local.get $to
          local.get $from
          i32.load
          i32.store
          local.get $to
          i32.const 4
          i32.add
          local.set $to
          local.get $from
          i32.const 4
          i32.add
          local.set $from
          local.get $count
          i32.const 4
          i32.sub
          local.set $count
          br $word
        end
      end
      loop $byte
        local.get $count
        i32.eqz
        br_if $done
        local.get $to
        local.get $from
        i32.load8_u
        i32.store8
        local.get $to
        i32.const 1
        i32.add
        local.set $to
        local.get $from
        i32.const 1
        i32.add
        local.set $from
        local.get $count
        i32.const 1
        i32.sub
        local.set $count
        br $byte
      end
    end)

  ;; Downwards, for a destination above the source. `to + count` moves down to `to`.
  (func $down (param $to i32) (param $from i32) (param $count i32)
    block $done
      loop $align
        local.get $count
        i32.eqz
        br_if $done
        local.get $to
        local.get $count
        i32.add
        i32.const 3
        i32.and
        if
          local.get $count
          i32.const 1
          i32.sub
          local.set $count
          local.get $to
          local.get $count
          i32.add
          local.get $from
          local.get $count
          i32.add
          i32.load8_u
          i32.store8
          br $align
        end
      end
      block $bytes
        loop $word
          local.get $count
          i32.const 4
          i32.lt_u
          br_if $bytes
          local.get $count
          i32.const 4
          i32.sub
          local.set $count
          local.get $to
          local.get $count
          i32.add
          local.get $from
          local.get $count
          i32.add
          i32.load
          i32.store
          br $word
        end
      end
      loop $byte
        local.get $count
        i32.eqz
        br_if $done
        local.get $count
        i32.const 1
        i32.sub
        local.set $count
        local.get $to
        local.get $count
        i32.add
        local.get $from
        local.get $count
        i32.add
        i32.load8_u
        i32.store8
        br $byte
      end
    end)

  (func $memory.copy (param $to i32) (param $from i32) (param $count i32)
    local.get $from
    local.get $count
    call $check
    local.get $to
    local.get $count
    call $check
    local.get $to
    local.get $from
    local.get $count
    local.get $to
    local.get $from
    i32.le_u
    if (param i32 i32 i32)
      call $up
    else
      call $down
    end)

  ;; Stands for $check on the memory that is read.
  (func $source.check (param $start i32) (param $count i32))

  ;; memory.copy from another memory.
  (func $memory.between (param $to i32) (param $from i32) (param $count i32)
    local.get $from
    local.get $count
    call $source.check
    local.get $to
    local.get $count
    call $check
    local.get $to
    local.get $from
    local.get $count
    call $up)

  ;; From a data segment: `length` bytes from `base` on in the memory that holds all segments;
  ;; the length is 0 once a segment is dropped.
  (func $memory.init (param $to i32) (param $from i32) (param $count i32)
    (param $length i32) (param $base i32)
    local.get $from
    local.get $count
    i32.add
    local.get $from
    i32.lt_u
    local.get $from
    local.get $count
    i32.add
    local.get $length
    i32.gt_u
    i32.or
    if
      i32.const -1
      i32.load8_u offset=1
      drop
    end
    local.get $to
    local.get $count
    call $check
    local.get $to
    local.get $from
    local.get $base
    i32.add
    local.get $count
    call $up)

  ;; Trap unless start + count is at most size.
  (func $within (param $start i32) (param $count i32) (param $size i32)
    local.get $start
    local.get $count
    i32.add
    local.get $start
    i32.lt_u
    local.get $start
    local.get $count
    i32.add
    local.get $size
    i32.gt_u
    i32.or
    if
      i32.const -1
      table.get $to
      drop
    end)

  (func $table.fill (param $at i32) (param $value funcref) (param $count i32)
    local.get $at
    local.get $count
    table.size $to
    call $within
    block $done
      loop $again
        local.get $count
        i32.eqz
        br_if $done
        local.get $at
        local.get $value
        table.set $to
        local.get $at
        i32.const 1
        i32.add
        local.set $at
        local.get $count
        i32.const 1
        i32.sub
        local.set $count
        br $again
      end
    end)

  (func $table.up (param $at i32) (param $from i32) (param $count i32)
    block $done
      loop $again
        local.get $count
        i32.eqz
        br_if $done
        local.get $at
        local.get $from
        table.get $from
        table.set $to
        local.get $at
        i32.const 1
        i32.add
        local.set $at
        local.get $from
        i32.const 1
        i32.add
        local.set $from
        local.get $count
        i32.const 1
        i32.sub
        local.set $count
        br $again
      end
    end)

  (func $table.copy (param $at i32) (param $from i32) (param $count i32)
    local.get $from
    local.get $count
    table.size $from
    call $within
    local.get $at
    local.get $count
    table.size $to
    call $within
    local.get $at
    local.get $from
    i32.le_u
    if
      local.get $at
      local.get $from
      local.get $count
      call $table.up
      return
    end
    block $done
      loop $again
        local.get $count
        i32.eqz
        br_if $done
        local.get $count
        i32.const 1
        i32.sub
        local.set $count
        local.get $at
        local.get $count
        i32.add
        local.get $from
        local.get $count
        i32.add
        table.get $from
        table.set $to
        br $again
      end
    end)

  (func $table.init (param $at i32) (param $from i32) (param $count i32)
    (param $length i32) (param $base i32)
    local.get $from
    local.get $count
    local.get $length
    call $within
    local.get $at
    local.get $count
    table.size $to
    call $within
    local.get $at
    local.get $from
    local.get $base
    i32.add
    local.get $count
    call $table.up)

  ;; `old` is what growing with null gave: the old size, or -1.
  (func $table.grow (param $value funcref) (param $count i32) (param $old i32) (result i32)
    local.get $old
    i32.const -1
    i32.ne
    local.get $value
    ref.is_null
    i32.eqz
    i32.and
    if
      local.get $old
      local.get $value
      local.get $count
      call $table.fill
    end
    local.get $old)
)
