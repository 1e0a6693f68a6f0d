(module $routines.wasm
  (type (;0;) (func))
  (type (;1;) (func (param i32 i32) (result i32 i32)))
  (type (;2;) (func (param i32 i32 i32 i32) (result i32 i32)))
  (type (;3;) (func (param i32 i32 i32) (result i32 i32)))
  (type (;4;) (func (param i32 i32) (result i32)))
  (type (;5;) (func (param i32) (result i32)))
  (type (;6;) (func (param i32) (result i32 i32)))
  (type (;7;) (func (param i32 i32 i32 i32) (result i32)))
  (func $trap_divide (;0;) (type 0)
    unreachable
  )
  (func $trap_overflow (;1;) (type 0)
    unreachable
  )
  (func $trap_conversion (;2;) (type 0)
    unreachable
  )
  (func $mul_wide (;3;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32 i32)
    local.get 1
    i32.const 65535
    i32.and
    local.tee 2
    local.get 0
    i32.const 65535
    i32.and
    local.tee 3
    i32.mul
    i32.const 16
    i32.shr_u
    local.get 2
    local.get 0
    i32.const 16
    i32.shr_u
    local.tee 4
    i32.mul
    i32.add
    local.set 2
    local.get 1
    local.get 0
    i32.mul
    local.get 2
    i32.const 16
    i32.shr_u
    local.get 1
    i32.const 16
    i32.shr_u
    local.tee 0
    local.get 4
    i32.mul
    i32.add
    local.get 2
    i32.const 65535
    i32.and
    local.get 0
    local.get 3
    i32.mul
    i32.add
    i32.const 16
    i32.shr_u
    i32.add
  )
  (func $mul (;4;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32 i32 i32 i32)
    local.get 2
    i32.const 65535
    i32.and
    local.tee 4
    local.get 0
    i32.const 65535
    i32.and
    local.tee 5
    i32.mul
    i32.const 16
    i32.shr_u
    local.get 4
    local.get 0
    i32.const 16
    i32.shr_u
    local.tee 6
    i32.mul
    i32.add
    local.set 4
    local.get 2
    local.get 0
    i32.mul
    local.get 2
    i32.const 16
    i32.shr_u
    local.tee 7
    local.get 6
    i32.mul
    local.get 2
    local.get 1
    i32.mul
    i32.add
    local.get 3
    local.get 0
    i32.mul
    i32.add
    local.get 4
    i32.const 16
    i32.shr_u
    i32.add
    local.get 4
    i32.const 65535
    i32.and
    local.get 7
    local.get 5
    i32.mul
    i32.add
    i32.const 16
    i32.shr_u
    i32.add
  )
  (func $shl (;5;) (type 3) (param i32 i32 i32) (result i32 i32)
    (local i32)
    block (;@1;)
      local.get 2
      i32.const 63
      i32.and
      local.tee 3
      i32.const 32
      i32.lt_u
      br_if 0 (;@1;)
      i32.const 0
      local.get 0
      local.get 2
      i32.shl
      return
    end
    local.get 0
    local.get 3
    i32.shl
    local.get 0
    i32.const 1
    i32.shr_u
    local.get 3
    i32.const 31
    i32.xor
    i32.shr_u
    local.get 1
    local.get 3
    i32.shl
    i32.or
  )
  (func $shr_u (;6;) (type 3) (param i32 i32 i32) (result i32 i32)
    (local i32)
    local.get 2
    i32.const 31
    i32.and
    local.set 3
    block (;@1;)
      local.get 2
      i32.const 32
      i32.and
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      local.get 3
      i32.shr_u
      i32.const 0
      return
    end
    local.get 1
    i32.const 1
    i32.shl
    local.get 3
    i32.const 31
    i32.xor
    i32.shl
    local.get 0
    local.get 3
    i32.shr_u
    i32.or
    local.get 1
    local.get 3
    i32.shr_u
  )
  (func $shr_s (;7;) (type 3) (param i32 i32 i32) (result i32 i32)
    (local i32)
    local.get 2
    i32.const 31
    i32.and
    local.set 3
    block (;@1;)
      local.get 2
      i32.const 32
      i32.and
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      local.get 3
      i32.shr_s
      local.get 1
      i32.const 31
      i32.shr_s
      return
    end
    local.get 1
    i32.const 1
    i32.shl
    local.get 3
    i32.const 31
    i32.xor
    i32.shl
    local.get 0
    local.get 3
    i32.shr_u
    i32.or
    local.get 1
    local.get 3
    i32.shr_s
  )
  (func $rotl (;8;) (type 3) (param i32 i32 i32) (result i32 i32)
    (local i32 i32 i32)
    local.get 0
    local.get 1
    local.get 2
    i32.const 32
    i32.and
    local.tee 3
    select
    local.tee 4
    i32.const 1
    i32.shr_u
    local.get 2
    i32.const 31
    i32.and
    i32.const 31
    i32.xor
    local.tee 5
    i32.shr_u
    local.get 1
    local.get 0
    local.get 3
    select
    local.tee 0
    local.get 2
    i32.shl
    i32.or
    local.get 0
    i32.const 1
    i32.shr_u
    local.get 5
    i32.shr_u
    local.get 4
    local.get 2
    i32.shl
    i32.or
  )
  (func $rotr (;9;) (type 3) (param i32 i32 i32) (result i32 i32)
    (local i32 i32 i32)
    local.get 0
    local.get 1
    local.get 2
    i32.const 32
    i32.and
    local.tee 3
    select
    local.tee 4
    i32.const 1
    i32.shl
    local.get 2
    i32.const 31
    i32.and
    i32.const 31
    i32.xor
    local.tee 5
    i32.shl
    local.get 1
    local.get 0
    local.get 3
    select
    local.tee 0
    local.get 2
    i32.shr_u
    i32.or
    local.get 0
    i32.const 1
    i32.shl
    local.get 5
    i32.shl
    local.get 4
    local.get 2
    i32.shr_u
    i32.or
  )
  (func $clz (;10;) (type 1) (param i32 i32) (result i32 i32)
    local.get 1
    i32.clz
    local.get 0
    i32.clz
    i32.const 32
    i32.add
    local.get 1
    select
    i32.const 0
  )
  (func $ctz (;11;) (type 1) (param i32 i32) (result i32 i32)
    local.get 0
    i32.ctz
    local.get 1
    i32.ctz
    i32.const 32
    i32.add
    local.get 0
    select
    i32.const 0
  )
  (func $popcnt (;12;) (type 1) (param i32 i32) (result i32 i32)
    local.get 1
    i32.popcnt
    local.get 0
    i32.popcnt
    i32.add
    i32.const 0
  )
  (func $div_u (;13;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32)
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 3
          i32.eqz
          br_if 0 (;@3;)
          i32.const 0
          local.set 4
          i32.const 0
          local.set 5
          local.get 0
          local.get 2
          i32.ge_u
          local.get 1
          local.get 3
          i32.ge_u
          local.get 1
          local.get 3
          i32.eq
          select
          i32.const 1
          i32.ne
          br_if 1 (;@2;)
          local.get 1
          i32.const 31
          i32.shl
          local.get 0
          i32.const 1
          i32.shr_u
          i32.or
          local.tee 6
          i32.const 1
          i32.shr_u
          local.get 2
          i32.const 1
          i32.shr_u
          local.get 3
          i32.clz
          local.tee 4
          i32.const 31
          i32.xor
          local.tee 7
          i32.shr_u
          local.get 3
          local.get 4
          i32.shl
          i32.or
          local.tee 4
          i32.clz
          local.tee 8
          i32.const -1
          i32.xor
          i32.shr_u
          local.get 1
          i32.const 1
          i32.shr_u
          local.get 8
          i32.shl
          i32.or
          local.tee 9
          local.get 9
          local.get 4
          local.get 8
          i32.shl
          local.tee 10
          i32.const 16
          i32.shr_u
          local.tee 11
          i32.div_u
          local.tee 4
          local.get 11
          i32.mul
          i32.sub
          local.set 5
          local.get 10
          i32.const 65535
          i32.and
          local.set 12
          local.get 6
          local.get 8
          i32.shl
          local.tee 6
          i32.const 16
          i32.shr_u
          local.set 8
          block (;@4;)
            loop (;@5;)
              block (;@6;)
                local.get 4
                i32.const 65535
                i32.gt_u
                br_if 0 (;@6;)
                local.get 4
                local.get 12
                i32.mul
                local.get 5
                i32.const 16
                i32.shl
                local.get 8
                i32.or
                i32.le_u
                br_if 2 (;@4;)
              end
              local.get 4
              i32.const -1
              i32.add
              local.set 4
              local.get 5
              local.get 11
              i32.add
              local.tee 5
              i32.const 65536
              i32.lt_u
              br_if 0 (;@5;)
            end
          end
          local.get 9
          i32.const 16
          i32.shl
          local.get 8
          i32.or
          local.get 4
          local.get 10
          i32.mul
          i32.sub
          local.tee 5
          local.get 5
          local.get 11
          i32.div_u
          local.tee 5
          local.get 11
          i32.mul
          i32.sub
          local.set 8
          local.get 6
          i32.const 65535
          i32.and
          local.set 9
          block (;@4;)
            loop (;@5;)
              block (;@6;)
                local.get 5
                i32.const 65535
                i32.gt_u
                br_if 0 (;@6;)
                local.get 5
                local.get 12
                i32.mul
                local.get 8
                i32.const 16
                i32.shl
                local.get 9
                i32.or
                i32.le_u
                br_if 2 (;@4;)
              end
              local.get 5
              i32.const -1
              i32.add
              local.set 5
              local.get 8
              local.get 11
              i32.add
              local.tee 8
              i32.const 65536
              i32.lt_u
              br_if 0 (;@5;)
            end
          end
          local.get 5
          local.get 4
          i32.const 16
          i32.shl
          i32.or
          local.get 7
          i32.shr_u
          local.tee 4
          local.get 4
          i32.const 0
          i32.ne
          i32.sub
          local.tee 4
          i32.const 65535
          i32.and
          local.tee 8
          local.get 2
          i32.const 65535
          i32.and
          local.tee 5
          i32.mul
          i32.const 16
          i32.shr_u
          local.get 4
          i32.const 16
          i32.shr_u
          local.tee 11
          local.get 5
          i32.mul
          i32.add
          local.set 5
          local.get 4
          local.get 0
          local.get 4
          local.get 2
          i32.mul
          local.tee 12
          i32.sub
          local.get 2
          i32.ge_u
          local.get 1
          local.get 0
          local.get 12
          i32.lt_u
          i32.sub
          local.get 5
          i32.const 16
          i32.shr_u
          local.get 8
          local.get 2
          i32.const 16
          i32.shr_u
          local.tee 12
          i32.mul
          local.get 5
          i32.const 65535
          i32.and
          i32.add
          i32.const 16
          i32.shr_u
          i32.add
          local.get 11
          local.get 12
          i32.mul
          local.get 4
          local.get 3
          i32.mul
          i32.add
          i32.add
          i32.sub
          local.tee 5
          local.get 3
          i32.ge_u
          local.get 5
          local.get 3
          i32.eq
          select
          i32.add
          i32.const 0
          return
        end
        block (;@3;)
          local.get 1
          br_if 0 (;@3;)
          local.get 2
          i32.eqz
          br_if 2 (;@1;)
          local.get 0
          local.get 2
          i32.div_u
          i32.const 0
          return
        end
        block (;@3;)
          local.get 2
          i32.const 65536
          i32.lt_u
          br_if 0 (;@3;)
          i32.const 0
          local.set 9
          block (;@4;)
            local.get 1
            local.get 2
            i32.lt_u
            br_if 0 (;@4;)
            local.get 1
            local.get 1
            local.get 2
            i32.div_u
            local.tee 9
            local.get 2
            i32.mul
            i32.sub
            local.set 1
          end
          local.get 1
          local.get 2
          i32.clz
          local.tee 8
          i32.shl
          local.get 0
          i32.const 1
          i32.shr_u
          local.get 8
          i32.const 31
          i32.xor
          i32.shr_u
          i32.or
          local.tee 3
          local.get 3
          local.get 2
          local.get 8
          i32.shl
          local.tee 2
          i32.const 16
          i32.shr_u
          local.tee 11
          i32.div_u
          local.tee 4
          local.get 11
          i32.mul
          i32.sub
          local.set 5
          local.get 2
          i32.const 65535
          i32.and
          local.set 12
          local.get 0
          local.get 8
          i32.shl
          local.tee 1
          i32.const 16
          i32.shr_u
          local.set 8
          block (;@4;)
            loop (;@5;)
              block (;@6;)
                local.get 4
                i32.const 65535
                i32.gt_u
                br_if 0 (;@6;)
                local.get 4
                local.get 12
                i32.mul
                local.get 5
                i32.const 16
                i32.shl
                local.get 8
                i32.or
                i32.le_u
                br_if 2 (;@4;)
              end
              local.get 4
              i32.const -1
              i32.add
              local.set 4
              local.get 5
              local.get 11
              i32.add
              local.tee 5
              i32.const 65536
              i32.lt_u
              br_if 0 (;@5;)
            end
          end
          local.get 3
          i32.const 16
          i32.shl
          local.get 8
          i32.or
          local.get 4
          local.get 2
          i32.mul
          i32.sub
          local.tee 5
          local.get 5
          local.get 11
          i32.div_u
          local.tee 5
          local.get 11
          i32.mul
          i32.sub
          local.set 8
          local.get 1
          i32.const 65535
          i32.and
          local.set 2
          block (;@4;)
            loop (;@5;)
              block (;@6;)
                local.get 5
                i32.const 65535
                i32.gt_u
                br_if 0 (;@6;)
                local.get 5
                local.get 12
                i32.mul
                local.get 8
                i32.const 16
                i32.shl
                local.get 2
                i32.or
                i32.le_u
                br_if 2 (;@4;)
              end
              local.get 5
              i32.const -1
              i32.add
              local.set 5
              local.get 8
              local.get 11
              i32.add
              local.tee 8
              i32.const 65536
              i32.lt_u
              br_if 0 (;@5;)
            end
          end
          local.get 5
          local.get 4
          i32.const 16
          i32.shl
          i32.or
          local.get 9
          return
        end
        local.get 2
        i32.eqz
        br_if 1 (;@1;)
        local.get 1
        local.get 1
        local.get 2
        i32.div_u
        local.tee 5
        local.get 2
        i32.mul
        i32.sub
        i32.const 16
        i32.shl
        local.get 0
        i32.const 16
        i32.shr_u
        local.tee 4
        i32.or
        local.get 2
        i32.div_u
        local.tee 8
        i32.const 16
        i32.shl
        local.get 4
        local.get 8
        local.get 2
        i32.mul
        i32.sub
        i32.const 16
        i32.shl
        local.get 0
        i32.const 65535
        i32.and
        i32.or
        local.get 2
        i32.div_u
        i32.or
        local.set 4
      end
      local.get 4
      local.get 5
      return
    end
    call $trap_divide
    unreachable
  )
  (func $rem_u (;14;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32)
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 3
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          local.get 2
          i32.ge_u
          local.get 1
          local.get 3
          i32.ge_u
          local.get 1
          local.get 3
          i32.eq
          select
          i32.const 1
          i32.ne
          br_if 1 (;@2;)
          local.get 1
          i32.const 31
          i32.shl
          local.get 0
          i32.const 1
          i32.shr_u
          i32.or
          local.tee 4
          i32.const 1
          i32.shr_u
          local.get 2
          i32.const 1
          i32.shr_u
          local.get 3
          i32.clz
          local.tee 5
          i32.const 31
          i32.xor
          local.tee 6
          i32.shr_u
          local.get 3
          local.get 5
          i32.shl
          i32.or
          local.tee 5
          i32.clz
          local.tee 7
          i32.const -1
          i32.xor
          i32.shr_u
          local.get 1
          i32.const 1
          i32.shr_u
          local.get 7
          i32.shl
          i32.or
          local.tee 8
          local.get 8
          local.get 5
          local.get 7
          i32.shl
          local.tee 9
          i32.const 16
          i32.shr_u
          local.tee 10
          i32.div_u
          local.tee 5
          local.get 10
          i32.mul
          i32.sub
          local.set 11
          local.get 9
          i32.const 65535
          i32.and
          local.set 12
          local.get 4
          local.get 7
          i32.shl
          local.tee 4
          i32.const 16
          i32.shr_u
          local.set 7
          block (;@4;)
            loop (;@5;)
              block (;@6;)
                local.get 5
                i32.const 65535
                i32.gt_u
                br_if 0 (;@6;)
                local.get 5
                local.get 12
                i32.mul
                local.get 11
                i32.const 16
                i32.shl
                local.get 7
                i32.or
                i32.le_u
                br_if 2 (;@4;)
              end
              local.get 5
              i32.const -1
              i32.add
              local.set 5
              local.get 11
              local.get 10
              i32.add
              local.tee 11
              i32.const 65536
              i32.lt_u
              br_if 0 (;@5;)
            end
          end
          local.get 8
          i32.const 16
          i32.shl
          local.get 7
          i32.or
          local.get 5
          local.get 9
          i32.mul
          i32.sub
          local.tee 11
          local.get 11
          local.get 10
          i32.div_u
          local.tee 11
          local.get 10
          i32.mul
          i32.sub
          local.set 7
          local.get 4
          i32.const 65535
          i32.and
          local.set 8
          block (;@4;)
            loop (;@5;)
              block (;@6;)
                local.get 11
                i32.const 65535
                i32.gt_u
                br_if 0 (;@6;)
                local.get 11
                local.get 12
                i32.mul
                local.get 7
                i32.const 16
                i32.shl
                local.get 8
                i32.or
                i32.le_u
                br_if 2 (;@4;)
              end
              local.get 11
              i32.const -1
              i32.add
              local.set 11
              local.get 7
              local.get 10
              i32.add
              local.tee 7
              i32.const 65536
              i32.lt_u
              br_if 0 (;@5;)
            end
          end
          local.get 11
          local.get 5
          i32.const 16
          i32.shl
          i32.or
          local.get 6
          i32.shr_u
          local.tee 5
          local.get 5
          i32.const 0
          i32.ne
          i32.sub
          local.tee 11
          i32.const 65535
          i32.and
          local.tee 7
          local.get 2
          i32.const 65535
          i32.and
          local.tee 5
          i32.mul
          i32.const 16
          i32.shr_u
          local.get 11
          i32.const 16
          i32.shr_u
          local.tee 10
          local.get 5
          i32.mul
          i32.add
          local.set 5
          local.get 0
          local.get 11
          local.get 2
          i32.mul
          local.tee 12
          i32.sub
          local.tee 8
          i32.const 0
          local.get 2
          local.get 8
          local.get 2
          i32.lt_u
          local.tee 8
          local.get 1
          local.get 0
          local.get 12
          i32.lt_u
          i32.sub
          local.get 5
          i32.const 16
          i32.shr_u
          local.get 7
          local.get 2
          i32.const 16
          i32.shr_u
          local.tee 12
          i32.mul
          local.get 5
          i32.const 65535
          i32.and
          i32.add
          i32.const 16
          i32.shr_u
          i32.add
          local.get 10
          local.get 12
          i32.mul
          local.get 11
          local.get 3
          i32.mul
          i32.add
          i32.add
          i32.sub
          local.tee 5
          local.get 3
          i32.lt_u
          local.get 5
          local.get 3
          i32.eq
          select
          local.tee 11
          select
          i32.sub
          local.get 5
          i32.const 0
          i32.const -1
          i32.const 0
          local.get 8
          select
          local.get 3
          i32.sub
          local.get 11
          select
          i32.add
          return
        end
        block (;@3;)
          block (;@4;)
            local.get 1
            br_if 0 (;@4;)
            local.get 2
            i32.eqz
            br_if 3 (;@1;)
            local.get 0
            local.get 2
            i32.rem_u
            local.set 0
            br 1 (;@3;)
          end
          block (;@4;)
            local.get 2
            i32.const 65536
            i32.lt_u
            br_if 0 (;@4;)
            block (;@5;)
              local.get 1
              local.get 2
              i32.lt_u
              br_if 0 (;@5;)
              local.get 1
              local.get 2
              i32.rem_u
              local.set 1
            end
            local.get 1
            local.get 2
            i32.clz
            local.tee 3
            i32.shl
            local.get 0
            i32.const 1
            i32.shr_u
            local.get 3
            i32.const 31
            i32.xor
            i32.shr_u
            i32.or
            local.tee 8
            local.get 8
            local.get 2
            local.get 3
            i32.shl
            local.tee 1
            i32.const 16
            i32.shr_u
            local.tee 7
            i32.div_u
            local.tee 5
            local.get 7
            i32.mul
            i32.sub
            local.set 11
            local.get 1
            i32.const 65535
            i32.and
            local.set 10
            local.get 0
            local.get 3
            i32.shl
            local.tee 0
            i32.const 16
            i32.shr_u
            local.set 12
            block (;@5;)
              loop (;@6;)
                block (;@7;)
                  local.get 5
                  i32.const 65535
                  i32.gt_u
                  br_if 0 (;@7;)
                  local.get 5
                  local.get 10
                  i32.mul
                  local.get 11
                  i32.const 16
                  i32.shl
                  local.get 12
                  i32.or
                  i32.le_u
                  br_if 2 (;@5;)
                end
                local.get 5
                i32.const -1
                i32.add
                local.set 5
                local.get 11
                local.get 7
                i32.add
                local.tee 11
                i32.const 65536
                i32.lt_u
                br_if 0 (;@6;)
              end
            end
            local.get 8
            i32.const 16
            i32.shl
            local.get 12
            i32.or
            local.get 5
            local.get 1
            i32.mul
            i32.sub
            local.tee 2
            local.get 2
            local.get 7
            i32.div_u
            local.tee 5
            local.get 7
            i32.mul
            i32.sub
            local.set 11
            local.get 0
            i32.const 65535
            i32.and
            local.set 12
            block (;@5;)
              loop (;@6;)
                block (;@7;)
                  local.get 5
                  i32.const 65535
                  i32.gt_u
                  br_if 0 (;@7;)
                  local.get 5
                  local.get 10
                  i32.mul
                  local.get 11
                  i32.const 16
                  i32.shl
                  local.get 12
                  i32.or
                  i32.le_u
                  br_if 2 (;@5;)
                end
                local.get 5
                i32.const -1
                i32.add
                local.set 5
                local.get 11
                local.get 7
                i32.add
                local.tee 11
                i32.const 65536
                i32.lt_u
                br_if 0 (;@6;)
              end
            end
            local.get 2
            i32.const 16
            i32.shl
            local.get 12
            i32.or
            local.get 5
            local.get 1
            i32.mul
            i32.sub
            local.get 3
            i32.shr_u
            local.set 0
            br 1 (;@3;)
          end
          local.get 2
          i32.eqz
          br_if 2 (;@1;)
          local.get 1
          local.get 2
          i32.rem_u
          i32.const 16
          i32.shl
          local.get 0
          i32.const 16
          i32.shr_u
          i32.or
          local.get 2
          i32.rem_u
          i32.const 16
          i32.shl
          local.get 0
          i32.const 65535
          i32.and
          i32.or
          local.get 2
          i32.rem_u
          local.set 0
        end
        i32.const 0
        local.set 1
      end
      local.get 0
      local.get 1
      return
    end
    call $trap_divide
    unreachable
  )
  (func $div_s (;15;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32)
    i32.const 0
    local.get 0
    i32.sub
    local.get 0
    local.get 1
    i32.const 0
    i32.lt_s
    local.tee 4
    select
    i32.const -1
    i32.const 0
    local.get 0
    select
    local.get 1
    i32.sub
    local.get 1
    local.get 4
    select
    i32.const 0
    local.get 2
    i32.sub
    local.get 2
    local.get 3
    i32.const 0
    i32.lt_s
    local.tee 0
    select
    i32.const -1
    i32.const 0
    local.get 2
    select
    local.get 3
    i32.sub
    local.get 3
    local.get 0
    select
    call $div_u
    local.set 2
    local.set 0
    block (;@1;)
      block (;@2;)
        local.get 3
        local.get 1
        i32.xor
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        i32.const -1
        i32.const 0
        local.get 0
        select
        local.get 2
        i32.sub
        local.set 2
        i32.const 0
        local.get 0
        i32.sub
        local.set 0
        br 1 (;@1;)
      end
      local.get 2
      i32.const -1
      i32.gt_s
      br_if 0 (;@1;)
      call $trap_overflow
      unreachable
    end
    local.get 0
    local.get 2
  )
  (func $rem_s (;16;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32)
    i32.const 0
    local.get 0
    i32.sub
    local.get 0
    local.get 1
    i32.const 0
    i32.lt_s
    local.tee 4
    select
    i32.const -1
    i32.const 0
    local.get 0
    select
    local.get 1
    i32.sub
    local.get 1
    local.get 4
    select
    i32.const 0
    local.get 2
    i32.sub
    local.get 2
    local.get 3
    i32.const 0
    i32.lt_s
    local.tee 0
    select
    i32.const -1
    i32.const 0
    local.get 2
    select
    local.get 3
    i32.sub
    local.get 3
    local.get 0
    select
    call $rem_u
    local.set 2
    local.set 3
    block (;@1;)
      local.get 1
      i32.const -1
      i32.gt_s
      br_if 0 (;@1;)
      i32.const -1
      i32.const 0
      local.get 3
      select
      local.get 2
      i32.sub
      local.set 2
      i32.const 0
      local.get 3
      i32.sub
      local.set 3
    end
    local.get 3
    local.get 2
  )
  (func $f32_add (;17;) (type 4) (param i32 i32) (result i32)
    (local i32 i32 i32 i32)
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      local.get 1
      i32.const 1
      i32.shl
      i32.ge_u
      br_if 0 (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 0
          i32.const 23
          i32.shr_u
          i32.const 255
          i32.and
          local.tee 2
          i32.eqz
          br_if 0 (;@3;)
          local.get 1
          i32.const 23
          i32.shr_u
          i32.const 255
          i32.and
          local.tee 3
          i32.const 255
          i32.ne
          br_if 1 (;@2;)
        end
        local.get 1
        local.get 0
        call 18
        return
      end
      local.get 1
      i32.const 3
      i32.shl
      i32.const 67108856
      i32.and
      local.set 4
      i32.const 1
      local.set 5
      block (;@2;)
        local.get 3
        local.get 2
        i32.sub
        local.tee 2
        i32.const 31
        i32.gt_u
        br_if 0 (;@2;)
        local.get 0
        i32.const 3
        i32.shl
        i32.const 67108856
        i32.and
        i32.const 67108864
        i32.or
        local.tee 5
        local.get 2
        i32.shr_u
        local.get 5
        i32.const 1
        i32.shl
        local.get 2
        i32.const 31
        i32.xor
        i32.shl
        i32.const 0
        i32.ne
        i32.or
        local.set 5
      end
      local.get 4
      i32.const 67108864
      i32.or
      local.set 2
      local.get 1
      i32.const -2147483648
      i32.and
      local.set 4
      block (;@2;)
        local.get 1
        local.get 0
        i32.xor
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        block (;@3;)
          local.get 2
          local.get 5
          i32.ne
          br_if 0 (;@3;)
          i32.const 0
          return
        end
        block (;@3;)
          local.get 3
          local.get 2
          local.get 5
          i32.sub
          local.tee 2
          i32.clz
          i32.const -5
          i32.add
          local.tee 0
          local.get 3
          i32.const -1
          i32.add
          local.tee 1
          local.get 0
          local.get 1
          i32.lt_s
          select
          local.tee 0
          i32.sub
          local.tee 1
          i32.const 255
          i32.lt_s
          br_if 0 (;@3;)
          local.get 4
          i32.const 2139095040
          i32.or
          return
        end
        local.get 4
        local.get 1
        i32.const 23
        i32.shl
        i32.add
        local.get 2
        local.get 0
        i32.shl
        local.tee 0
        local.get 0
        i32.const 3
        i32.shr_u
        i32.const 1
        i32.and
        i32.add
        i32.const 3
        i32.add
        i32.const 3
        i32.shr_u
        i32.add
        i32.const -8388608
        i32.add
        return
      end
      block (;@2;)
        local.get 3
        local.get 5
        local.get 2
        i32.add
        local.tee 0
        i32.const 134217727
        i32.gt_u
        local.tee 1
        i32.add
        local.tee 3
        i32.const 255
        i32.lt_u
        br_if 0 (;@2;)
        local.get 4
        i32.const 2139095040
        i32.or
        return
      end
      local.get 4
      local.get 3
      i32.const 23
      i32.shl
      i32.add
      local.get 0
      i32.const 1
      i32.shr_u
      local.get 5
      i32.const 1
      i32.and
      i32.or
      local.get 0
      local.get 1
      select
      local.tee 0
      local.get 0
      i32.const 3
      i32.shr_u
      i32.const 1
      i32.and
      i32.add
      i32.const 3
      i32.add
      i32.const 3
      i32.shr_u
      i32.add
      i32.const -8388608
      i32.add
      return
    end
    block (;@1;)
      block (;@2;)
        local.get 0
        i32.const 23
        i32.shr_u
        i32.const 255
        i32.and
        local.tee 3
        i32.const 255
        i32.eq
        br_if 0 (;@2;)
        local.get 1
        i32.const 23
        i32.shr_u
        i32.const 255
        i32.and
        local.tee 5
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 1
      call 18
      return
    end
    local.get 0
    i32.const 3
    i32.shl
    i32.const 67108856
    i32.and
    local.set 4
    i32.const 1
    local.set 2
    block (;@1;)
      local.get 3
      local.get 5
      i32.sub
      local.tee 5
      i32.const 31
      i32.gt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 3
      i32.shl
      i32.const 67108856
      i32.and
      i32.const 67108864
      i32.or
      local.tee 2
      local.get 5
      i32.shr_u
      local.get 2
      i32.const 1
      i32.shl
      local.get 5
      i32.const 31
      i32.xor
      i32.shl
      i32.const 0
      i32.ne
      i32.or
      local.set 2
    end
    local.get 4
    i32.const 67108864
    i32.or
    local.set 5
    local.get 0
    i32.const -2147483648
    i32.and
    local.set 4
    block (;@1;)
      local.get 1
      local.get 0
      i32.xor
      i32.const -1
      i32.gt_s
      br_if 0 (;@1;)
      block (;@2;)
        local.get 5
        local.get 2
        i32.ne
        br_if 0 (;@2;)
        i32.const 0
        return
      end
      block (;@2;)
        local.get 3
        local.get 5
        local.get 2
        i32.sub
        local.tee 2
        i32.clz
        i32.const -5
        i32.add
        local.tee 0
        local.get 3
        i32.const -1
        i32.add
        local.tee 1
        local.get 0
        local.get 1
        i32.lt_s
        select
        local.tee 0
        i32.sub
        local.tee 1
        i32.const 255
        i32.lt_s
        br_if 0 (;@2;)
        local.get 4
        i32.const 2139095040
        i32.or
        return
      end
      local.get 4
      local.get 1
      i32.const 23
      i32.shl
      i32.add
      local.get 2
      local.get 0
      i32.shl
      local.tee 0
      local.get 0
      i32.const 3
      i32.shr_u
      i32.const 1
      i32.and
      i32.add
      i32.const 3
      i32.add
      i32.const 3
      i32.shr_u
      i32.add
      i32.const -8388608
      i32.add
      return
    end
    block (;@1;)
      local.get 3
      local.get 2
      local.get 5
      i32.add
      local.tee 0
      i32.const 134217727
      i32.gt_u
      local.tee 1
      i32.add
      local.tee 3
      i32.const 255
      i32.lt_u
      br_if 0 (;@1;)
      local.get 4
      i32.const 2139095040
      i32.or
      return
    end
    local.get 4
    local.get 3
    i32.const 23
    i32.shl
    i32.add
    local.get 0
    i32.const 1
    i32.shr_u
    local.get 2
    i32.const 1
    i32.and
    i32.or
    local.get 0
    local.get 1
    select
    local.tee 0
    local.get 0
    i32.const 3
    i32.shr_u
    i32.const 1
    i32.and
    i32.add
    i32.const 3
    i32.add
    i32.const 3
    i32.shr_u
    i32.add
    i32.const -8388608
    i32.add
  )
  (func (@name "add_special") (;18;) (type 4) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32)
    block (;@1;)
      local.get 0
      i32.const 23
      i32.shr_u
      i32.const 255
      i32.and
      local.tee 2
      i32.const 255
      i32.ne
      br_if 0 (;@1;)
      block (;@2;)
        local.get 0
        i32.const 1
        i32.shl
        i32.const -16777216
        i32.le_u
        br_if 0 (;@2;)
        i32.const 2143289344
        return
      end
      i32.const 2143289344
      local.get 0
      local.get 1
      local.get 0
      i32.xor
      i32.const 0
      i32.lt_s
      select
      local.get 0
      local.get 1
      i32.const 2139095040
      i32.and
      i32.const 2139095040
      i32.eq
      select
      return
    end
    block (;@1;)
      local.get 1
      i32.const 2147483647
      i32.and
      br_if 0 (;@1;)
      i32.const -1
      local.get 1
      local.get 0
      i32.const 2147483647
      i32.and
      select
      local.get 0
      i32.and
      return
    end
    local.get 0
    i32.const 3
    i32.shl
    i32.const 67108856
    i32.and
    local.tee 3
    i32.const 67108864
    i32.or
    local.set 4
    local.get 1
    i32.const 3
    i32.shl
    i32.const 67108856
    i32.and
    local.set 5
    local.get 2
    i32.const 1
    local.get 2
    i32.const 1
    i32.gt_u
    select
    local.tee 6
    i32.const -1
    i32.add
    local.set 7
    block (;@1;)
      block (;@2;)
        local.get 2
        i32.const 33
        i32.lt_u
        br_if 0 (;@2;)
        local.get 5
        i32.const 0
        i32.ne
        local.set 5
        br 1 (;@1;)
      end
      local.get 5
      local.get 7
      i32.shr_u
      local.get 5
      i32.const 1
      i32.shl
      local.get 7
      i32.const 31
      i32.xor
      i32.shl
      i32.const 0
      i32.ne
      i32.or
      local.set 5
    end
    local.get 4
    local.get 3
    local.get 2
    select
    local.set 2
    local.get 0
    i32.const -2147483648
    i32.and
    local.set 3
    block (;@1;)
      local.get 1
      local.get 0
      i32.xor
      i32.const -1
      i32.gt_s
      br_if 0 (;@1;)
      block (;@2;)
        local.get 2
        local.get 5
        i32.ne
        br_if 0 (;@2;)
        i32.const 0
        return
      end
      block (;@2;)
        local.get 6
        local.get 2
        local.get 5
        i32.sub
        local.tee 1
        i32.clz
        i32.const -5
        i32.add
        local.tee 0
        local.get 7
        local.get 0
        local.get 7
        i32.lt_s
        select
        local.tee 0
        i32.sub
        local.tee 2
        i32.const 255
        i32.lt_s
        br_if 0 (;@2;)
        local.get 3
        i32.const 2139095040
        i32.or
        return
      end
      local.get 3
      local.get 2
      i32.const 23
      i32.shl
      i32.add
      local.get 1
      local.get 0
      i32.shl
      local.tee 0
      local.get 0
      i32.const 3
      i32.shr_u
      i32.const 1
      i32.and
      i32.add
      i32.const 3
      i32.add
      i32.const 3
      i32.shr_u
      i32.add
      i32.const -8388608
      i32.add
      return
    end
    block (;@1;)
      local.get 6
      local.get 5
      local.get 2
      i32.add
      local.tee 0
      i32.const 134217727
      i32.gt_u
      local.tee 1
      i32.add
      local.tee 2
      i32.const 255
      i32.lt_u
      br_if 0 (;@1;)
      local.get 3
      i32.const 2139095040
      i32.or
      return
    end
    local.get 3
    local.get 2
    i32.const 23
    i32.shl
    i32.add
    local.get 0
    i32.const 1
    i32.shr_u
    local.get 5
    i32.const 1
    i32.and
    i32.or
    local.get 0
    local.get 1
    select
    local.tee 0
    local.get 0
    i32.const 3
    i32.shr_u
    i32.const 1
    i32.and
    i32.add
    i32.const 3
    i32.add
    i32.const 3
    i32.shr_u
    i32.add
    i32.const -8388608
    i32.add
  )
  (func $f32_sub (;19;) (type 4) (param i32 i32) (result i32)
    local.get 0
    local.get 1
    i32.const -2147483648
    i32.xor
    call $f32_add
  )
  (func $f32_mul (;20;) (type 4) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32)
    block (;@1;)
      block (;@2;)
        local.get 0
        i32.const 23
        i32.shr_u
        i32.const 255
        i32.and
        local.tee 2
        i32.const -255
        i32.add
        i32.const -254
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const 23
        i32.shr_u
        i32.const 255
        i32.and
        local.tee 3
        i32.const -255
        i32.add
        i32.const -255
        i32.gt_u
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 1
      call 21
      return
    end
    local.get 1
    i32.const 5
    i32.shl
    local.tee 4
    i32.const 65504
    i32.and
    local.tee 5
    local.get 0
    i32.const 8
    i32.shl
    local.tee 6
    i32.const 65280
    i32.and
    local.tee 7
    i32.mul
    i32.const 16
    i32.shr_u
    local.get 6
    i32.const -2147483648
    i32.or
    local.tee 6
    i32.const 16
    i32.shr_u
    local.tee 8
    local.get 5
    i32.mul
    i32.add
    local.set 5
    local.get 4
    i32.const 268435424
    i32.and
    i32.const 268435456
    i32.or
    local.tee 9
    local.get 6
    i32.mul
    local.set 4
    local.get 3
    local.get 2
    i32.add
    local.set 2
    local.get 1
    local.get 0
    i32.xor
    local.set 3
    block (;@1;)
      block (;@2;)
        local.get 5
        i32.const 16
        i32.shr_u
        local.get 9
        i32.const 16
        i32.shr_u
        local.tee 0
        local.get 8
        i32.mul
        i32.add
        local.get 5
        i32.const 65280
        i32.and
        local.get 0
        local.get 7
        i32.mul
        i32.add
        i32.const 16
        i32.shr_u
        i32.add
        local.tee 1
        i32.const 268435456
        i32.lt_u
        br_if 0 (;@2;)
        local.get 2
        i32.const -126
        i32.add
        local.set 0
        br 1 (;@1;)
      end
      local.get 1
      i32.const 1
      i32.shl
      local.get 4
      i32.const 31
      i32.shr_u
      i32.or
      local.set 1
      local.get 4
      i32.const 1
      i32.shl
      local.set 4
      local.get 2
      i32.const -127
      i32.add
      local.set 0
    end
    local.get 3
    i32.const -2147483648
    i32.and
    local.set 5
    local.get 1
    i32.const 2
    i32.shr_u
    local.get 1
    i32.const 3
    i32.and
    local.get 4
    i32.or
    i32.const 0
    i32.ne
    i32.or
    local.set 1
    block (;@1;)
      block (;@2;)
        block (;@3;)
          block (;@4;)
            local.get 0
            i32.const 0
            i32.gt_s
            br_if 0 (;@4;)
            i32.const 1
            local.get 0
            i32.sub
            local.tee 0
            i32.const 32
            i32.lt_u
            br_if 1 (;@3;)
            local.get 1
            i32.const 0
            i32.ne
            local.set 1
            br 2 (;@2;)
          end
          local.get 0
          i32.const 255
          i32.lt_u
          br_if 2 (;@1;)
          local.get 5
          i32.const 2139095040
          i32.or
          return
        end
        local.get 1
        local.get 0
        i32.shr_u
        local.get 1
        i32.const 1
        i32.shl
        local.get 0
        i32.const 31
        i32.xor
        i32.shl
        i32.const 0
        i32.ne
        i32.or
        local.set 1
      end
      i32.const 1
      local.set 0
    end
    local.get 5
    local.get 0
    i32.const 23
    i32.shl
    i32.add
    local.get 1
    local.get 1
    i32.const 3
    i32.shr_u
    i32.const 1
    i32.and
    i32.add
    i32.const 3
    i32.add
    i32.const 3
    i32.shr_u
    i32.add
    i32.const -8388608
    i32.add
  )
  (func (@name "mul_special") (;21;) (type 4) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32)
    local.get 1
    local.get 0
    i32.xor
    i32.const -2147483648
    i32.and
    local.set 2
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 0
          i32.const 23
          i32.shr_u
          i32.const 255
          i32.and
          local.tee 3
          i32.const 255
          i32.eq
          br_if 0 (;@3;)
          local.get 1
          i32.const 23
          i32.shr_u
          i32.const 255
          i32.and
          local.tee 4
          i32.const 255
          i32.ne
          br_if 1 (;@2;)
        end
        i32.const 2143289344
        local.set 3
        local.get 0
        i32.const 2147483647
        i32.and
        i32.eqz
        br_if 1 (;@1;)
        local.get 0
        i32.const 1
        i32.shl
        i32.const -16777216
        i32.gt_u
        br_if 1 (;@1;)
        local.get 1
        i32.const 1
        i32.shl
        i32.const -16777216
        i32.gt_u
        br_if 1 (;@1;)
        local.get 2
        i32.const 2139095040
        i32.or
        i32.const 2143289344
        local.get 1
        i32.const 2147483647
        i32.and
        select
        return
      end
      block (;@2;)
        local.get 0
        i32.const 2147483647
        i32.and
        br_if 0 (;@2;)
        local.get 2
        return
      end
      block (;@2;)
        local.get 1
        i32.const 2147483647
        i32.and
        br_if 0 (;@2;)
        local.get 2
        return
      end
      local.get 0
      i32.const 8388607
      i32.and
      local.set 0
      block (;@2;)
        block (;@3;)
          local.get 3
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          i32.const 8388608
          i32.or
          local.set 5
          br 1 (;@2;)
        end
        i32.const 9
        local.get 0
        i32.clz
        local.tee 5
        i32.sub
        local.set 3
        local.get 0
        local.get 5
        i32.const -8
        i32.add
        i32.shl
        local.set 5
      end
      local.get 1
      i32.const 8388607
      i32.and
      local.set 0
      block (;@2;)
        block (;@3;)
          local.get 4
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          i32.const 8388608
          i32.or
          local.set 0
          br 1 (;@2;)
        end
        i32.const 9
        local.get 0
        i32.clz
        local.tee 1
        i32.sub
        local.set 4
        local.get 0
        local.get 1
        i32.const -8
        i32.add
        i32.shl
        local.set 0
      end
      local.get 0
      i32.const 5
      i32.shl
      local.tee 1
      i32.const 65504
      i32.and
      local.tee 0
      local.get 5
      i32.const 8
      i32.shl
      local.tee 5
      i32.const 65280
      i32.and
      local.tee 6
      i32.mul
      i32.const 16
      i32.shr_u
      local.get 0
      local.get 5
      i32.const 16
      i32.shr_u
      local.tee 7
      i32.mul
      i32.add
      local.set 0
      local.get 1
      local.get 5
      i32.mul
      local.set 5
      local.get 4
      local.get 3
      i32.add
      local.set 3
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 16
          i32.shr_u
          local.tee 1
          local.get 7
          i32.mul
          local.get 0
          i32.const 16
          i32.shr_u
          i32.add
          local.get 1
          local.get 6
          i32.mul
          local.get 0
          i32.const 65535
          i32.and
          i32.add
          i32.const 16
          i32.shr_u
          i32.add
          local.tee 1
          i32.const 268435456
          i32.lt_u
          br_if 0 (;@3;)
          local.get 3
          i32.const -126
          i32.add
          local.set 0
          br 1 (;@2;)
        end
        local.get 1
        i32.const 1
        i32.shl
        local.get 5
        i32.const 31
        i32.shr_u
        i32.or
        local.set 1
        local.get 5
        i32.const 1
        i32.shl
        local.set 5
        local.get 3
        i32.const -127
        i32.add
        local.set 0
      end
      local.get 1
      i32.const 2
      i32.shr_u
      local.get 1
      i32.const 3
      i32.and
      local.get 5
      i32.or
      i32.const 0
      i32.ne
      i32.or
      local.set 1
      block (;@2;)
        block (;@3;)
          block (;@4;)
            block (;@5;)
              local.get 0
              i32.const 0
              i32.gt_s
              br_if 0 (;@5;)
              i32.const 1
              local.get 0
              i32.sub
              local.tee 0
              i32.const 32
              i32.lt_u
              br_if 1 (;@4;)
              local.get 1
              i32.const 0
              i32.ne
              local.set 1
              br 2 (;@3;)
            end
            local.get 0
            i32.const 255
            i32.lt_u
            br_if 2 (;@2;)
            local.get 2
            i32.const 2139095040
            i32.or
            return
          end
          local.get 1
          local.get 0
          i32.shr_u
          local.get 1
          i32.const 1
          i32.shl
          local.get 0
          i32.const 31
          i32.xor
          i32.shl
          i32.const 0
          i32.ne
          i32.or
          local.set 1
        end
        i32.const 1
        local.set 0
      end
      local.get 2
      local.get 0
      i32.const 23
      i32.shl
      i32.add
      local.get 1
      local.get 1
      i32.const 3
      i32.shr_u
      i32.const 1
      i32.and
      i32.add
      i32.const 3
      i32.add
      i32.const 3
      i32.shr_u
      i32.add
      i32.const -8388608
      i32.add
      local.set 3
    end
    local.get 3
  )
  (func $f32_div (;22;) (type 4) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32)
    local.get 1
    i32.const 23
    i32.shr_u
    i32.const 255
    i32.and
    local.set 2
    local.get 1
    local.get 0
    i32.xor
    i32.const -2147483648
    i32.and
    local.set 3
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 0
          i32.const 23
          i32.shr_u
          i32.const 255
          i32.and
          local.tee 4
          i32.const 255
          i32.eq
          br_if 0 (;@3;)
          local.get 2
          i32.const 255
          i32.ne
          br_if 1 (;@2;)
        end
        i32.const 2143289344
        local.set 5
        local.get 0
        i32.const 1
        i32.shl
        i32.const -16777216
        i32.gt_u
        br_if 1 (;@1;)
        local.get 1
        i32.const 1
        i32.shl
        i32.const -16777216
        i32.gt_u
        br_if 1 (;@1;)
        local.get 4
        local.get 2
        i32.eq
        br_if 1 (;@1;)
        local.get 3
        i32.const 2139095040
        i32.or
        local.get 3
        local.get 4
        i32.const 255
        i32.eq
        select
        return
      end
      local.get 0
      i32.const 2147483647
      i32.and
      local.set 5
      block (;@2;)
        local.get 1
        i32.const 2147483647
        i32.and
        br_if 0 (;@2;)
        local.get 3
        i32.const 2139095040
        i32.or
        i32.const 2143289344
        local.get 5
        select
        return
      end
      block (;@2;)
        local.get 5
        br_if 0 (;@2;)
        local.get 3
        return
      end
      local.get 0
      i32.const 8388607
      i32.and
      local.set 0
      block (;@2;)
        block (;@3;)
          local.get 4
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          i32.const 8388608
          i32.or
          local.set 5
          br 1 (;@2;)
        end
        i32.const 9
        local.get 0
        i32.clz
        local.tee 5
        i32.sub
        local.set 4
        local.get 0
        local.get 5
        i32.const -8
        i32.add
        i32.shl
        local.set 5
      end
      local.get 1
      i32.const 8388607
      i32.and
      local.set 0
      block (;@2;)
        block (;@3;)
          local.get 2
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          i32.const 8388608
          i32.or
          local.set 0
          br 1 (;@2;)
        end
        i32.const 9
        local.get 0
        i32.clz
        local.tee 1
        i32.sub
        local.set 2
        local.get 0
        local.get 1
        i32.const -8
        i32.add
        i32.shl
        local.set 0
      end
      local.get 5
      local.get 5
      local.get 0
      i32.lt_u
      local.tee 1
      i32.shl
      i32.const 6
      i32.shl
      local.tee 5
      local.get 5
      local.get 0
      i32.div_u
      local.tee 5
      local.get 0
      i32.mul
      i32.sub
      i32.const 8
      i32.shl
      local.tee 6
      local.get 0
      i32.div_u
      local.tee 7
      i32.const 8
      i32.shl
      local.get 5
      i32.const 16
      i32.shl
      i32.or
      local.get 6
      local.get 7
      local.get 0
      i32.mul
      i32.sub
      i32.const 8
      i32.shl
      local.tee 5
      local.get 0
      i32.div_u
      local.tee 6
      i32.or
      i32.const 4
      i32.shl
      local.get 5
      local.get 6
      local.get 0
      i32.mul
      i32.sub
      i32.const 4
      i32.shl
      local.tee 5
      local.get 5
      local.get 0
      i32.div_u
      local.tee 5
      local.get 0
      i32.mul
      i32.ne
      i32.or
      local.get 5
      i32.or
      local.set 0
      block (;@2;)
        block (;@3;)
          block (;@4;)
            block (;@5;)
              local.get 4
              local.get 2
              i32.sub
              i32.const 126
              i32.const 127
              local.get 1
              select
              i32.add
              local.tee 1
              i32.const 0
              i32.gt_s
              br_if 0 (;@5;)
              i32.const 1
              local.get 1
              i32.sub
              local.tee 1
              i32.const 32
              i32.lt_u
              br_if 1 (;@4;)
              local.get 0
              i32.const 0
              i32.ne
              local.set 0
              br 2 (;@3;)
            end
            local.get 1
            i32.const 255
            i32.lt_u
            br_if 2 (;@2;)
            local.get 3
            i32.const 2139095040
            i32.or
            return
          end
          local.get 0
          local.get 1
          i32.shr_u
          local.get 0
          i32.const 1
          i32.shl
          local.get 1
          i32.const 31
          i32.xor
          i32.shl
          i32.const 0
          i32.ne
          i32.or
          local.set 0
        end
        i32.const 1
        local.set 1
      end
      local.get 3
      local.get 1
      i32.const 23
      i32.shl
      i32.add
      local.get 0
      local.get 0
      i32.const 3
      i32.shr_u
      i32.const 1
      i32.and
      i32.add
      i32.const 3
      i32.add
      i32.const 3
      i32.shr_u
      i32.add
      i32.const -8388608
      i32.add
      local.set 5
    end
    local.get 5
  )
  (func $f32_sqrt (;23;) (type 5) (param i32) (result i32)
    (local i32 i32 i32 i32 i32 i32)
    block (;@1;)
      local.get 0
      i32.const 2147483647
      i32.and
      br_if 0 (;@1;)
      local.get 0
      return
    end
    i32.const 2143289344
    local.set 1
    block (;@1;)
      local.get 0
      i32.const 2139095040
      i32.gt_u
      br_if 0 (;@1;)
      block (;@2;)
        local.get 0
        i32.const 23
        i32.shr_u
        local.tee 2
        i32.const 255
        i32.ne
        br_if 0 (;@2;)
        local.get 0
        return
      end
      local.get 0
      i32.const 8388607
      i32.and
      local.set 0
      block (;@2;)
        block (;@3;)
          local.get 2
          i32.eqz
          br_if 0 (;@3;)
          local.get 0
          i32.const 8388608
          i32.or
          local.set 0
          br 1 (;@2;)
        end
        i32.const 9
        local.get 0
        i32.clz
        local.tee 1
        i32.sub
        local.set 2
        local.get 0
        local.get 1
        i32.const -8
        i32.add
        i32.shl
        local.set 0
      end
      local.get 0
      i32.const 8
      local.get 2
      i32.const 1
      i32.and
      i32.sub
      i32.shl
      local.tee 3
      i32.const 17
      i32.shr_u
      i32.const 21845
      i32.mul
      i32.const 16
      i32.shr_u
      i32.const 5800
      i32.add
      local.tee 0
      local.get 3
      i32.const 4
      i32.shr_u
      local.tee 4
      local.get 0
      i32.div_u
      i32.add
      i32.const 1
      i32.shr_u
      local.tee 0
      local.get 4
      local.get 0
      i32.div_u
      i32.add
      local.tee 0
      i32.const 1
      i32.shr_u
      local.set 5
      local.get 0
      i32.const 536870910
      i32.and
      i32.const 2
      i32.add
      local.set 1
      loop (;@2;)
        local.get 1
        i32.const -2
        i32.add
        local.set 1
        local.get 5
        local.tee 0
        i32.const -1
        i32.add
        local.set 5
        local.get 4
        local.get 0
        local.get 0
        i32.mul
        local.tee 6
        i32.lt_u
        br_if 0 (;@2;)
      end
      local.get 4
      local.get 6
      i32.sub
      local.tee 4
      i32.const 13
      i32.shl
      local.get 3
      i32.const 22
      i32.shl
      i32.const 58720256
      i32.and
      local.tee 6
      i32.const 13
      i32.shr_u
      i32.or
      local.get 1
      i32.div_u
      local.tee 1
      i32.const 8191
      local.get 1
      i32.const 8191
      i32.lt_u
      select
      local.tee 5
      local.get 0
      i32.const 13
      i32.shl
      i32.or
      local.set 1
      block (;@2;)
        local.get 4
        i32.const 26
        i32.shl
        local.get 6
        i32.or
        i32.const 0
        local.get 0
        i32.const 14
        i32.shl
        local.get 5
        i32.or
        i32.sub
        local.get 5
        i32.mul
        i32.add
        local.tee 0
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        loop (;@3;)
          local.get 0
          local.get 1
          i32.const -1
          i32.add
          local.tee 1
          i32.const 1
          i32.shl
          i32.add
          i32.const 1
          i32.add
          local.tee 0
          i32.const 0
          i32.lt_s
          br_if 0 (;@3;)
        end
      end
      local.get 2
      i32.const 22
      i32.shl
      i32.const 532676608
      i32.add
      i32.const 2139095040
      i32.and
      local.get 1
      local.get 0
      i32.const 0
      i32.ne
      i32.or
      local.get 1
      i32.const 3
      i32.shr_u
      i32.const 1
      i32.and
      i32.add
      i32.const 3
      i32.add
      i32.const 3
      i32.shr_u
      i32.add
      i32.const -8388608
      i32.add
      local.set 1
    end
    local.get 1
  )
  (func $f32_eq (;24;) (type 4) (param i32 i32) (result i32)
    (local i32)
    i32.const 0
    local.set 2
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      i32.eq
      local.get 1
      local.get 0
      i32.or
      i32.const 2147483647
      i32.and
      i32.eqz
      i32.or
      local.set 2
    end
    local.get 2
  )
  (func $f32_ne (;25;) (type 4) (param i32 i32) (result i32)
    (local i32)
    i32.const 1
    local.set 2
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      i32.ne
      local.get 1
      local.get 0
      i32.or
      i32.const 2147483647
      i32.and
      i32.const 0
      i32.ne
      i32.and
      local.set 2
    end
    local.get 2
  )
  (func $f32_lt (;26;) (type 4) (param i32 i32) (result i32)
    (local i32)
    i32.const 0
    local.set 2
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      block (;@2;)
        local.get 1
        local.get 0
        i32.and
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        local.get 1
        local.get 0
        i32.lt_u
        return
      end
      local.get 0
      local.get 1
      i32.lt_s
      local.get 1
      local.get 0
      i32.or
      i32.const 2147483647
      i32.and
      i32.const 0
      i32.ne
      i32.and
      local.set 2
    end
    local.get 2
  )
  (func $f32_gt (;27;) (type 4) (param i32 i32) (result i32)
    (local i32)
    i32.const 0
    local.set 2
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      block (;@2;)
        local.get 1
        local.get 0
        i32.and
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        local.get 0
        local.get 1
        i32.lt_u
        return
      end
      local.get 1
      local.get 0
      i32.lt_s
      local.get 1
      local.get 0
      i32.or
      i32.const 2147483647
      i32.and
      i32.const 0
      i32.ne
      i32.and
      local.set 2
    end
    local.get 2
  )
  (func $f32_le (;28;) (type 4) (param i32 i32) (result i32)
    (local i32)
    i32.const 0
    local.set 2
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          local.get 0
          i32.and
          i32.const -1
          i32.gt_s
          br_if 0 (;@3;)
          local.get 0
          local.get 1
          i32.lt_u
          local.set 0
          br 1 (;@2;)
        end
        local.get 1
        local.get 0
        i32.lt_s
        local.get 1
        local.get 0
        i32.or
        i32.const 2147483647
        i32.and
        i32.const 0
        i32.ne
        i32.and
        local.set 0
      end
      local.get 0
      i32.const 1
      i32.xor
      local.set 2
    end
    local.get 2
  )
  (func $f32_ge (;29;) (type 4) (param i32 i32) (result i32)
    (local i32)
    i32.const 0
    local.set 2
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          local.get 0
          i32.and
          i32.const -1
          i32.gt_s
          br_if 0 (;@3;)
          local.get 1
          local.get 0
          i32.lt_u
          local.set 0
          br 1 (;@2;)
        end
        local.get 0
        local.get 1
        i32.lt_s
        local.get 1
        local.get 0
        i32.or
        i32.const 2147483647
        i32.and
        i32.const 0
        i32.ne
        i32.and
        local.set 0
      end
      local.get 0
      i32.const 1
      i32.xor
      local.set 2
    end
    local.get 2
  )
  (func $f32_min (;30;) (type 4) (param i32 i32) (result i32)
    (local i32)
    i32.const 2143289344
    local.set 2
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 1
      local.get 0
      i32.or
      local.tee 2
      i32.const 2147483647
      i32.and
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      local.get 0
      local.get 1
      local.get 0
      i32.ge_u
      local.get 0
      local.get 1
      i32.ge_s
      local.get 1
      local.get 0
      i32.and
      i32.const 0
      i32.lt_s
      select
      select
      local.set 2
    end
    local.get 2
  )
  (func $f32_max (;31;) (type 4) (param i32 i32) (result i32)
    (local i32)
    i32.const 2143289344
    local.set 2
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      local.get 1
      local.get 0
      i32.and
      local.set 2
      local.get 1
      local.get 0
      i32.or
      i32.const 2147483647
      i32.and
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      local.get 1
      local.get 0
      i32.ge_u
      local.get 0
      local.get 1
      i32.ge_s
      local.get 2
      i32.const 0
      i32.lt_s
      select
      select
      local.set 2
    end
    local.get 2
  )
  (func $f32_trunc (;32;) (type 5) (param i32) (result i32)
    (local i32)
    block (;@1;)
      local.get 0
      i32.const 23
      i32.shr_u
      i32.const 255
      i32.and
      local.tee 1
      i32.const 150
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 2143289344
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777215
      i32.lt_u
      select
      return
    end
    block (;@1;)
      local.get 1
      i32.const 127
      i32.ge_u
      br_if 0 (;@1;)
      local.get 0
      i32.const -2147483648
      i32.and
      return
    end
    local.get 0
    i32.const 0
    i32.const 8388608
    local.get 1
    i32.const -127
    i32.add
    i32.shr_u
    i32.sub
    i32.and
  )
  (func $f32_ceil (;33;) (type 5) (param i32) (result i32)
    (local i32 i32)
    block (;@1;)
      local.get 0
      i32.const 23
      i32.shr_u
      i32.const 255
      i32.and
      local.tee 1
      i32.const 150
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 2143289344
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777215
      i32.lt_u
      select
      return
    end
    block (;@1;)
      local.get 1
      i32.const 126
      i32.gt_u
      br_if 0 (;@1;)
      i32.const -2147483648
      i32.const 1065353216
      local.get 0
      i32.const 0
      i32.lt_s
      select
      local.get 0
      local.get 0
      i32.const 2147483647
      i32.and
      select
      return
    end
    local.get 0
    i32.const 8388608
    local.get 1
    i32.const -127
    i32.add
    i32.shr_u
    local.tee 1
    i32.const -1
    i32.add
    local.get 0
    i32.and
    local.tee 2
    i32.sub
    i32.const 0
    local.get 1
    i32.const 0
    local.get 2
    select
    local.get 0
    i32.const 0
    i32.lt_s
    select
    i32.add
  )
  (func $f32_floor (;34;) (type 5) (param i32) (result i32)
    (local i32 i32)
    block (;@1;)
      local.get 0
      i32.const 23
      i32.shr_u
      i32.const 255
      i32.and
      local.tee 1
      i32.const 150
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 2143289344
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777215
      i32.lt_u
      select
      return
    end
    block (;@1;)
      local.get 1
      i32.const 126
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i32.const -1082130432
      local.get 0
      i32.const -1
      i32.gt_s
      select
      local.get 0
      local.get 0
      i32.const 2147483647
      i32.and
      select
      return
    end
    local.get 0
    i32.const 8388608
    local.get 1
    i32.const -127
    i32.add
    i32.shr_u
    local.tee 1
    i32.const -1
    i32.add
    local.get 0
    i32.and
    local.tee 2
    i32.sub
    i32.const 0
    local.get 1
    i32.const 0
    local.get 2
    select
    local.get 0
    i32.const -1
    i32.gt_s
    select
    i32.add
  )
  (func $f32_nearest (;35;) (type 5) (param i32) (result i32)
    (local i32 i32 i32 i32 i32)
    block (;@1;)
      local.get 0
      i32.const 23
      i32.shr_u
      i32.const 255
      i32.and
      local.tee 1
      i32.const 150
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 2143289344
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777215
      i32.lt_u
      select
      return
    end
    local.get 1
    i32.const -127
    i32.add
    local.set 2
    block (;@1;)
      block (;@2;)
        local.get 1
        i32.const 126
        i32.gt_u
        br_if 0 (;@2;)
        block (;@3;)
          local.get 0
          i32.const 2147483647
          i32.and
          br_if 0 (;@3;)
          local.get 0
          return
        end
        local.get 0
        i32.const -2147483648
        i32.and
        local.set 1
        local.get 2
        i32.const -1
        i32.ne
        br_if 1 (;@1;)
        local.get 0
        i32.const 8388607
        i32.and
        i32.eqz
        br_if 1 (;@1;)
        local.get 1
        i32.const 1065353216
        i32.or
        return
      end
      local.get 0
      i32.const 8388608
      local.get 2
      i32.shr_u
      local.tee 1
      i32.const -1
      i32.add
      local.get 0
      i32.and
      local.tee 3
      i32.sub
      local.set 4
      block (;@2;)
        local.get 3
        i32.const 4194304
        local.get 2
        i32.shr_u
        local.tee 5
        i32.gt_u
        br_if 0 (;@2;)
        block (;@3;)
          local.get 3
          local.get 5
          i32.ne
          br_if 0 (;@3;)
          local.get 2
          i32.const 0
          i32.ne
          local.get 1
          local.get 0
          i32.and
          i32.eqz
          i32.and
          i32.const 1
          i32.ne
          br_if 1 (;@2;)
        end
        i32.const 0
        local.set 1
      end
      local.get 4
      local.get 1
      i32.add
      local.set 1
    end
    local.get 1
  )
  (func $f32_from_u32 (;36;) (type 5) (param i32) (result i32)
    (local i32)
    block (;@1;)
      local.get 0
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    local.get 0
    local.get 0
    i32.clz
    local.tee 1
    i32.shl
    local.tee 0
    i32.const 8
    i32.shr_u
    i32.const 1
    i32.and
    local.get 0
    i32.const 5
    i32.shr_u
    local.get 0
    i32.const 31
    i32.and
    i32.const 0
    i32.ne
    i32.or
    i32.add
    i32.const 3
    i32.add
    i32.const 3
    i32.shr_u
    local.get 1
    i32.const 23
    i32.shl
    i32.sub
    i32.const 1317011456
    i32.add
  )
  (func $f32_from_i32 (;37;) (type 5) (param i32) (result i32)
    (local i32 i32)
    i32.const 0
    local.set 1
    block (;@1;)
      i32.const 0
      local.get 0
      i32.sub
      local.get 0
      local.get 0
      i32.const -2147483648
      i32.and
      local.tee 2
      select
      local.tee 0
      i32.eqz
      br_if 0 (;@1;)
      local.get 2
      i32.const 1317011456
      i32.or
      local.get 0
      i32.clz
      local.tee 1
      i32.const 23
      i32.shl
      i32.sub
      local.get 0
      local.get 1
      i32.shl
      local.tee 0
      i32.const 8
      i32.shr_u
      i32.const 1
      i32.and
      local.get 0
      i32.const 5
      i32.shr_u
      local.get 0
      i32.const 31
      i32.and
      i32.const 0
      i32.ne
      i32.or
      i32.add
      i32.const 3
      i32.add
      i32.const 3
      i32.shr_u
      i32.add
      local.set 1
    end
    local.get 1
  )
  (func $f32_from_u64 (;38;) (type 4) (param i32 i32) (result i32)
    (local i32)
    block (;@1;)
      local.get 1
      local.get 0
      i32.or
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    block (;@1;)
      block (;@2;)
        local.get 1
        i32.clz
        local.get 0
        i32.clz
        i32.const 32
        i32.add
        local.get 1
        select
        local.tee 2
        i32.const 32
        i32.and
        i32.eqz
        br_if 0 (;@2;)
        local.get 0
        local.get 2
        i32.shl
        local.set 1
        i32.const 0
        local.set 0
        br 1 (;@1;)
      end
      local.get 0
      i32.const 1
      i32.shr_u
      local.get 2
      i32.const -1
      i32.xor
      i32.shr_u
      local.get 1
      local.get 2
      i32.shl
      i32.or
      local.set 1
      local.get 0
      local.get 2
      i32.shl
      local.set 0
    end
    local.get 1
    i32.const 8
    i32.shr_u
    i32.const 1
    i32.and
    local.get 1
    i32.const 5
    i32.shr_u
    local.get 1
    i32.const 31
    i32.and
    local.get 0
    i32.or
    i32.const 0
    i32.ne
    i32.or
    i32.add
    i32.const 3
    i32.add
    i32.const 3
    i32.shr_u
    local.get 2
    i32.const 23
    i32.shl
    i32.sub
    i32.const 1585446912
    i32.add
  )
  (func $f32_from_i64 (;39;) (type 4) (param i32 i32) (result i32)
    (local i32 i32 i32)
    i32.const 0
    local.set 2
    block (;@1;)
      i32.const 0
      local.get 0
      i32.sub
      local.get 0
      local.get 1
      i32.const -2147483648
      i32.and
      local.tee 3
      select
      local.tee 4
      i32.const -1
      i32.const 0
      local.get 0
      select
      local.get 1
      i32.sub
      local.get 1
      local.get 3
      select
      local.tee 1
      i32.or
      i32.eqz
      br_if 0 (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.clz
          local.get 4
          i32.clz
          i32.const 32
          i32.add
          local.get 1
          select
          local.tee 0
          i32.const 32
          i32.and
          i32.eqz
          br_if 0 (;@3;)
          local.get 4
          local.get 0
          i32.shl
          local.set 1
          i32.const 0
          local.set 2
          br 1 (;@2;)
        end
        local.get 4
        i32.const 1
        i32.shr_u
        local.get 0
        i32.const -1
        i32.xor
        i32.shr_u
        local.get 1
        local.get 0
        i32.shl
        i32.or
        local.set 1
        local.get 4
        local.get 0
        i32.shl
        local.set 2
      end
      local.get 3
      i32.const 1585446912
      i32.or
      local.get 0
      i32.const 23
      i32.shl
      i32.sub
      local.get 1
      i32.const 8
      i32.shr_u
      i32.const 1
      i32.and
      local.get 1
      i32.const 5
      i32.shr_u
      local.get 1
      i32.const 31
      i32.and
      local.get 2
      i32.or
      i32.const 0
      i32.ne
      i32.or
      i32.add
      i32.const 3
      i32.add
      i32.const 3
      i32.shr_u
      i32.add
      local.set 2
    end
    local.get 2
  )
  (func $f32_demote (;40;) (type 4) (param i32 i32) (result i32)
    (local i32 i32 i32)
    local.get 1
    i32.const 1048575
    i32.and
    local.set 2
    local.get 1
    i32.const -2147483648
    i32.and
    local.set 3
    block (;@1;)
      local.get 1
      i32.const 20
      i32.shr_u
      i32.const 2047
      i32.and
      local.tee 1
      i32.const 2047
      i32.ne
      br_if 0 (;@1;)
      i32.const 2143289344
      local.get 3
      i32.const 2139095040
      i32.or
      local.get 2
      local.get 0
      i32.or
      select
      return
    end
    local.get 2
    i32.const 6
    i32.shl
    local.get 0
    i32.const 26
    i32.shr_u
    i32.or
    local.get 0
    i32.const 67108863
    i32.and
    i32.const 0
    i32.ne
    i32.or
    local.tee 0
    i32.const 67108864
    i32.or
    local.tee 2
    local.get 0
    local.get 1
    select
    local.set 0
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 896
          i32.gt_u
          br_if 0 (;@3;)
          local.get 1
          i32.const 865
          i32.gt_u
          br_if 1 (;@2;)
          local.get 0
          i32.const 0
          i32.ne
          local.set 0
          i32.const 1
          local.set 4
          br 2 (;@1;)
        end
        block (;@3;)
          local.get 1
          i32.const 1151
          i32.ge_u
          br_if 0 (;@3;)
          local.get 1
          i32.const -896
          i32.add
          local.set 4
          br 2 (;@1;)
        end
        local.get 3
        i32.const 2139095040
        i32.or
        return
      end
      i32.const 1
      local.set 4
      local.get 2
      i32.const 897
      local.get 1
      i32.sub
      local.tee 1
      i32.shr_u
      local.get 2
      i32.const 1
      i32.shl
      local.get 1
      i32.const 31
      i32.xor
      i32.shl
      i32.const 0
      i32.ne
      i32.or
      local.set 0
    end
    local.get 3
    local.get 4
    i32.const 23
    i32.shl
    i32.add
    local.get 0
    local.get 0
    i32.const 3
    i32.shr_u
    i32.const 1
    i32.and
    i32.add
    i32.const 3
    i32.add
    i32.const 3
    i32.shr_u
    i32.add
    i32.const -8388608
    i32.add
  )
  (func $f32_trunc_i32_u (;41;) (type 5) (param i32) (result i32)
    (local i32)
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 0
          i32.const 23
          i32.shr_u
          i32.const 255
          i32.and
          local.tee 1
          i32.const 158
          i32.gt_u
          br_if 0 (;@3;)
          local.get 0
          i32.const -1
          i32.gt_s
          br_if 1 (;@2;)
          local.get 1
          i32.const 127
          i32.lt_u
          br_if 1 (;@2;)
        end
        local.get 0
        i32.const 1
        i32.shl
        i32.const -16777215
        i32.ge_u
        br_if 1 (;@1;)
        call $trap_overflow
        unreachable
      end
      i32.const 0
      local.get 0
      i32.const 8
      i32.shl
      i32.const -2147483648
      i32.or
      i32.const 158
      local.get 1
      i32.sub
      i32.shr_u
      local.get 1
      i32.const 127
      i32.lt_u
      select
      return
    end
    call $trap_conversion
    unreachable
  )
  (func $f32_trunc_i32_s (;42;) (type 5) (param i32) (result i32)
    (local i32)
    local.get 0
    i32.const 23
    i32.shr_u
    i32.const 255
    i32.and
    local.set 1
    block (;@1;)
      block (;@2;)
        local.get 0
        i32.const -822083584
        i32.eq
        br_if 0 (;@2;)
        local.get 1
        i32.const 158
        i32.lt_u
        br_if 0 (;@2;)
        local.get 0
        i32.const 1
        i32.shl
        i32.const -16777215
        i32.ge_u
        br_if 1 (;@1;)
        call $trap_overflow
        unreachable
      end
      i32.const 0
      i32.const 0
      local.get 0
      i32.const 8
      i32.shl
      i32.const -2147483648
      i32.or
      i32.const 158
      local.get 1
      i32.sub
      i32.shr_u
      local.get 1
      i32.const 127
      i32.lt_u
      select
      local.tee 1
      i32.sub
      local.get 1
      local.get 0
      i32.const 0
      i32.lt_s
      select
      return
    end
    call $trap_conversion
    unreachable
  )
  (func $f32_trunc_i64_u (;43;) (type 6) (param i32) (result i32 i32)
    (local i32 i32 i32)
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 0
          i32.const 23
          i32.shr_u
          i32.const 255
          i32.and
          local.tee 1
          i32.const 190
          i32.gt_u
          br_if 0 (;@3;)
          local.get 0
          i32.const -1
          i32.gt_s
          br_if 1 (;@2;)
          local.get 1
          i32.const 127
          i32.lt_u
          br_if 1 (;@2;)
        end
        local.get 0
        i32.const 1
        i32.shl
        i32.const -16777215
        i32.ge_u
        br_if 1 (;@1;)
        call $trap_overflow
        unreachable
      end
      local.get 0
      i32.const 8
      i32.shl
      i32.const -2147483648
      i32.or
      local.set 0
      block (;@2;)
        local.get 1
        i32.const 158
        i32.gt_u
        br_if 0 (;@2;)
        i32.const 0
        local.get 0
        i32.const 158
        local.get 1
        i32.sub
        i32.shr_u
        local.get 1
        i32.const 127
        i32.lt_u
        select
        i32.const 0
        return
      end
      i32.const 0
      local.set 2
      block (;@2;)
        local.get 1
        i32.const -158
        i32.add
        local.tee 3
        i32.const 32
        i32.eq
        br_if 0 (;@2;)
        local.get 0
        local.get 3
        i32.shl
        local.set 2
        local.get 0
        i32.const 190
        local.get 1
        i32.sub
        i32.shr_u
        local.set 0
      end
      local.get 2
      local.get 0
      return
    end
    call $trap_conversion
    unreachable
  )
  (func $f32_trunc_i64_s (;44;) (type 6) (param i32) (result i32 i32)
    (local i32 i32 i32 i32)
    local.get 0
    i32.const 23
    i32.shr_u
    i32.const 255
    i32.and
    local.set 1
    block (;@1;)
      block (;@2;)
        local.get 0
        i32.const -553648128
        i32.eq
        br_if 0 (;@2;)
        local.get 1
        i32.const 190
        i32.lt_u
        br_if 0 (;@2;)
        local.get 0
        i32.const 1
        i32.shl
        i32.const -16777215
        i32.ge_u
        br_if 1 (;@1;)
        call $trap_overflow
        unreachable
      end
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 158
          i32.gt_u
          br_if 0 (;@3;)
          i32.const 0
          local.set 2
          i32.const 0
          local.get 0
          i32.const 8
          i32.shl
          i32.const -2147483648
          i32.or
          i32.const 158
          local.get 1
          i32.sub
          i32.shr_u
          local.get 1
          i32.const 127
          i32.lt_u
          select
          local.set 3
          br 1 (;@2;)
        end
        local.get 0
        i32.const 8
        i32.shl
        i32.const -2147483648
        i32.or
        local.set 2
        i32.const 0
        local.set 3
        local.get 1
        i32.const -158
        i32.add
        local.tee 4
        i32.const 32
        i32.eq
        br_if 0 (;@2;)
        local.get 2
        local.get 4
        i32.shl
        local.set 3
        local.get 2
        i32.const 190
        local.get 1
        i32.sub
        i32.shr_u
        local.set 2
      end
      block (;@2;)
        local.get 0
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        i32.const -1
        i32.const 0
        local.get 3
        select
        local.get 2
        i32.sub
        local.set 2
        i32.const 0
        local.get 3
        i32.sub
        local.set 3
      end
      local.get 3
      local.get 2
      return
    end
    call $trap_conversion
    unreachable
  )
  (func $f32_sat_i32_u (;45;) (type 5) (param i32) (result i32)
    (local i32)
    i32.const 0
    local.set 1
    block (;@1;)
      local.get 0
      i32.const 0
      i32.lt_s
      br_if 0 (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      i32.const -1
      local.set 1
      local.get 0
      i32.const 1333788671
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      local.set 1
      local.get 0
      i32.const 1065353216
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 8
      i32.shl
      i32.const -2147483648
      i32.or
      i32.const 158
      local.get 0
      i32.const 23
      i32.shr_u
      i32.sub
      i32.shr_u
      local.set 1
    end
    local.get 1
  )
  (func $f32_sat_i32_s (;46;) (type 5) (param i32) (result i32)
    (local i32)
    i32.const 0
    local.set 1
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      block (;@2;)
        local.get 0
        i32.const 23
        i32.shr_u
        i32.const 255
        i32.and
        local.tee 1
        i32.const 158
        i32.lt_u
        br_if 0 (;@2;)
        local.get 0
        i32.const 31
        i32.shr_u
        i32.const 2147483647
        i32.add
        return
      end
      i32.const 0
      i32.const 0
      local.get 0
      i32.const 8
      i32.shl
      i32.const -2147483648
      i32.or
      i32.const 158
      local.get 1
      i32.sub
      i32.shr_u
      local.get 1
      i32.const 127
      i32.lt_u
      select
      local.tee 1
      i32.sub
      local.get 1
      local.get 0
      i32.const 0
      i32.lt_s
      select
      local.set 1
    end
    local.get 1
  )
  (func $f32_sat_i64_u (;47;) (type 6) (param i32) (result i32 i32)
    (local i32 i32 i32)
    block (;@1;)
      local.get 0
      i32.const 0
      i32.ge_s
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      return
    end
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.le_u
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      return
    end
    i32.const -1
    local.set 1
    i32.const -1
    local.set 2
    block (;@1;)
      local.get 0
      i32.const 1602224127
      i32.gt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 23
      i32.shr_u
      local.set 3
      block (;@2;)
        local.get 0
        i32.const 1333788671
        i32.gt_u
        br_if 0 (;@2;)
        i32.const 0
        local.get 0
        i32.const 8
        i32.shl
        i32.const -2147483648
        i32.or
        i32.const 158
        local.get 3
        i32.sub
        i32.shr_u
        local.get 0
        i32.const 1065353216
        i32.lt_u
        select
        i32.const 0
        return
      end
      local.get 0
      i32.const 8
      i32.shl
      i32.const -2147483648
      i32.or
      local.set 2
      block (;@2;)
        local.get 3
        i32.const -158
        i32.add
        local.tee 0
        i32.const 32
        i32.ne
        br_if 0 (;@2;)
        i32.const 0
        local.get 2
        return
      end
      local.get 2
      local.get 0
      i32.shl
      local.set 1
      local.get 2
      i32.const 190
      local.get 3
      i32.sub
      i32.shr_u
      local.set 2
    end
    local.get 1
    local.get 2
  )
  (func $f32_sat_i64_s (;48;) (type 6) (param i32) (result i32 i32)
    (local i32 i32 i32)
    i32.const 0
    local.set 1
    i32.const 0
    local.set 2
    block (;@1;)
      local.get 0
      i32.const 1
      i32.shl
      i32.const -16777216
      i32.gt_u
      br_if 0 (;@1;)
      block (;@2;)
        local.get 0
        i32.const 23
        i32.shr_u
        i32.const 255
        i32.and
        local.tee 1
        i32.const 190
        i32.lt_u
        br_if 0 (;@2;)
        local.get 0
        i32.const 31
        i32.shr_u
        local.tee 0
        i32.const -1
        i32.add
        local.get 0
        i32.const 2147483647
        i32.add
        return
      end
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 158
          i32.gt_u
          br_if 0 (;@3;)
          i32.const 0
          local.set 2
          i32.const 0
          local.get 0
          i32.const 8
          i32.shl
          i32.const -2147483648
          i32.or
          i32.const 158
          local.get 1
          i32.sub
          i32.shr_u
          local.get 1
          i32.const 127
          i32.lt_u
          select
          local.set 1
          br 1 (;@2;)
        end
        local.get 0
        i32.const 8
        i32.shl
        i32.const -2147483648
        i32.or
        local.tee 3
        i32.const 190
        local.get 1
        i32.sub
        i32.shr_u
        local.set 2
        local.get 3
        local.get 1
        i32.const -158
        i32.add
        i32.shl
        local.set 1
      end
      local.get 0
      i32.const -1
      i32.gt_s
      br_if 0 (;@1;)
      i32.const -1
      i32.const 0
      local.get 1
      select
      local.get 2
      i32.sub
      local.set 2
      i32.const 0
      local.get 1
      i32.sub
      local.set 1
    end
    local.get 1
    local.get 2
  )
  (func $f64_add (;49;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32 i32 i32 i32 i32 i32)
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 2147483647
          i32.and
          local.tee 4
          local.get 3
          i32.const 2147483647
          i32.and
          local.tee 5
          i32.ne
          br_if 0 (;@3;)
          local.get 0
          local.get 2
          i32.lt_u
          br_if 1 (;@2;)
          br 2 (;@1;)
        end
        local.get 4
        local.get 5
        i32.ge_u
        br_if 1 (;@1;)
      end
      block (;@2;)
        block (;@3;)
          local.get 4
          i32.const 20
          i32.shr_u
          local.tee 6
          i32.eqz
          br_if 0 (;@3;)
          local.get 5
          i32.const 20
          i32.shr_u
          local.tee 4
          i32.const 2047
          i32.ne
          br_if 1 (;@2;)
        end
        local.get 2
        local.get 3
        local.get 0
        local.get 1
        call 50
        return
      end
      local.get 1
      i32.const 3
      i32.shl
      local.get 0
      i32.const 29
      i32.shr_u
      i32.or
      i32.const 8388607
      i32.and
      i32.const 8388608
      i32.or
      local.set 7
      local.get 3
      i32.const 3
      i32.shl
      local.get 2
      i32.const 29
      i32.shr_u
      i32.or
      i32.const 8388607
      i32.and
      local.set 8
      local.get 0
      i32.const 3
      i32.shl
      local.set 0
      block (;@2;)
        block (;@3;)
          local.get 4
          local.get 6
          i32.ne
          br_if 0 (;@3;)
          local.get 7
          local.set 6
          br 1 (;@2;)
        end
        block (;@3;)
          local.get 4
          local.get 6
          i32.sub
          local.tee 9
          i32.const 32
          i32.lt_u
          br_if 0 (;@3;)
          block (;@4;)
            local.get 9
            i32.const 63
            i32.le_u
            br_if 0 (;@4;)
            i32.const 0
            local.set 6
            i32.const 1
            local.set 0
            br 2 (;@2;)
          end
          i32.const 0
          local.set 6
          local.get 7
          local.get 9
          i32.shr_u
          local.get 7
          i32.const 1
          i32.shl
          local.get 9
          i32.const 31
          i32.and
          i32.const 31
          i32.xor
          i32.shl
          local.get 0
          i32.or
          i32.const 0
          i32.ne
          i32.or
          local.set 0
          br 1 (;@2;)
        end
        local.get 7
        i32.const 0
        local.get 9
        i32.sub
        local.tee 6
        i32.shl
        local.get 0
        local.get 9
        i32.shr_u
        i32.or
        local.get 0
        local.get 6
        i32.shl
        i32.const 0
        i32.ne
        i32.or
        local.set 0
        local.get 7
        local.get 9
        i32.shr_u
        local.set 6
      end
      local.get 8
      i32.const 8388608
      i32.or
      local.set 7
      local.get 2
      i32.const 3
      i32.shl
      local.set 2
      local.get 3
      i32.const -2147483648
      i32.and
      local.set 8
      block (;@2;)
        local.get 3
        local.get 1
        i32.xor
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        local.get 2
        local.get 0
        i32.sub
        local.set 3
        block (;@3;)
          local.get 7
          local.get 6
          i32.sub
          local.get 2
          local.get 0
          i32.lt_u
          i32.sub
          local.tee 1
          i32.const 8388607
          i32.gt_u
          br_if 0 (;@3;)
          block (;@4;)
            local.get 1
            local.get 3
            i32.or
            br_if 0 (;@4;)
            i32.const 0
            i32.const 0
            return
          end
          block (;@4;)
            block (;@5;)
              local.get 1
              i32.clz
              i32.const -8
              i32.add
              local.get 3
              i32.clz
              i32.const 24
              i32.add
              local.get 1
              select
              local.tee 2
              local.get 4
              i32.const -1
              i32.add
              local.get 2
              local.get 4
              i32.lt_u
              select
              local.tee 2
              i32.const 32
              i32.and
              i32.eqz
              br_if 0 (;@5;)
              local.get 3
              local.get 2
              i32.shl
              local.set 1
              i32.const 0
              local.set 3
              br 1 (;@4;)
            end
            local.get 3
            i32.const 1
            i32.shr_u
            local.get 2
            i32.const -1
            i32.xor
            i32.shr_u
            local.get 1
            local.get 2
            i32.shl
            i32.or
            local.set 1
            local.get 3
            local.get 2
            i32.shl
            local.set 3
          end
          local.get 4
          local.get 2
          i32.sub
          local.tee 4
          i32.const 2047
          i32.lt_s
          br_if 0 (;@3;)
          i32.const 0
          local.get 8
          i32.const 2146435072
          i32.or
          return
        end
        local.get 1
        local.get 3
        local.get 3
        i32.const 3
        i32.shr_u
        i32.const 1
        i32.and
        i32.add
        i32.const 3
        i32.add
        local.tee 2
        local.get 3
        i32.lt_u
        i32.add
        local.tee 3
        i32.const 29
        i32.shl
        local.get 2
        i32.const 3
        i32.shr_u
        i32.or
        local.get 8
        local.get 4
        i32.const 20
        i32.shl
        i32.add
        local.get 3
        i32.const 3
        i32.shr_u
        i32.add
        i32.const -1048576
        i32.add
        return
      end
      block (;@2;)
        block (;@3;)
          local.get 6
          local.get 7
          i32.add
          local.get 0
          local.get 2
          i32.add
          local.tee 3
          local.get 0
          i32.lt_u
          i32.add
          local.tee 1
          i32.const 16777216
          i32.lt_u
          br_if 0 (;@3;)
          local.get 5
          i32.const 2145386496
          i32.ge_u
          br_if 1 (;@2;)
          local.get 1
          i32.const 31
          i32.shl
          local.get 3
          i32.const 1
          i32.shr_u
          i32.or
          local.get 0
          i32.const 1
          i32.and
          i32.or
          local.set 3
          local.get 4
          i32.const 1
          i32.add
          local.set 4
          local.get 1
          i32.const 1
          i32.shr_u
          local.set 1
        end
        local.get 1
        local.get 3
        local.get 3
        i32.const 3
        i32.shr_u
        i32.const 1
        i32.and
        i32.add
        i32.const 3
        i32.add
        local.tee 2
        local.get 3
        i32.lt_u
        i32.add
        local.tee 3
        i32.const 29
        i32.shl
        local.get 2
        i32.const 3
        i32.shr_u
        i32.or
        local.get 8
        local.get 4
        i32.const 20
        i32.shl
        i32.add
        local.get 3
        i32.const 3
        i32.shr_u
        i32.add
        i32.const -1048576
        i32.add
        return
      end
      i32.const 0
      local.get 8
      i32.const 2146435072
      i32.or
      return
    end
    block (;@1;)
      block (;@2;)
        local.get 4
        i32.const 20
        i32.shr_u
        local.tee 6
        i32.const 2047
        i32.eq
        br_if 0 (;@2;)
        local.get 5
        i32.const 20
        i32.shr_u
        local.tee 5
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 1
      local.get 2
      local.get 3
      call 50
      return
    end
    local.get 3
    i32.const 3
    i32.shl
    local.get 2
    i32.const 29
    i32.shr_u
    i32.or
    i32.const 8388607
    i32.and
    i32.const 8388608
    i32.or
    local.set 7
    local.get 1
    i32.const 3
    i32.shl
    local.get 0
    i32.const 29
    i32.shr_u
    i32.or
    i32.const 8388607
    i32.and
    local.set 8
    local.get 2
    i32.const 3
    i32.shl
    local.set 2
    block (;@1;)
      block (;@2;)
        local.get 6
        local.get 5
        i32.ne
        br_if 0 (;@2;)
        local.get 7
        local.set 5
        br 1 (;@1;)
      end
      block (;@2;)
        local.get 6
        local.get 5
        i32.sub
        local.tee 9
        i32.const 32
        i32.lt_u
        br_if 0 (;@2;)
        block (;@3;)
          local.get 9
          i32.const 63
          i32.le_u
          br_if 0 (;@3;)
          i32.const 0
          local.set 5
          i32.const 1
          local.set 2
          br 2 (;@1;)
        end
        i32.const 0
        local.set 5
        local.get 7
        local.get 9
        i32.shr_u
        local.get 7
        i32.const 1
        i32.shl
        local.get 9
        i32.const 31
        i32.and
        i32.const 31
        i32.xor
        i32.shl
        local.get 2
        i32.or
        i32.const 0
        i32.ne
        i32.or
        local.set 2
        br 1 (;@1;)
      end
      local.get 7
      i32.const 0
      local.get 9
      i32.sub
      local.tee 5
      i32.shl
      local.get 2
      local.get 9
      i32.shr_u
      i32.or
      local.get 2
      local.get 5
      i32.shl
      i32.const 0
      i32.ne
      i32.or
      local.set 2
      local.get 7
      local.get 9
      i32.shr_u
      local.set 5
    end
    local.get 8
    i32.const 8388608
    i32.or
    local.set 7
    local.get 0
    i32.const 3
    i32.shl
    local.set 0
    local.get 1
    i32.const -2147483648
    i32.and
    local.set 8
    block (;@1;)
      local.get 3
      local.get 1
      i32.xor
      i32.const -1
      i32.gt_s
      br_if 0 (;@1;)
      local.get 0
      local.get 2
      i32.sub
      local.set 3
      block (;@2;)
        local.get 7
        local.get 5
        i32.sub
        local.get 0
        local.get 2
        i32.lt_u
        i32.sub
        local.tee 1
        i32.const 8388607
        i32.gt_u
        br_if 0 (;@2;)
        block (;@3;)
          local.get 1
          local.get 3
          i32.or
          br_if 0 (;@3;)
          i32.const 0
          i32.const 0
          return
        end
        block (;@3;)
          block (;@4;)
            local.get 1
            i32.clz
            i32.const -8
            i32.add
            local.get 3
            i32.clz
            i32.const 24
            i32.add
            local.get 1
            select
            local.tee 2
            local.get 6
            i32.const -1
            i32.add
            local.get 2
            local.get 6
            i32.lt_u
            select
            local.tee 2
            i32.const 32
            i32.and
            i32.eqz
            br_if 0 (;@4;)
            local.get 3
            local.get 2
            i32.shl
            local.set 1
            i32.const 0
            local.set 3
            br 1 (;@3;)
          end
          local.get 3
          i32.const 1
          i32.shr_u
          local.get 2
          i32.const -1
          i32.xor
          i32.shr_u
          local.get 1
          local.get 2
          i32.shl
          i32.or
          local.set 1
          local.get 3
          local.get 2
          i32.shl
          local.set 3
        end
        local.get 6
        local.get 2
        i32.sub
        local.tee 6
        i32.const 2047
        i32.lt_s
        br_if 0 (;@2;)
        i32.const 0
        local.get 8
        i32.const 2146435072
        i32.or
        return
      end
      local.get 1
      local.get 3
      local.get 3
      i32.const 3
      i32.shr_u
      i32.const 1
      i32.and
      i32.add
      i32.const 3
      i32.add
      local.tee 2
      local.get 3
      i32.lt_u
      i32.add
      local.tee 3
      i32.const 29
      i32.shl
      local.get 2
      i32.const 3
      i32.shr_u
      i32.or
      local.get 8
      local.get 6
      i32.const 20
      i32.shl
      i32.add
      local.get 3
      i32.const 3
      i32.shr_u
      i32.add
      i32.const -1048576
      i32.add
      return
    end
    block (;@1;)
      block (;@2;)
        local.get 5
        local.get 7
        i32.add
        local.get 2
        local.get 0
        i32.add
        local.tee 3
        local.get 2
        i32.lt_u
        i32.add
        local.tee 1
        i32.const 16777216
        i32.lt_u
        br_if 0 (;@2;)
        local.get 4
        i32.const 2145386496
        i32.ge_u
        br_if 1 (;@1;)
        local.get 1
        i32.const 31
        i32.shl
        local.get 3
        i32.const 1
        i32.shr_u
        i32.or
        local.get 2
        i32.const 1
        i32.and
        i32.or
        local.set 3
        local.get 6
        i32.const 1
        i32.add
        local.set 6
        local.get 1
        i32.const 1
        i32.shr_u
        local.set 1
      end
      local.get 1
      local.get 3
      local.get 3
      i32.const 3
      i32.shr_u
      i32.const 1
      i32.and
      i32.add
      i32.const 3
      i32.add
      local.tee 2
      local.get 3
      i32.lt_u
      i32.add
      local.tee 3
      i32.const 29
      i32.shl
      local.get 2
      i32.const 3
      i32.shr_u
      i32.or
      local.get 8
      local.get 6
      i32.const 20
      i32.shl
      i32.add
      local.get 3
      i32.const 3
      i32.shr_u
      i32.add
      i32.const -1048576
      i32.add
      return
    end
    i32.const 0
    local.get 8
    i32.const 2146435072
    i32.or
  )
  (func (@name "add_special") (;50;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32)
    block (;@1;)
      block (;@2;)
        block (;@3;)
          block (;@4;)
            local.get 1
            i32.const 20
            i32.shr_u
            i32.const 2047
            i32.and
            local.tee 4
            i32.const 2047
            i32.ne
            br_if 0 (;@4;)
            i32.const 0
            local.set 4
            i32.const 2146959360
            local.set 2
            local.get 1
            i32.const 1
            i32.shl
            local.get 0
            i32.const 0
            i32.ne
            i32.or
            i32.const -2097152
            i32.gt_u
            br_if 1 (;@3;)
            local.get 3
            i32.const 2146435072
            i32.and
            i32.const 2146435072
            i32.ne
            br_if 3 (;@1;)
            local.get 3
            local.get 1
            i32.xor
            i32.const 0
            i32.lt_s
            br_if 1 (;@3;)
            br 3 (;@1;)
          end
          block (;@4;)
            local.get 3
            i32.const 1
            i32.shl
            local.get 2
            i32.or
            br_if 0 (;@4;)
            local.get 1
            i32.const 1
            i32.shl
            local.get 0
            i32.or
            br_if 3 (;@1;)
            i32.const 0
            local.get 3
            local.get 1
            i32.and
            return
          end
          local.get 3
          i32.const 3
          i32.shl
          i32.const 8388600
          i32.and
          local.get 2
          i32.const 29
          i32.shr_u
          i32.or
          local.set 5
          local.get 1
          i32.const 3
          i32.shl
          i32.const 8388600
          i32.and
          local.tee 6
          i32.const 8388608
          i32.or
          local.get 6
          local.get 4
          select
          local.set 7
          local.get 0
          i32.const 29
          i32.shr_u
          local.set 8
          local.get 4
          i32.const 1
          local.get 4
          i32.const 1
          i32.gt_u
          select
          local.set 6
          local.get 2
          i32.const 3
          i32.shl
          local.set 2
          block (;@4;)
            local.get 4
            i32.const 2
            i32.lt_u
            br_if 0 (;@4;)
            local.get 6
            i32.const -1
            i32.add
            local.set 9
            block (;@5;)
              block (;@6;)
                local.get 4
                i32.const 33
                i32.ge_u
                br_if 0 (;@6;)
                local.get 5
                local.set 10
                local.get 2
                local.set 5
                i32.const 0
                local.set 2
                br 1 (;@5;)
              end
              block (;@6;)
                local.get 4
                i32.const 65
                i32.lt_u
                br_if 0 (;@6;)
                local.get 5
                local.get 2
                i32.or
                local.set 2
                i32.const 0
                local.set 5
                local.get 2
                i32.const 0
                i32.ne
                local.set 2
                br 2 (;@4;)
              end
              local.get 9
              i32.const 31
              i32.and
              local.set 9
              i32.const 0
              local.set 10
            end
            local.get 10
            i32.const 1
            i32.shl
            local.get 9
            i32.const 31
            i32.xor
            local.tee 11
            i32.shl
            local.get 5
            local.get 9
            i32.shr_u
            i32.or
            local.get 5
            i32.const 1
            i32.shl
            local.get 11
            i32.shl
            local.get 2
            i32.or
            i32.const 0
            i32.ne
            i32.or
            local.set 2
            local.get 10
            local.get 9
            i32.shr_u
            local.set 5
          end
          local.get 7
          local.get 8
          i32.or
          local.set 7
          local.get 0
          i32.const 3
          i32.shl
          local.set 0
          local.get 1
          i32.const -2147483648
          i32.and
          local.set 8
          block (;@4;)
            local.get 3
            local.get 1
            i32.xor
            i32.const -1
            i32.gt_s
            br_if 0 (;@4;)
            local.get 0
            local.get 2
            i32.sub
            local.set 1
            block (;@5;)
              local.get 7
              local.get 5
              i32.sub
              local.get 0
              local.get 2
              i32.lt_u
              i32.sub
              local.tee 3
              i32.const 8388607
              i32.gt_u
              br_if 0 (;@5;)
              block (;@6;)
                local.get 3
                local.get 1
                i32.or
                br_if 0 (;@6;)
                i32.const 0
                i32.const 0
                return
              end
              block (;@6;)
                block (;@7;)
                  local.get 3
                  i32.clz
                  i32.const -8
                  i32.add
                  local.get 1
                  i32.clz
                  i32.const 24
                  i32.add
                  local.get 3
                  select
                  local.tee 4
                  local.get 6
                  i32.const -1
                  i32.add
                  local.tee 0
                  local.get 4
                  local.get 0
                  i32.lt_u
                  select
                  local.tee 4
                  i32.const 32
                  i32.and
                  i32.eqz
                  br_if 0 (;@7;)
                  local.get 1
                  local.get 4
                  i32.shl
                  local.set 3
                  i32.const 0
                  local.set 1
                  br 1 (;@6;)
                end
                local.get 1
                i32.const 1
                i32.shr_u
                local.get 4
                i32.const -1
                i32.xor
                i32.shr_u
                local.get 3
                local.get 4
                i32.shl
                i32.or
                local.set 3
                local.get 1
                local.get 4
                i32.shl
                local.set 1
              end
              local.get 6
              local.get 4
              i32.sub
              local.set 6
            end
            local.get 3
            local.get 1
            local.get 1
            i32.const 3
            i32.shr_u
            i32.const 1
            i32.and
            i32.add
            i32.const 3
            i32.add
            local.tee 4
            local.get 1
            i32.lt_u
            i32.add
            local.tee 1
            i32.const 29
            i32.shl
            local.get 4
            i32.const 3
            i32.shr_u
            i32.or
            local.get 8
            local.get 6
            i32.const 20
            i32.shl
            i32.add
            local.get 1
            i32.const 3
            i32.shr_u
            i32.add
            i32.const -1048576
            i32.add
            return
          end
          block (;@4;)
            local.get 5
            local.get 7
            i32.add
            local.get 2
            local.get 0
            i32.add
            local.tee 1
            local.get 2
            i32.lt_u
            i32.add
            local.tee 3
            i32.const 16777216
            i32.lt_u
            br_if 0 (;@4;)
            local.get 4
            i32.const 2046
            i32.ge_u
            br_if 2 (;@2;)
            local.get 3
            i32.const 31
            i32.shl
            local.get 1
            i32.const 1
            i32.shr_u
            i32.or
            local.get 2
            i32.const 1
            i32.and
            i32.or
            local.set 1
            local.get 6
            i32.const 1
            i32.add
            local.set 6
            local.get 3
            i32.const 1
            i32.shr_u
            local.set 3
          end
          local.get 3
          local.get 1
          local.get 1
          i32.const 3
          i32.shr_u
          i32.const 1
          i32.and
          i32.add
          i32.const 3
          i32.add
          local.tee 4
          local.get 1
          i32.lt_u
          i32.add
          local.tee 1
          i32.const 29
          i32.shl
          local.get 4
          i32.const 3
          i32.shr_u
          i32.or
          local.set 4
          local.get 8
          local.get 6
          i32.const 20
          i32.shl
          i32.add
          local.get 1
          i32.const 3
          i32.shr_u
          i32.add
          i32.const -1048576
          i32.add
          local.set 2
        end
        local.get 4
        local.get 2
        return
      end
      i32.const 0
      local.get 8
      i32.const 2146435072
      i32.or
      return
    end
    local.get 0
    local.get 1
  )
  (func $f64_sub (;51;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    local.get 0
    local.get 1
    local.get 2
    local.get 3
    i32.const -2147483648
    i32.xor
    call $f64_add
  )
  (func $f64_mul (;52;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32)
    block (;@1;)
      block (;@2;)
        local.get 1
        i32.const 20
        i32.shr_u
        i32.const 2047
        i32.and
        local.tee 4
        i32.const -2047
        i32.add
        i32.const -2046
        i32.lt_u
        br_if 0 (;@2;)
        local.get 3
        i32.const 20
        i32.shr_u
        i32.const 2047
        i32.and
        local.tee 5
        i32.const -2047
        i32.add
        i32.const -2047
        i32.gt_u
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 1
      local.get 2
      local.get 3
      call 53
      return
    end
    local.get 3
    i32.const 7
    i32.shr_u
    i32.const 8191
    i32.and
    i32.const 8192
    i32.or
    local.tee 6
    local.get 1
    i32.const 7
    i32.shl
    local.get 0
    i32.const 25
    i32.shr_u
    i32.or
    i32.const 16383
    i32.and
    local.tee 7
    i32.mul
    local.get 3
    i32.const 7
    i32.shl
    local.get 2
    i32.const 25
    i32.shr_u
    i32.or
    i32.const 16383
    i32.and
    local.tee 8
    local.get 1
    i32.const 7
    i32.shr_u
    i32.const 8191
    i32.and
    i32.const 8192
    i32.or
    local.tee 9
    i32.mul
    i32.add
    local.get 8
    local.get 7
    i32.mul
    local.get 9
    local.get 2
    i32.const 11
    i32.shr_u
    i32.const 16383
    i32.and
    local.tee 10
    i32.mul
    i32.add
    local.get 6
    local.get 0
    i32.const 11
    i32.shr_u
    i32.const 16383
    i32.and
    local.tee 11
    i32.mul
    i32.add
    local.get 9
    local.get 2
    i32.const 3
    i32.shl
    i32.const 16376
    i32.and
    local.tee 2
    i32.mul
    local.get 10
    local.get 7
    i32.mul
    i32.add
    local.get 8
    local.get 11
    i32.mul
    i32.add
    local.get 6
    local.get 0
    i32.const 3
    i32.shl
    i32.const 16376
    i32.and
    local.tee 0
    i32.mul
    i32.add
    local.get 2
    local.get 7
    i32.mul
    local.get 10
    local.get 11
    i32.mul
    i32.add
    local.get 8
    local.get 0
    i32.mul
    i32.add
    local.get 10
    local.get 0
    i32.mul
    local.get 2
    local.get 11
    i32.mul
    i32.add
    local.get 2
    local.get 0
    i32.mul
    local.tee 7
    i32.const 14
    i32.shr_u
    i32.add
    local.tee 8
    i32.const 14
    i32.shr_u
    i32.add
    local.tee 10
    i32.const 14
    i32.shr_u
    i32.add
    local.tee 11
    i32.const 14
    i32.shr_u
    i32.add
    local.tee 2
    i32.const 14
    i32.shr_u
    i32.add
    local.tee 0
    i32.const 14
    i32.shl
    i32.const 268419072
    i32.and
    local.get 2
    i32.const 16383
    i32.and
    i32.or
    local.get 0
    i32.const 14
    i32.shr_u
    local.get 6
    local.get 9
    i32.mul
    i32.add
    local.tee 0
    i32.const 28
    i32.shl
    local.tee 12
    i32.or
    local.set 6
    local.get 0
    i32.const 4
    i32.shr_u
    local.set 2
    local.get 5
    local.get 4
    i32.add
    local.set 9
    local.get 3
    local.get 1
    i32.xor
    local.set 1
    block (;@1;)
      block (;@2;)
        local.get 0
        i32.const 134217727
        i32.le_u
        br_if 0 (;@2;)
        local.get 9
        i32.const -1022
        i32.add
        local.set 3
        br 1 (;@1;)
      end
      local.get 2
      i32.const 1
      i32.shl
      local.get 12
      i32.const 31
      i32.shr_u
      i32.or
      local.set 2
      local.get 9
      i32.const -1023
      i32.add
      local.set 3
      local.get 6
      i32.const 1
      i32.shl
      local.set 6
    end
    local.get 1
    i32.const -2147483648
    i32.and
    local.set 0
    local.get 6
    local.get 8
    local.get 7
    i32.or
    local.get 10
    i32.or
    local.get 11
    i32.or
    i32.const 16383
    i32.and
    i32.const 0
    i32.ne
    i32.or
    local.set 1
    block (;@1;)
      block (;@2;)
        local.get 3
        i32.const 0
        i32.gt_s
        br_if 0 (;@2;)
        i32.const 1
        local.set 6
        block (;@3;)
          block (;@4;)
            i32.const 1
            local.get 3
            i32.sub
            local.tee 3
            i32.const 32
            i32.ge_u
            br_if 0 (;@4;)
            local.get 2
            local.set 7
            local.get 1
            local.set 2
            i32.const 0
            local.set 1
            br 1 (;@3;)
          end
          block (;@4;)
            local.get 3
            i32.const 64
            i32.lt_u
            br_if 0 (;@4;)
            local.get 1
            local.get 2
            i32.or
            local.set 1
            i32.const 0
            local.set 2
            local.get 1
            i32.const 0
            i32.ne
            local.set 1
            br 3 (;@1;)
          end
          local.get 3
          i32.const 31
          i32.and
          local.set 3
          i32.const 0
          local.set 7
        end
        local.get 7
        i32.const 1
        i32.shl
        local.get 3
        i32.const 31
        i32.xor
        local.tee 8
        i32.shl
        local.get 2
        local.get 3
        i32.shr_u
        i32.or
        local.get 2
        i32.const 1
        i32.shl
        local.get 8
        i32.shl
        local.get 1
        i32.or
        i32.const 0
        i32.ne
        i32.or
        local.set 1
        local.get 7
        local.get 3
        i32.shr_u
        local.set 2
        br 1 (;@1;)
      end
      local.get 3
      local.set 6
      local.get 3
      i32.const 2047
      i32.lt_u
      br_if 0 (;@1;)
      i32.const 0
      local.get 0
      i32.const 2146435072
      i32.or
      return
    end
    local.get 2
    local.get 1
    local.get 1
    i32.const 3
    i32.shr_u
    i32.const 1
    i32.and
    i32.add
    i32.const 3
    i32.add
    local.tee 3
    local.get 1
    i32.lt_u
    i32.add
    local.tee 1
    i32.const 29
    i32.shl
    local.get 3
    i32.const 3
    i32.shr_u
    i32.or
    local.get 0
    local.get 6
    i32.const 20
    i32.shl
    i32.add
    local.get 1
    i32.const 3
    i32.shr_u
    i32.add
    i32.const -1048576
    i32.add
  )
  (func (@name "mul_special") (;53;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32)
    local.get 3
    local.get 1
    i32.xor
    i32.const -2147483648
    i32.and
    local.set 4
    block (;@1;)
      block (;@2;)
        local.get 1
        i32.const 20
        i32.shr_u
        i32.const 2047
        i32.and
        local.tee 5
        i32.const 2047
        i32.eq
        br_if 0 (;@2;)
        local.get 3
        i32.const 20
        i32.shr_u
        i32.const 2047
        i32.and
        local.tee 6
        i32.const 2047
        i32.ne
        br_if 1 (;@1;)
      end
      block (;@2;)
        local.get 1
        i32.const 1
        i32.shl
        local.tee 1
        local.get 0
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.le_u
        br_if 0 (;@2;)
        i32.const 0
        i32.const 2146959360
        return
      end
      block (;@2;)
        local.get 3
        i32.const 1
        i32.shl
        local.tee 3
        local.get 2
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.le_u
        br_if 0 (;@2;)
        i32.const 0
        i32.const 2146959360
        return
      end
      block (;@2;)
        local.get 1
        local.get 0
        i32.or
        br_if 0 (;@2;)
        i32.const 0
        i32.const 2146959360
        return
      end
      block (;@2;)
        local.get 3
        local.get 2
        i32.or
        br_if 0 (;@2;)
        i32.const 0
        i32.const 2146959360
        return
      end
      i32.const 0
      local.get 4
      i32.const 2146435072
      i32.or
      return
    end
    block (;@1;)
      block (;@2;)
        local.get 1
        i32.const 1
        i32.shl
        local.get 0
        i32.or
        i32.eqz
        br_if 0 (;@2;)
        local.get 3
        i32.const 1
        i32.shl
        local.get 2
        i32.or
        i32.eqz
        br_if 0 (;@2;)
        local.get 1
        i32.const 1048575
        i32.and
        local.set 1
        block (;@3;)
          block (;@4;)
            local.get 5
            i32.eqz
            br_if 0 (;@4;)
            local.get 1
            i32.const 1048576
            i32.or
            local.set 7
            br 1 (;@3;)
          end
          block (;@4;)
            block (;@5;)
              local.get 1
              i32.clz
              i32.const -11
              i32.add
              local.get 0
              i32.clz
              i32.const 21
              i32.add
              local.get 1
              select
              local.tee 5
              i32.const 32
              i32.and
              i32.eqz
              br_if 0 (;@5;)
              local.get 0
              local.get 5
              i32.shl
              local.set 7
              i32.const 0
              local.set 0
              br 1 (;@4;)
            end
            local.get 0
            i32.const 1
            i32.shr_u
            local.get 5
            i32.const -1
            i32.xor
            i32.shr_u
            local.get 1
            local.get 5
            i32.shl
            i32.or
            local.set 7
            local.get 0
            local.get 5
            i32.shl
            local.set 0
          end
          i32.const 1
          local.get 5
          i32.sub
          local.set 5
        end
        local.get 3
        i32.const 1048575
        i32.and
        local.set 1
        block (;@3;)
          block (;@4;)
            local.get 6
            i32.eqz
            br_if 0 (;@4;)
            local.get 1
            i32.const 1048576
            i32.or
            local.set 8
            br 1 (;@3;)
          end
          block (;@4;)
            block (;@5;)
              local.get 1
              i32.clz
              i32.const -11
              i32.add
              local.get 2
              i32.clz
              i32.const 21
              i32.add
              local.get 1
              select
              local.tee 3
              i32.const 32
              i32.and
              i32.eqz
              br_if 0 (;@5;)
              local.get 2
              local.get 3
              i32.shl
              local.set 8
              i32.const 0
              local.set 2
              br 1 (;@4;)
            end
            local.get 2
            i32.const 1
            i32.shr_u
            local.get 3
            i32.const -1
            i32.xor
            i32.shr_u
            local.get 1
            local.get 3
            i32.shl
            i32.or
            local.set 8
            local.get 2
            local.get 3
            i32.shl
            local.set 2
          end
          i32.const 1
          local.get 3
          i32.sub
          local.set 6
        end
        local.get 8
        i32.const 7
        i32.shl
        local.get 2
        i32.const 25
        i32.shr_u
        i32.or
        i32.const 16383
        i32.and
        local.tee 1
        local.get 7
        i32.const 7
        i32.shr_u
        local.tee 3
        i32.mul
        local.get 8
        i32.const 7
        i32.shr_u
        local.tee 8
        local.get 7
        i32.const 7
        i32.shl
        local.get 0
        i32.const 25
        i32.shr_u
        i32.or
        i32.const 16383
        i32.and
        local.tee 7
        i32.mul
        i32.add
        local.get 2
        i32.const 11
        i32.shr_u
        i32.const 16383
        i32.and
        local.tee 9
        local.get 3
        i32.mul
        local.get 8
        local.get 0
        i32.const 11
        i32.shr_u
        i32.const 16383
        i32.and
        local.tee 10
        i32.mul
        i32.add
        local.get 1
        local.get 7
        i32.mul
        i32.add
        local.get 9
        local.get 7
        i32.mul
        local.get 8
        local.get 0
        i32.const 3
        i32.shl
        i32.const 16376
        i32.and
        local.tee 0
        i32.mul
        i32.add
        local.get 2
        i32.const 3
        i32.shl
        i32.const 16376
        i32.and
        local.tee 2
        local.get 3
        i32.mul
        i32.add
        local.get 1
        local.get 10
        i32.mul
        i32.add
        local.get 2
        local.get 7
        i32.mul
        local.get 9
        local.get 10
        i32.mul
        i32.add
        local.get 1
        local.get 0
        i32.mul
        i32.add
        local.get 9
        local.get 0
        i32.mul
        local.get 2
        local.get 10
        i32.mul
        i32.add
        local.get 2
        local.get 0
        i32.mul
        local.tee 7
        i32.const 14
        i32.shr_u
        i32.add
        local.tee 9
        i32.const 14
        i32.shr_u
        i32.add
        local.tee 10
        i32.const 14
        i32.shr_u
        i32.add
        local.tee 11
        i32.const 14
        i32.shr_u
        i32.add
        local.tee 1
        i32.const 14
        i32.shr_u
        i32.add
        local.tee 0
        i32.const 14
        i32.shl
        i32.const 268419072
        i32.and
        local.get 1
        i32.const 16383
        i32.and
        i32.or
        local.get 0
        i32.const 14
        i32.shr_u
        local.get 8
        local.get 3
        i32.mul
        i32.add
        local.tee 1
        i32.const 28
        i32.shl
        local.tee 8
        i32.or
        local.set 2
        local.get 1
        i32.const 4
        i32.shr_u
        local.set 3
        local.get 6
        local.get 5
        i32.add
        local.set 0
        block (;@3;)
          block (;@4;)
            local.get 1
            i32.const 134217727
            i32.le_u
            br_if 0 (;@4;)
            local.get 0
            i32.const -1022
            i32.add
            local.set 0
            br 1 (;@3;)
          end
          local.get 3
          i32.const 1
          i32.shl
          local.get 8
          i32.const 31
          i32.shr_u
          i32.or
          local.set 3
          local.get 0
          i32.const -1023
          i32.add
          local.set 0
          local.get 2
          i32.const 1
          i32.shl
          local.set 2
        end
        local.get 2
        local.get 9
        local.get 7
        i32.or
        local.get 10
        i32.or
        local.get 11
        i32.or
        i32.const 16383
        i32.and
        i32.const 0
        i32.ne
        i32.or
        local.set 1
        block (;@3;)
          local.get 0
          i32.const 0
          i32.gt_s
          br_if 0 (;@3;)
          i32.const 1
          local.set 2
          block (;@4;)
            block (;@5;)
              i32.const 1
              local.get 0
              i32.sub
              local.tee 0
              i32.const 32
              i32.ge_u
              br_if 0 (;@5;)
              local.get 3
              local.set 5
              local.get 1
              local.set 3
              i32.const 0
              local.set 1
              br 1 (;@4;)
            end
            block (;@5;)
              local.get 0
              i32.const 64
              i32.lt_u
              br_if 0 (;@5;)
              local.get 1
              local.get 3
              i32.or
              local.set 1
              i32.const 0
              local.set 3
              local.get 1
              i32.const 0
              i32.ne
              local.set 1
              br 4 (;@1;)
            end
            local.get 0
            i32.const 31
            i32.and
            local.set 0
            i32.const 0
            local.set 5
          end
          local.get 5
          i32.const 1
          i32.shl
          local.get 0
          i32.const 31
          i32.xor
          local.tee 6
          i32.shl
          local.get 3
          local.get 0
          i32.shr_u
          i32.or
          local.get 3
          i32.const 1
          i32.shl
          local.get 6
          i32.shl
          local.get 1
          i32.or
          i32.const 0
          i32.ne
          i32.or
          local.set 1
          local.get 5
          local.get 0
          i32.shr_u
          local.set 3
          br 2 (;@1;)
        end
        local.get 0
        local.set 2
        local.get 0
        i32.const 2047
        i32.lt_u
        br_if 1 (;@1;)
        local.get 4
        i32.const 2146435072
        i32.or
        local.set 4
      end
      i32.const 0
      local.get 4
      return
    end
    local.get 3
    local.get 1
    local.get 1
    i32.const 3
    i32.shr_u
    i32.const 1
    i32.and
    i32.add
    i32.const 3
    i32.add
    local.tee 0
    local.get 1
    i32.lt_u
    i32.add
    local.tee 1
    i32.const 29
    i32.shl
    local.get 0
    i32.const 3
    i32.shr_u
    i32.or
    local.get 4
    local.get 2
    i32.const 20
    i32.shl
    i32.add
    local.get 1
    i32.const 3
    i32.shr_u
    i32.add
    i32.const -1048576
    i32.add
  )
  (func $f64_div (;54;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    local.get 3
    i32.const 20
    i32.shr_u
    i32.const 2047
    i32.and
    local.set 4
    local.get 3
    local.get 1
    i32.xor
    i32.const -2147483648
    i32.and
    local.set 5
    block (;@1;)
      block (;@2;)
        block (;@3;)
          block (;@4;)
            local.get 1
            i32.const 20
            i32.shr_u
            i32.const 2047
            i32.and
            local.tee 6
            i32.const 2047
            i32.eq
            br_if 0 (;@4;)
            local.get 4
            i32.const 2047
            i32.ne
            br_if 1 (;@3;)
          end
          block (;@4;)
            local.get 1
            i32.const 1
            i32.shl
            local.get 0
            i32.const 0
            i32.ne
            i32.or
            i32.const -2097152
            i32.le_u
            br_if 0 (;@4;)
            i32.const 0
            i32.const 2146959360
            return
          end
          i32.const 0
          local.set 1
          block (;@4;)
            local.get 3
            i32.const 1
            i32.shl
            local.get 2
            i32.const 0
            i32.ne
            i32.or
            i32.const -2097152
            i32.le_u
            br_if 0 (;@4;)
            i32.const 0
            i32.const 2146959360
            return
          end
          block (;@4;)
            local.get 6
            local.get 4
            i32.ne
            br_if 0 (;@4;)
            i32.const 0
            i32.const 2146959360
            return
          end
          local.get 6
          i32.const 2047
          i32.ne
          br_if 1 (;@2;)
          i32.const 0
          local.get 5
          i32.const 2146435072
          i32.or
          return
        end
        local.get 1
        i32.const 1
        i32.shl
        local.get 0
        i32.or
        local.set 7
        block (;@3;)
          local.get 3
          i32.const 1
          i32.shl
          local.get 2
          i32.or
          br_if 0 (;@3;)
          block (;@4;)
            local.get 7
            br_if 0 (;@4;)
            i32.const 0
            i32.const 2146959360
            return
          end
          i32.const 0
          local.get 5
          i32.const 2146435072
          i32.or
          return
        end
        block (;@3;)
          local.get 7
          i32.eqz
          br_if 0 (;@3;)
          local.get 1
          i32.const 1048575
          i32.and
          local.set 1
          block (;@4;)
            block (;@5;)
              local.get 6
              i32.eqz
              br_if 0 (;@5;)
              local.get 1
              i32.const 1048576
              i32.or
              local.set 7
              br 1 (;@4;)
            end
            block (;@5;)
              block (;@6;)
                local.get 1
                i32.clz
                i32.const -11
                i32.add
                local.get 0
                i32.clz
                i32.const 21
                i32.add
                local.get 1
                select
                local.tee 6
                i32.const 32
                i32.and
                i32.eqz
                br_if 0 (;@6;)
                local.get 0
                local.get 6
                i32.shl
                local.set 7
                i32.const 0
                local.set 0
                br 1 (;@5;)
              end
              local.get 0
              i32.const 1
              i32.shr_u
              local.get 6
              i32.const -1
              i32.xor
              i32.shr_u
              local.get 1
              local.get 6
              i32.shl
              i32.or
              local.set 7
              local.get 0
              local.get 6
              i32.shl
              local.set 0
            end
            i32.const 1
            local.get 6
            i32.sub
            local.set 6
          end
          local.get 3
          i32.const 1048575
          i32.and
          local.set 1
          block (;@4;)
            block (;@5;)
              local.get 4
              i32.eqz
              br_if 0 (;@5;)
              local.get 1
              i32.const 1048576
              i32.or
              local.set 1
              br 1 (;@4;)
            end
            block (;@5;)
              block (;@6;)
                local.get 1
                i32.clz
                i32.const -11
                i32.add
                local.get 2
                i32.clz
                i32.const 21
                i32.add
                local.get 1
                select
                local.tee 3
                i32.const 32
                i32.and
                i32.eqz
                br_if 0 (;@6;)
                local.get 2
                local.get 3
                i32.shl
                local.set 1
                i32.const 0
                local.set 2
                br 1 (;@5;)
              end
              local.get 2
              i32.const 1
              i32.shr_u
              local.get 3
              i32.const -1
              i32.xor
              i32.shr_u
              local.get 1
              local.get 3
              i32.shl
              i32.or
              local.set 1
              local.get 2
              local.get 3
              i32.shl
              local.set 2
            end
            i32.const 1
            local.get 3
            i32.sub
            local.set 4
          end
          local.get 6
          local.get 4
          i32.sub
          local.set 3
          block (;@4;)
            block (;@5;)
              local.get 0
              local.get 2
              i32.ge_u
              local.get 7
              local.get 1
              i32.ge_u
              local.get 7
              local.get 1
              i32.eq
              select
              i32.eqz
              br_if 0 (;@5;)
              local.get 3
              i32.const 1023
              i32.add
              local.set 8
              br 1 (;@4;)
            end
            local.get 7
            i32.const 1
            i32.shl
            local.get 0
            i32.const 31
            i32.shr_u
            i32.or
            local.set 7
            local.get 3
            i32.const 1022
            i32.add
            local.set 8
            local.get 0
            i32.const 1
            i32.shl
            local.set 0
          end
          block (;@4;)
            local.get 0
            i32.const 13
            i32.shl
            local.tee 9
            local.get 7
            i32.const 9
            i32.shl
            local.get 0
            i32.const 23
            i32.shr_u
            i32.or
            local.get 1
            i32.const 4
            i32.shr_u
            i32.const 1
            i32.add
            local.tee 10
            i32.div_u
            local.tee 4
            local.get 2
            i32.const 16
            i32.shr_u
            local.tee 11
            i32.mul
            local.tee 12
            i32.const 16
            i32.shl
            local.tee 13
            local.get 4
            local.get 2
            i32.const 65535
            i32.and
            local.tee 14
            i32.mul
            i32.add
            local.tee 3
            i32.sub
            local.tee 6
            local.get 2
            i32.lt_u
            local.tee 15
            local.get 7
            i32.const 13
            i32.shl
            local.get 0
            i32.const 19
            i32.shr_u
            i32.or
            local.get 4
            local.get 1
            i32.mul
            local.get 12
            i32.const 16
            i32.shr_u
            i32.add
            i32.sub
            local.get 3
            local.get 13
            i32.lt_u
            i32.sub
            local.get 9
            local.get 3
            i32.lt_u
            i32.sub
            local.tee 0
            local.get 1
            i32.lt_u
            local.get 0
            local.get 1
            i32.eq
            select
            br_if 0 (;@4;)
            local.get 4
            i32.const 1
            i32.add
            local.set 4
            local.get 6
            local.get 2
            i32.sub
            local.set 6
            i32.const -1
            i32.const 0
            local.get 15
            select
            local.get 1
            i32.sub
            local.get 0
            i32.add
            local.set 0
          end
          block (;@4;)
            local.get 6
            i32.const 14
            i32.shl
            local.tee 12
            local.get 0
            i32.const 10
            i32.shl
            local.get 6
            i32.const 22
            i32.shr_u
            i32.or
            local.get 10
            i32.div_u
            local.tee 3
            local.get 11
            i32.mul
            local.tee 13
            i32.const 16
            i32.shl
            local.tee 15
            local.get 3
            local.get 14
            i32.mul
            i32.add
            local.tee 9
            i32.sub
            local.tee 7
            local.get 2
            i32.lt_u
            local.tee 16
            local.get 0
            i32.const 14
            i32.shl
            local.get 6
            i32.const 18
            i32.shr_u
            i32.or
            local.get 3
            local.get 1
            i32.mul
            local.get 13
            i32.const 16
            i32.shr_u
            i32.add
            i32.sub
            local.get 9
            local.get 15
            i32.lt_u
            i32.sub
            local.get 12
            local.get 9
            i32.lt_u
            i32.sub
            local.tee 0
            local.get 1
            i32.lt_u
            local.get 0
            local.get 1
            i32.eq
            select
            br_if 0 (;@4;)
            local.get 3
            i32.const 1
            i32.add
            local.set 3
            local.get 7
            local.get 2
            i32.sub
            local.set 7
            i32.const -1
            i32.const 0
            local.get 16
            select
            local.get 1
            i32.sub
            local.get 0
            i32.add
            local.set 0
          end
          block (;@4;)
            local.get 7
            i32.const 14
            i32.shl
            local.tee 13
            local.get 0
            i32.const 10
            i32.shl
            local.get 7
            i32.const 22
            i32.shr_u
            i32.or
            local.get 10
            i32.div_u
            local.tee 6
            local.get 11
            i32.mul
            local.tee 15
            i32.const 16
            i32.shl
            local.tee 16
            local.get 6
            local.get 14
            i32.mul
            i32.add
            local.tee 12
            i32.sub
            local.tee 9
            local.get 2
            i32.lt_u
            local.tee 17
            local.get 0
            i32.const 14
            i32.shl
            local.get 7
            i32.const 18
            i32.shr_u
            i32.or
            local.get 6
            local.get 1
            i32.mul
            local.get 15
            i32.const 16
            i32.shr_u
            i32.add
            i32.sub
            local.get 12
            local.get 16
            i32.lt_u
            i32.sub
            local.get 13
            local.get 12
            i32.lt_u
            i32.sub
            local.tee 0
            local.get 1
            i32.lt_u
            local.get 0
            local.get 1
            i32.eq
            select
            br_if 0 (;@4;)
            local.get 6
            i32.const 1
            i32.add
            local.set 6
            local.get 9
            local.get 2
            i32.sub
            local.set 9
            i32.const -1
            i32.const 0
            local.get 17
            select
            local.get 1
            i32.sub
            local.get 0
            i32.add
            local.set 0
          end
          block (;@4;)
            local.get 9
            i32.const 14
            i32.shl
            local.tee 12
            local.get 0
            i32.const 10
            i32.shl
            local.get 9
            i32.const 22
            i32.shr_u
            i32.or
            local.get 10
            i32.div_u
            local.tee 7
            local.get 11
            i32.mul
            local.tee 13
            i32.const 16
            i32.shl
            local.tee 15
            local.get 7
            local.get 14
            i32.mul
            i32.add
            local.tee 10
            i32.sub
            local.tee 11
            local.get 2
            i32.lt_u
            local.tee 14
            local.get 0
            i32.const 14
            i32.shl
            local.get 9
            i32.const 18
            i32.shr_u
            i32.or
            local.get 7
            local.get 1
            i32.mul
            local.get 13
            i32.const 16
            i32.shr_u
            i32.add
            i32.sub
            local.get 10
            local.get 15
            i32.lt_u
            i32.sub
            local.get 12
            local.get 10
            i32.lt_u
            i32.sub
            local.tee 0
            local.get 1
            i32.lt_u
            local.get 0
            local.get 1
            i32.eq
            select
            br_if 0 (;@4;)
            local.get 7
            i32.const 1
            i32.add
            local.set 7
            local.get 11
            local.get 2
            i32.sub
            local.set 11
            i32.const -1
            i32.const 0
            local.get 14
            select
            local.get 1
            i32.sub
            local.get 0
            i32.add
            local.set 0
          end
          local.get 3
          i32.const 4
          i32.shr_u
          local.get 4
          i32.const 10
          i32.shl
          i32.or
          local.set 2
          local.get 6
          i32.const 14
          i32.shl
          local.get 3
          i32.const 28
          i32.shl
          i32.or
          local.get 7
          i32.or
          local.get 11
          local.get 0
          i32.or
          i32.const 0
          i32.ne
          i32.or
          local.set 1
          block (;@4;)
            local.get 8
            i32.const 0
            i32.gt_s
            br_if 0 (;@4;)
            i32.const 1
            local.set 3
            block (;@5;)
              block (;@6;)
                i32.const 1
                local.get 8
                i32.sub
                local.tee 0
                i32.const 32
                i32.ge_u
                br_if 0 (;@6;)
                local.get 2
                local.set 4
                local.get 1
                local.set 2
                i32.const 0
                local.set 1
                br 1 (;@5;)
              end
              block (;@6;)
                local.get 0
                i32.const 64
                i32.lt_u
                br_if 0 (;@6;)
                local.get 1
                local.get 2
                i32.or
                local.set 1
                i32.const 0
                local.set 2
                local.get 1
                i32.const 0
                i32.ne
                local.set 1
                br 5 (;@1;)
              end
              local.get 0
              i32.const 31
              i32.and
              local.set 0
              i32.const 0
              local.set 4
            end
            local.get 4
            i32.const 1
            i32.shl
            local.get 0
            i32.const 31
            i32.xor
            local.tee 6
            i32.shl
            local.get 2
            local.get 0
            i32.shr_u
            i32.or
            local.get 2
            i32.const 1
            i32.shl
            local.get 6
            i32.shl
            local.get 1
            i32.or
            i32.const 0
            i32.ne
            i32.or
            local.set 1
            local.get 4
            local.get 0
            i32.shr_u
            local.set 2
            br 3 (;@1;)
          end
          local.get 8
          local.set 3
          local.get 8
          i32.const 2047
          i32.lt_u
          br_if 2 (;@1;)
          local.get 5
          i32.const 2146435072
          i32.or
          local.set 5
        end
        i32.const 0
        local.set 1
      end
      local.get 1
      local.get 5
      return
    end
    local.get 2
    local.get 1
    local.get 1
    i32.const 3
    i32.shr_u
    i32.const 1
    i32.and
    i32.add
    i32.const 3
    i32.add
    local.tee 0
    local.get 1
    i32.lt_u
    i32.add
    local.tee 1
    i32.const 29
    i32.shl
    local.get 0
    i32.const 3
    i32.shr_u
    i32.or
    local.get 5
    local.get 3
    i32.const 20
    i32.shl
    i32.add
    local.get 1
    i32.const 3
    i32.shr_u
    i32.add
    i32.const -1048576
    i32.add
  )
  (func $f64_sqrt (;55;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    block (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      local.tee 2
      local.get 0
      i32.or
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      local.set 3
      i32.const 2146959360
      local.set 4
      block (;@2;)
        local.get 1
        i32.const 0
        i32.lt_s
        br_if 0 (;@2;)
        i32.const 0
        local.set 3
        local.get 2
        local.get 0
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const 20
        i32.shr_u
        local.tee 5
        i32.const 2047
        i32.eq
        br_if 1 (;@1;)
        local.get 1
        i32.const 1048575
        i32.and
        local.set 1
        block (;@3;)
          block (;@4;)
            local.get 5
            i32.eqz
            br_if 0 (;@4;)
            local.get 1
            i32.const 1048576
            i32.or
            local.set 1
            br 1 (;@3;)
          end
          block (;@4;)
            block (;@5;)
              local.get 1
              i32.clz
              i32.const -11
              i32.add
              local.get 0
              i32.clz
              i32.const 21
              i32.add
              local.get 1
              select
              local.tee 3
              i32.const 32
              i32.and
              i32.eqz
              br_if 0 (;@5;)
              local.get 0
              local.get 3
              i32.shl
              local.set 1
              i32.const 0
              local.set 0
              br 1 (;@4;)
            end
            local.get 0
            i32.const 1
            i32.shr_u
            local.get 3
            i32.const -1
            i32.xor
            i32.shr_u
            local.get 1
            local.get 3
            i32.shl
            i32.or
            local.set 1
            local.get 0
            local.get 3
            i32.shl
            local.set 0
          end
          i32.const 1
          local.get 3
          i32.sub
          local.set 5
        end
        local.get 1
        local.get 5
        i32.const 1
        i32.and
        local.tee 3
        i32.const 11
        i32.xor
        local.tee 6
        i32.shl
        local.tee 1
        i32.const 17
        i32.shr_u
        i32.const 21845
        i32.mul
        i32.const 16
        i32.shr_u
        i32.const 5800
        i32.add
        local.tee 2
        local.get 1
        local.get 0
        i32.const 1
        i32.shr_u
        local.get 3
        i32.const 20
        i32.or
        i32.shr_u
        local.tee 7
        i32.or
        i32.const 4
        i32.shr_u
        local.tee 4
        local.get 2
        i32.div_u
        i32.add
        i32.const 1
        i32.shr_u
        local.tee 1
        local.get 4
        local.get 1
        i32.div_u
        i32.add
        local.tee 1
        i32.const 1
        i32.shr_u
        local.set 2
        local.get 1
        i32.const 536870910
        i32.and
        i32.const 2
        i32.add
        local.set 3
        loop (;@3;)
          local.get 3
          i32.const -2
          i32.add
          local.set 3
          local.get 2
          local.tee 1
          i32.const -1
          i32.add
          local.set 2
          local.get 4
          local.get 1
          local.get 1
          i32.mul
          local.tee 8
          i32.lt_u
          br_if 0 (;@3;)
        end
        local.get 4
        local.get 8
        i32.sub
        local.tee 2
        i32.const 14
        i32.shl
        local.get 7
        i32.const 24
        i32.shl
        i32.const 251658240
        i32.and
        local.get 0
        local.get 6
        i32.shl
        i32.const 8
        i32.shr_u
        i32.or
        local.tee 4
        i32.const 14
        i32.shr_u
        i32.or
        local.get 3
        i32.div_u
        local.tee 3
        i32.const 16383
        local.get 3
        i32.const 16383
        i32.lt_u
        select
        local.tee 3
        local.get 1
        i32.const 14
        i32.shl
        i32.or
        local.set 9
        block (;@3;)
          local.get 2
          i32.const 28
          i32.shl
          local.get 4
          i32.or
          i32.const 0
          local.get 1
          i32.const 15
          i32.shl
          local.get 3
          i32.or
          i32.sub
          local.get 3
          i32.mul
          i32.add
          local.tee 3
          i32.const -1
          i32.gt_s
          br_if 0 (;@3;)
          loop (;@4;)
            local.get 3
            local.get 9
            i32.const -1
            i32.add
            local.tee 9
            i32.const 1
            i32.shl
            i32.add
            i32.const 1
            i32.add
            local.tee 3
            i32.const 0
            i32.lt_s
            br_if 0 (;@4;)
          end
        end
        local.get 3
        i32.const 28
        i32.shl
        local.tee 0
        local.get 3
        i32.const 3
        i32.shl
        local.get 9
        i32.const 10
        i32.shr_u
        i32.const 1
        i32.add
        i32.div_u
        local.tee 4
        local.get 9
        i32.const 15
        i32.shl
        i32.or
        local.tee 1
        i32.const 16
        i32.shr_u
        local.get 4
        i32.mul
        local.tee 6
        i32.const 16
        i32.shl
        local.tee 7
        local.get 1
        i32.const 65535
        i32.and
        local.get 4
        i32.mul
        i32.add
        local.tee 2
        i32.sub
        local.set 8
        local.get 4
        local.get 1
        i32.add
        i32.const 1
        i32.add
        local.set 1
        block (;@3;)
          local.get 3
          i32.const 4
          i32.shr_u
          local.get 4
          local.get 9
          i32.const 17
          i32.shr_u
          local.tee 3
          i32.mul
          local.get 6
          i32.const 16
          i32.shr_u
          i32.add
          i32.sub
          local.get 2
          local.get 7
          i32.lt_u
          i32.sub
          local.get 0
          local.get 2
          i32.lt_u
          i32.sub
          local.tee 2
          i32.const -1
          i32.gt_s
          br_if 0 (;@3;)
          loop (;@4;)
            local.get 4
            i32.const -1
            i32.add
            local.set 4
            local.get 3
            local.get 1
            local.tee 1
            i32.const 2
            i32.lt_u
            i32.sub
            local.tee 3
            local.get 2
            i32.add
            local.get 1
            i32.const -2
            i32.add
            local.tee 1
            local.get 8
            i32.add
            local.tee 8
            local.get 1
            i32.lt_u
            i32.add
            local.tee 2
            i32.const 0
            i32.lt_s
            br_if 0 (;@4;)
          end
        end
        block (;@3;)
          local.get 8
          local.get 1
          i32.lt_u
          local.tee 0
          local.get 2
          local.get 3
          i32.lt_u
          local.get 2
          local.get 3
          i32.eq
          select
          br_if 0 (;@3;)
          loop (;@4;)
            local.get 0
            i32.const 1
            i32.and
            local.set 6
            local.get 1
            i32.const -3
            i32.gt_u
            local.set 7
            local.get 4
            i32.const 1
            i32.add
            local.set 4
            local.get 8
            local.get 1
            i32.sub
            local.tee 8
            local.get 1
            i32.const 2
            i32.add
            local.tee 1
            i32.lt_u
            local.tee 10
            local.set 0
            local.get 1
            local.set 1
            local.get 10
            local.get 2
            local.get 3
            i32.sub
            local.get 6
            i32.sub
            local.tee 2
            local.get 3
            local.get 7
            i32.add
            local.tee 3
            i32.lt_u
            local.get 2
            local.get 3
            i32.eq
            select
            i32.const 1
            i32.ne
            br_if 0 (;@4;)
          end
        end
        local.get 8
        i32.const 28
        i32.shl
        local.tee 7
        local.get 2
        i32.const 21
        i32.shl
        local.get 8
        i32.const 11
        i32.shr_u
        i32.or
        local.get 9
        i32.const 18
        i32.shr_u
        local.get 4
        local.get 9
        i32.const 14
        i32.shl
        i32.add
        local.tee 9
        local.get 4
        i32.lt_u
        i32.add
        local.tee 11
        i32.const 8
        i32.shl
        local.get 9
        i32.const 24
        i32.shr_u
        i32.or
        i32.const 1
        i32.add
        i32.div_u
        local.tee 4
        local.get 9
        i32.const 15
        i32.shl
        i32.or
        local.tee 1
        i32.const 16
        i32.shr_u
        local.get 4
        i32.mul
        local.tee 10
        i32.const 16
        i32.shl
        local.tee 12
        local.get 1
        i32.const 65535
        i32.and
        local.get 4
        i32.mul
        i32.add
        local.tee 6
        i32.sub
        local.set 0
        local.get 4
        local.get 1
        i32.add
        i32.const 1
        i32.add
        local.set 1
        block (;@3;)
          local.get 2
          i32.const 28
          i32.shl
          local.get 8
          i32.const 4
          i32.shr_u
          i32.or
          local.get 4
          local.get 11
          i32.const 15
          i32.shl
          local.get 9
          i32.const 17
          i32.shr_u
          i32.or
          local.tee 3
          i32.mul
          local.get 10
          i32.const 16
          i32.shr_u
          i32.add
          i32.sub
          local.get 6
          local.get 12
          i32.lt_u
          i32.sub
          local.get 7
          local.get 6
          i32.lt_u
          i32.sub
          local.tee 2
          i32.const -1
          i32.gt_s
          br_if 0 (;@3;)
          loop (;@4;)
            local.get 4
            i32.const -1
            i32.add
            local.set 4
            local.get 3
            local.get 1
            local.tee 1
            i32.const 2
            i32.lt_u
            i32.sub
            local.tee 3
            local.get 2
            i32.add
            local.get 1
            i32.const -2
            i32.add
            local.tee 1
            local.get 0
            i32.add
            local.tee 0
            local.get 1
            i32.lt_u
            i32.add
            local.tee 2
            i32.const 0
            i32.lt_s
            br_if 0 (;@4;)
          end
        end
        block (;@3;)
          local.get 0
          local.get 1
          i32.lt_u
          local.tee 8
          local.get 2
          local.get 3
          i32.lt_u
          local.get 2
          local.get 3
          i32.eq
          select
          br_if 0 (;@3;)
          loop (;@4;)
            local.get 8
            i32.const 1
            i32.and
            local.set 6
            local.get 1
            i32.const -3
            i32.gt_u
            local.set 7
            local.get 4
            i32.const 1
            i32.add
            local.set 4
            local.get 0
            local.get 1
            i32.sub
            local.tee 0
            local.get 1
            i32.const 2
            i32.add
            local.tee 1
            i32.lt_u
            local.tee 10
            local.set 8
            local.get 1
            local.set 1
            local.get 10
            local.get 2
            local.get 3
            i32.sub
            local.get 6
            i32.sub
            local.tee 2
            local.get 3
            local.get 7
            i32.add
            local.tee 3
            i32.lt_u
            local.get 2
            local.get 3
            i32.eq
            select
            i32.const 1
            i32.ne
            br_if 0 (;@4;)
          end
        end
        local.get 11
        i32.const 14
        i32.shl
        local.get 9
        i32.const 18
        i32.shr_u
        i32.or
        local.get 4
        local.get 9
        i32.const 14
        i32.shl
        i32.add
        local.tee 1
        local.get 4
        i32.lt_u
        i32.add
        local.get 1
        local.get 0
        local.get 2
        i32.or
        i32.const 0
        i32.ne
        i32.or
        local.tee 1
        local.get 4
        i32.const 3
        i32.shr_u
        i32.const 1
        i32.and
        i32.add
        i32.const 3
        i32.add
        local.tee 3
        local.get 1
        i32.lt_u
        i32.add
        local.tee 1
        i32.const 29
        i32.shl
        local.get 3
        i32.const 3
        i32.shr_u
        i32.or
        local.set 3
        local.get 5
        i32.const 19
        i32.shl
        i32.const 536346624
        i32.add
        i32.const 2146435072
        i32.and
        local.get 1
        i32.const 3
        i32.shr_u
        i32.add
        i32.const -1048576
        i32.add
        local.set 4
      end
      local.get 3
      local.get 4
      return
    end
    local.get 0
    local.get 1
  )
  (func $f64_eq (;56;) (type 7) (param i32 i32 i32 i32) (result i32)
    (local i32 i32 i32)
    local.get 3
    i32.const 1
    i32.shl
    local.set 4
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 1
          i32.shl
          local.tee 5
          i32.const -2097153
          i32.gt_u
          br_if 0 (;@3;)
          local.get 4
          i32.const -2097152
          i32.lt_u
          br_if 1 (;@2;)
        end
        i32.const 0
        local.set 6
        local.get 5
        local.get 0
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
        local.get 4
        local.get 2
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
      end
      block (;@2;)
        local.get 0
        local.get 2
        i32.ne
        br_if 0 (;@2;)
        i32.const 1
        local.set 6
        local.get 1
        local.get 3
        i32.eq
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 3
      local.get 1
      i32.or
      i32.const 1
      i32.shl
      i32.or
      local.get 2
      i32.or
      i32.eqz
      local.set 6
    end
    local.get 6
  )
  (func $f64_ne (;57;) (type 7) (param i32 i32 i32 i32) (result i32)
    (local i32 i32 i32)
    i32.const 1
    local.set 4
    local.get 3
    i32.const 1
    i32.shl
    local.set 5
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 1
          i32.shl
          local.tee 6
          i32.const -2097153
          i32.gt_u
          br_if 0 (;@3;)
          local.get 5
          i32.const -2097152
          i32.lt_u
          br_if 1 (;@2;)
        end
        local.get 6
        local.get 0
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
        local.get 5
        local.get 2
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
      end
      block (;@2;)
        local.get 0
        local.get 2
        i32.ne
        br_if 0 (;@2;)
        i32.const 0
        local.set 4
        local.get 1
        local.get 3
        i32.eq
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 3
      local.get 1
      i32.or
      i32.const 1
      i32.shl
      i32.or
      local.get 2
      i32.or
      i32.const 0
      i32.ne
      local.set 4
    end
    local.get 4
  )
  (func $f64_lt (;58;) (type 7) (param i32 i32 i32 i32) (result i32)
    (local i32 i32 i32)
    local.get 3
    i32.const 1
    i32.shl
    local.set 4
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 1
          i32.shl
          local.tee 5
          i32.const -2097153
          i32.gt_u
          br_if 0 (;@3;)
          local.get 4
          i32.const -2097152
          i32.lt_u
          br_if 1 (;@2;)
        end
        i32.const 0
        local.set 6
        local.get 5
        local.get 0
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
        local.get 4
        local.get 2
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
      end
      block (;@2;)
        local.get 3
        local.get 1
        i32.xor
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        i32.const 0
        local.set 6
        local.get 1
        i32.const -1
        i32.gt_s
        br_if 1 (;@1;)
        local.get 0
        local.get 3
        local.get 1
        i32.or
        i32.const 1
        i32.shl
        i32.or
        local.get 2
        i32.or
        i32.const 0
        i32.ne
        return
      end
      block (;@2;)
        local.get 1
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        local.get 2
        local.get 0
        i32.lt_u
        local.get 3
        local.get 1
        i32.lt_u
        local.get 3
        local.get 1
        i32.eq
        select
        return
      end
      local.get 0
      local.get 2
      i32.lt_u
      local.get 1
      local.get 3
      i32.lt_u
      local.get 3
      local.get 1
      i32.eq
      select
      local.set 6
    end
    local.get 6
  )
  (func $f64_gt (;59;) (type 7) (param i32 i32 i32 i32) (result i32)
    (local i32 i32 i32)
    local.get 3
    i32.const 1
    i32.shl
    local.set 4
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 1
          i32.shl
          local.tee 5
          i32.const -2097153
          i32.gt_u
          br_if 0 (;@3;)
          local.get 4
          i32.const -2097152
          i32.lt_u
          br_if 1 (;@2;)
        end
        i32.const 0
        local.set 6
        local.get 5
        local.get 0
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
        local.get 4
        local.get 2
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
      end
      block (;@2;)
        local.get 3
        local.get 1
        i32.xor
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        i32.const 0
        local.set 6
        local.get 3
        i32.const -1
        i32.gt_s
        br_if 1 (;@1;)
        local.get 0
        local.get 3
        local.get 1
        i32.or
        i32.const 1
        i32.shl
        i32.or
        local.get 2
        i32.or
        i32.const 0
        i32.ne
        return
      end
      block (;@2;)
        local.get 3
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        local.get 0
        local.get 2
        i32.lt_u
        local.get 1
        local.get 3
        i32.lt_u
        local.get 1
        local.get 3
        i32.eq
        select
        return
      end
      local.get 2
      local.get 0
      i32.lt_u
      local.get 3
      local.get 1
      i32.lt_u
      local.get 1
      local.get 3
      i32.eq
      select
      local.set 6
    end
    local.get 6
  )
  (func $f64_le (;60;) (type 7) (param i32 i32 i32 i32) (result i32)
    (local i32 i32 i32)
    local.get 3
    i32.const 1
    i32.shl
    local.set 4
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 1
          i32.shl
          local.tee 5
          i32.const -2097153
          i32.gt_u
          br_if 0 (;@3;)
          local.get 4
          i32.const -2097152
          i32.lt_u
          br_if 1 (;@2;)
        end
        i32.const 0
        local.set 6
        local.get 5
        local.get 0
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
        local.get 4
        local.get 2
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
      end
      block (;@2;)
        block (;@3;)
          local.get 3
          local.get 1
          i32.xor
          i32.const -1
          i32.gt_s
          br_if 0 (;@3;)
          i32.const 0
          local.set 6
          local.get 3
          i32.const -1
          i32.gt_s
          br_if 1 (;@2;)
          local.get 0
          local.get 3
          local.get 1
          i32.or
          i32.const 1
          i32.shl
          i32.or
          local.get 2
          i32.or
          i32.const 0
          i32.ne
          local.set 6
          br 1 (;@2;)
        end
        block (;@3;)
          local.get 3
          i32.const -1
          i32.gt_s
          br_if 0 (;@3;)
          local.get 0
          local.get 2
          i32.lt_u
          local.get 1
          local.get 3
          i32.lt_u
          local.get 1
          local.get 3
          i32.eq
          select
          local.set 6
          br 1 (;@2;)
        end
        local.get 2
        local.get 0
        i32.lt_u
        local.get 3
        local.get 1
        i32.lt_u
        local.get 1
        local.get 3
        i32.eq
        select
        local.set 6
      end
      local.get 6
      i32.const 1
      i32.xor
      local.set 6
    end
    local.get 6
  )
  (func $f64_ge (;61;) (type 7) (param i32 i32 i32 i32) (result i32)
    (local i32 i32 i32)
    local.get 3
    i32.const 1
    i32.shl
    local.set 4
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 1
          i32.shl
          local.tee 5
          i32.const -2097153
          i32.gt_u
          br_if 0 (;@3;)
          local.get 4
          i32.const -2097152
          i32.lt_u
          br_if 1 (;@2;)
        end
        i32.const 0
        local.set 6
        local.get 5
        local.get 0
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
        local.get 4
        local.get 2
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097152
        i32.gt_u
        br_if 1 (;@1;)
      end
      block (;@2;)
        block (;@3;)
          local.get 3
          local.get 1
          i32.xor
          i32.const -1
          i32.gt_s
          br_if 0 (;@3;)
          i32.const 0
          local.set 6
          local.get 1
          i32.const -1
          i32.gt_s
          br_if 1 (;@2;)
          local.get 0
          local.get 3
          local.get 1
          i32.or
          i32.const 1
          i32.shl
          i32.or
          local.get 2
          i32.or
          i32.const 0
          i32.ne
          local.set 6
          br 1 (;@2;)
        end
        block (;@3;)
          local.get 1
          i32.const -1
          i32.gt_s
          br_if 0 (;@3;)
          local.get 2
          local.get 0
          i32.lt_u
          local.get 3
          local.get 1
          i32.lt_u
          local.get 3
          local.get 1
          i32.eq
          select
          local.set 6
          br 1 (;@2;)
        end
        local.get 0
        local.get 2
        i32.lt_u
        local.get 1
        local.get 3
        i32.lt_u
        local.get 3
        local.get 1
        i32.eq
        select
        local.set 6
      end
      local.get 6
      i32.const 1
      i32.xor
      local.set 6
    end
    local.get 6
  )
  (func $f64_min (;62;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32 i32 i32 i32)
    local.get 3
    i32.const 1
    i32.shl
    local.set 4
    block (;@1;)
      block (;@2;)
        block (;@3;)
          block (;@4;)
            local.get 1
            i32.const 1
            i32.shl
            local.tee 5
            i32.const -2097153
            i32.gt_u
            br_if 0 (;@4;)
            local.get 4
            i32.const -2097152
            i32.lt_u
            br_if 1 (;@3;)
          end
          i32.const 0
          local.set 6
          i32.const 2146959360
          local.set 7
          local.get 5
          local.get 0
          i32.const 0
          i32.ne
          i32.or
          i32.const -2097152
          i32.gt_u
          br_if 1 (;@2;)
          local.get 4
          local.get 2
          i32.const 0
          i32.ne
          i32.or
          i32.const -2097152
          i32.gt_u
          br_if 1 (;@2;)
        end
        block (;@3;)
          local.get 5
          local.get 0
          i32.or
          local.get 4
          local.get 2
          i32.or
          i32.or
          br_if 0 (;@3;)
          i32.const 0
          local.get 3
          local.get 1
          i32.or
          return
        end
        block (;@3;)
          block (;@4;)
            local.get 3
            local.get 1
            i32.xor
            i32.const -1
            i32.gt_s
            br_if 0 (;@4;)
            local.get 1
            i32.const -1
            i32.gt_s
            br_if 3 (;@1;)
            local.get 0
            local.get 3
            local.get 1
            i32.or
            i32.const 1
            i32.shl
            i32.or
            local.get 2
            i32.or
            i32.eqz
            br_if 3 (;@1;)
            br 1 (;@3;)
          end
          block (;@4;)
            local.get 1
            i32.const -1
            i32.gt_s
            br_if 0 (;@4;)
            local.get 2
            local.get 0
            i32.lt_u
            local.get 3
            local.get 1
            i32.lt_u
            local.get 3
            local.get 1
            i32.eq
            select
            br_if 1 (;@3;)
            br 3 (;@1;)
          end
          local.get 0
          local.get 2
          i32.lt_u
          local.get 1
          local.get 3
          i32.lt_u
          local.get 3
          local.get 1
          i32.eq
          select
          i32.const 1
          i32.ne
          br_if 2 (;@1;)
        end
        local.get 0
        local.set 6
        local.get 1
        local.set 7
      end
      local.get 6
      local.get 7
      return
    end
    local.get 2
    local.get 3
  )
  (func $f64_max (;63;) (type 2) (param i32 i32 i32 i32) (result i32 i32)
    (local i32 i32 i32 i32)
    local.get 3
    i32.const 1
    i32.shl
    local.set 4
    block (;@1;)
      block (;@2;)
        block (;@3;)
          block (;@4;)
            local.get 1
            i32.const 1
            i32.shl
            local.tee 5
            i32.const -2097153
            i32.gt_u
            br_if 0 (;@4;)
            local.get 4
            i32.const -2097152
            i32.lt_u
            br_if 1 (;@3;)
          end
          i32.const 0
          local.set 6
          i32.const 2146959360
          local.set 7
          local.get 5
          local.get 0
          i32.const 0
          i32.ne
          i32.or
          i32.const -2097152
          i32.gt_u
          br_if 1 (;@2;)
          local.get 4
          local.get 2
          i32.const 0
          i32.ne
          i32.or
          i32.const -2097152
          i32.gt_u
          br_if 1 (;@2;)
        end
        block (;@3;)
          local.get 5
          local.get 0
          i32.or
          local.get 4
          local.get 2
          i32.or
          i32.or
          br_if 0 (;@3;)
          i32.const 0
          local.get 3
          local.get 1
          i32.and
          return
        end
        block (;@3;)
          block (;@4;)
            local.get 3
            local.get 1
            i32.xor
            i32.const -1
            i32.gt_s
            br_if 0 (;@4;)
            local.get 1
            i32.const -1
            i32.gt_s
            br_if 3 (;@1;)
            local.get 0
            local.get 3
            local.get 1
            i32.or
            i32.const 1
            i32.shl
            i32.or
            local.get 2
            i32.or
            i32.eqz
            br_if 3 (;@1;)
            br 1 (;@3;)
          end
          block (;@4;)
            local.get 1
            i32.const -1
            i32.gt_s
            br_if 0 (;@4;)
            local.get 2
            local.get 0
            i32.lt_u
            local.get 3
            local.get 1
            i32.lt_u
            local.get 3
            local.get 1
            i32.eq
            select
            br_if 1 (;@3;)
            br 3 (;@1;)
          end
          local.get 0
          local.get 2
          i32.lt_u
          local.get 1
          local.get 3
          i32.lt_u
          local.get 3
          local.get 1
          i32.eq
          select
          i32.const 1
          i32.ne
          br_if 2 (;@1;)
        end
        local.get 2
        local.set 6
        local.get 3
        local.set 7
      end
      local.get 6
      local.get 7
      return
    end
    local.get 0
    local.get 1
  )
  (func $f64_trunc (;64;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32)
    block (;@1;)
      local.get 1
      i32.const 20
      i32.shr_u
      i32.const 2047
      i32.and
      local.tee 2
      i32.const 1075
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 0
      local.get 1
      i32.const 1
      i32.shl
      local.get 0
      i32.const 0
      i32.ne
      i32.or
      i32.const -2097151
      i32.lt_u
      local.tee 2
      select
      local.get 1
      i32.const 2146959360
      local.get 2
      select
      return
    end
    block (;@1;)
      local.get 2
      i32.const 1022
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      local.get 1
      i32.const -2147483648
      i32.and
      local.get 1
      local.get 1
      i32.const 1
      i32.shl
      local.get 0
      i32.or
      select
      return
    end
    local.get 0
    i32.const 0
    i32.const -2147483648
    local.get 2
    i32.const -1044
    i32.add
    i32.shr_u
    i32.const 0
    local.get 2
    i32.const 1043
    i32.gt_u
    local.tee 3
    select
    i32.sub
    i32.and
    i32.const -1
    i32.const 0
    i32.const 1048576
    local.get 2
    i32.const -1023
    i32.add
    i32.shr_u
    i32.sub
    local.get 3
    select
    local.get 1
    i32.and
  )
  (func $f64_ceil (;65;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32 i32 i32 i32 i32)
    block (;@1;)
      local.get 1
      i32.const 20
      i32.shr_u
      i32.const 2047
      i32.and
      local.tee 2
      i32.const 1075
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 0
      local.get 1
      i32.const 1
      i32.shl
      local.get 0
      i32.const 0
      i32.ne
      i32.or
      i32.const -2097151
      i32.lt_u
      local.tee 2
      select
      local.get 1
      i32.const 2146959360
      local.get 2
      select
      return
    end
    block (;@1;)
      local.get 2
      i32.const 1022
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i32.const -2147483648
      i32.const 1072693248
      local.get 1
      i32.const 0
      i32.lt_s
      select
      local.get 1
      local.get 1
      i32.const 1
      i32.shl
      local.get 0
      i32.or
      select
      return
    end
    local.get 1
    i32.const 1048576
    local.get 2
    i32.const -1023
    i32.add
    i32.shr_u
    local.tee 3
    i32.const -1
    i32.add
    i32.const 0
    local.get 2
    i32.const 1044
    i32.lt_u
    local.tee 4
    select
    local.tee 5
    i32.const -1
    i32.xor
    i32.and
    local.set 6
    local.get 0
    i32.const 0
    i32.const 0
    i32.const -2147483648
    local.get 2
    i32.const -1044
    i32.add
    i32.shr_u
    local.get 4
    select
    local.tee 7
    i32.sub
    i32.and
    local.set 4
    block (;@1;)
      local.get 1
      i32.const 0
      i32.ge_s
      br_if 0 (;@1;)
      local.get 4
      local.get 6
      return
    end
    block (;@1;)
      local.get 5
      local.get 1
      i32.and
      local.get 7
      i32.const -1
      i32.add
      local.get 0
      i32.and
      i32.or
      br_if 0 (;@1;)
      local.get 4
      local.get 6
      return
    end
    local.get 4
    local.get 7
    i32.add
    local.tee 1
    local.get 6
    local.get 3
    i32.const 0
    local.get 2
    i32.const 1044
    i32.lt_u
    select
    i32.add
    local.get 1
    local.get 4
    i32.lt_u
    i32.add
  )
  (func $f64_floor (;66;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32 i32 i32 i32 i32)
    block (;@1;)
      local.get 1
      i32.const 20
      i32.shr_u
      i32.const 2047
      i32.and
      local.tee 2
      i32.const 1075
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 0
      local.get 1
      i32.const 1
      i32.shl
      local.get 0
      i32.const 0
      i32.ne
      i32.or
      i32.const -2097151
      i32.lt_u
      local.tee 2
      select
      local.get 1
      i32.const 2146959360
      local.get 2
      select
      return
    end
    block (;@1;)
      local.get 2
      i32.const 1022
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      i32.const -1074790400
      local.get 1
      i32.const -1
      i32.gt_s
      select
      local.get 1
      local.get 1
      i32.const 1
      i32.shl
      local.get 0
      i32.or
      select
      return
    end
    local.get 1
    i32.const 1048576
    local.get 2
    i32.const -1023
    i32.add
    i32.shr_u
    local.tee 3
    i32.const -1
    i32.add
    i32.const 0
    local.get 2
    i32.const 1044
    i32.lt_u
    local.tee 4
    select
    local.tee 5
    i32.const -1
    i32.xor
    i32.and
    local.set 6
    local.get 0
    i32.const 0
    i32.const 0
    i32.const -2147483648
    local.get 2
    i32.const -1044
    i32.add
    i32.shr_u
    local.get 4
    select
    local.tee 7
    i32.sub
    i32.and
    local.set 4
    block (;@1;)
      local.get 1
      i32.const -1
      i32.le_s
      br_if 0 (;@1;)
      local.get 4
      local.get 6
      return
    end
    block (;@1;)
      local.get 5
      local.get 1
      i32.and
      local.get 7
      i32.const -1
      i32.add
      local.get 0
      i32.and
      i32.or
      br_if 0 (;@1;)
      local.get 4
      local.get 6
      return
    end
    local.get 4
    local.get 7
    i32.add
    local.tee 1
    local.get 6
    local.get 3
    i32.const 0
    local.get 2
    i32.const 1044
    i32.lt_u
    select
    i32.add
    local.get 1
    local.get 4
    i32.lt_u
    i32.add
  )
  (func $f64_nearest (;67;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    block (;@1;)
      local.get 1
      i32.const 20
      i32.shr_u
      i32.const 2047
      i32.and
      local.tee 2
      i32.const 1075
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 0
      local.get 1
      i32.const 1
      i32.shl
      local.get 0
      i32.const 0
      i32.ne
      i32.or
      i32.const -2097151
      i32.lt_u
      local.tee 2
      select
      local.get 1
      i32.const 2146959360
      local.get 2
      select
      return
    end
    local.get 2
    i32.const -1023
    i32.add
    local.set 3
    block (;@1;)
      local.get 2
      i32.const 1022
      i32.gt_u
      br_if 0 (;@1;)
      block (;@2;)
        local.get 1
        i32.const 1
        i32.shl
        local.get 0
        i32.or
        br_if 0 (;@2;)
        local.get 0
        local.get 1
        return
      end
      local.get 1
      i32.const -2147483648
      i32.and
      local.set 2
      block (;@2;)
        local.get 3
        i32.const -1
        i32.ne
        br_if 0 (;@2;)
        local.get 1
        i32.const 1048575
        i32.and
        local.get 0
        i32.or
        i32.eqz
        br_if 0 (;@2;)
        local.get 2
        i32.const 1072693248
        i32.or
        local.set 2
      end
      i32.const 0
      local.get 2
      return
    end
    i32.const 0
    local.set 4
    i32.const 1048576
    local.get 3
    i32.shr_u
    local.tee 5
    i32.const 0
    local.get 2
    i32.const 1044
    i32.lt_u
    local.tee 6
    select
    local.tee 7
    i32.const 31
    i32.shl
    i32.const 0
    i32.const -2147483648
    local.get 2
    i32.const -1044
    i32.add
    i32.shr_u
    local.get 6
    select
    local.tee 2
    i32.const 1
    i32.shr_u
    i32.or
    local.set 8
    local.get 7
    i32.const 1
    i32.shr_u
    local.set 9
    local.get 5
    i32.const -1
    i32.add
    i32.const 0
    local.get 6
    select
    local.tee 5
    local.get 1
    i32.and
    local.set 6
    local.get 5
    i32.const -1
    i32.xor
    local.set 10
    i32.const 0
    local.get 2
    i32.sub
    local.set 11
    local.get 2
    i32.const -1
    i32.add
    local.get 0
    i32.and
    local.set 5
    block (;@1;)
      local.get 3
      i32.eqz
      br_if 0 (;@1;)
      local.get 2
      local.get 0
      i32.and
      br_if 0 (;@1;)
      local.get 7
      local.get 1
      i32.and
      i32.eqz
      local.set 4
    end
    local.get 1
    local.get 10
    i32.and
    local.set 3
    local.get 0
    local.get 11
    i32.and
    local.set 1
    block (;@1;)
      block (;@2;)
        local.get 8
        local.get 5
        i32.lt_u
        local.get 9
        local.get 6
        i32.lt_u
        local.get 9
        local.get 6
        i32.eq
        select
        local.tee 0
        br_if 0 (;@2;)
        local.get 4
        br_if 0 (;@2;)
        block (;@3;)
          local.get 5
          local.get 8
          i32.eq
          br_if 0 (;@3;)
          local.get 1
          local.get 3
          return
        end
        local.get 6
        local.get 9
        i32.eq
        br_if 1 (;@1;)
        local.get 1
        local.get 3
        return
      end
      local.get 0
      br_if 0 (;@1;)
      local.get 1
      local.get 3
      return
    end
    local.get 1
    local.get 2
    i32.add
    local.tee 0
    local.get 3
    local.get 7
    i32.add
    local.get 0
    local.get 1
    i32.lt_u
    i32.add
  )
  (func $f64_from_u32 (;68;) (type 6) (param i32) (result i32 i32)
    (local i32)
    block (;@1;)
      local.get 0
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      return
    end
    local.get 0
    local.get 0
    i32.clz
    local.tee 1
    i32.shl
    local.tee 0
    i32.const 21
    i32.shl
    local.get 0
    i32.const 11
    i32.shr_u
    local.get 1
    i32.const 20
    i32.shl
    i32.sub
    i32.const 1104150528
    i32.add
  )
  (func $f64_from_i32 (;69;) (type 6) (param i32) (result i32 i32)
    (local i32 i32)
    block (;@1;)
      i32.const 0
      local.get 0
      i32.sub
      local.get 0
      local.get 0
      i32.const -2147483648
      i32.and
      local.tee 1
      select
      local.tee 0
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      return
    end
    local.get 0
    local.get 0
    i32.clz
    local.tee 2
    i32.shl
    local.tee 0
    i32.const 21
    i32.shl
    local.get 1
    i32.const 1104150528
    i32.or
    local.get 2
    i32.const 20
    i32.shl
    i32.sub
    local.get 0
    i32.const 11
    i32.shr_u
    i32.add
  )
  (func $f64_from_u64 (;70;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32)
    block (;@1;)
      local.get 1
      local.get 0
      i32.or
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      return
    end
    block (;@1;)
      block (;@2;)
        local.get 1
        i32.clz
        local.get 0
        i32.clz
        i32.const 32
        i32.add
        local.get 1
        select
        local.tee 2
        i32.const 32
        i32.and
        i32.eqz
        br_if 0 (;@2;)
        local.get 0
        local.get 2
        i32.shl
        local.set 1
        i32.const 0
        local.set 0
        br 1 (;@1;)
      end
      local.get 0
      i32.const 1
      i32.shr_u
      local.get 2
      i32.const -1
      i32.xor
      i32.shr_u
      local.get 1
      local.get 2
      i32.shl
      i32.or
      local.set 1
      local.get 0
      local.get 2
      i32.shl
      local.set 0
    end
    local.get 1
    i32.const 21
    i32.shl
    local.get 0
    i32.const 11
    i32.shr_u
    i32.or
    local.tee 3
    local.get 3
    i32.const 1
    i32.and
    local.get 0
    i32.const 2047
    i32.and
    i32.add
    i32.const 1024
    i32.gt_u
    i32.add
    local.tee 0
    local.get 1
    i32.const 11
    i32.shr_u
    local.get 2
    i32.const 20
    i32.shl
    i32.sub
    local.get 0
    local.get 3
    i32.lt_u
    i32.add
    i32.const 1137704960
    i32.add
  )
  (func $f64_from_i64 (;71;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32 i32)
    block (;@1;)
      i32.const 0
      local.get 0
      i32.sub
      local.get 0
      local.get 1
      i32.const -2147483648
      i32.and
      local.tee 2
      select
      local.tee 3
      i32.const -1
      i32.const 0
      local.get 0
      select
      local.get 1
      i32.sub
      local.get 1
      local.get 2
      select
      local.tee 1
      i32.or
      br_if 0 (;@1;)
      i32.const 0
      i32.const 0
      return
    end
    block (;@1;)
      block (;@2;)
        local.get 1
        i32.clz
        local.get 3
        i32.clz
        i32.const 32
        i32.add
        local.get 1
        select
        local.tee 0
        i32.const 32
        i32.and
        i32.eqz
        br_if 0 (;@2;)
        local.get 3
        local.get 0
        i32.shl
        local.set 1
        i32.const 0
        local.set 3
        br 1 (;@1;)
      end
      local.get 3
      i32.const 1
      i32.shr_u
      local.get 0
      i32.const -1
      i32.xor
      i32.shr_u
      local.get 1
      local.get 0
      i32.shl
      i32.or
      local.set 1
      local.get 3
      local.get 0
      i32.shl
      local.set 3
    end
    local.get 1
    i32.const 21
    i32.shl
    local.get 3
    i32.const 11
    i32.shr_u
    i32.or
    local.tee 4
    local.get 4
    i32.const 1
    i32.and
    local.get 3
    i32.const 2047
    i32.and
    i32.add
    i32.const 1024
    i32.gt_u
    i32.add
    local.tee 3
    local.get 2
    i32.const 1137704960
    i32.or
    local.get 0
    i32.const 20
    i32.shl
    i32.sub
    local.get 1
    i32.const 11
    i32.shr_u
    i32.add
    local.get 3
    local.get 4
    i32.lt_u
    i32.add
  )
  (func $f64_promote (;72;) (type 6) (param i32) (result i32 i32)
    (local i32 i32 i32)
    local.get 0
    i32.const 8388607
    i32.and
    local.set 1
    local.get 0
    i32.const -2147483648
    i32.and
    local.set 2
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 0
          i32.const 23
          i32.shr_u
          i32.const 255
          i32.and
          local.tee 3
          i32.eqz
          br_if 0 (;@3;)
          local.get 3
          i32.const 255
          i32.ne
          br_if 1 (;@2;)
          i32.const 2146959360
          local.set 2
          i32.const 0
          local.set 3
          local.get 1
          br_if 2 (;@1;)
          i32.const 0
          local.get 0
          i32.const 2146435072
          i32.or
          return
        end
        block (;@3;)
          local.get 1
          br_if 0 (;@3;)
          i32.const 0
          local.get 2
          return
        end
        i32.const 9
        local.get 1
        i32.clz
        local.tee 1
        i32.sub
        local.set 3
        local.get 0
        local.get 1
        i32.const -8
        i32.add
        i32.shl
        i32.const 8388607
        i32.and
        local.set 1
      end
      local.get 3
      i32.const 20
      i32.shl
      local.get 1
      i32.const 3
      i32.shr_u
      i32.or
      i32.const 939524096
      i32.add
      local.get 2
      i32.or
      local.set 2
      local.get 1
      i32.const 29
      i32.shl
      local.set 3
    end
    local.get 3
    local.get 2
  )
  (func $f64_trunc_i32_u (;73;) (type 4) (param i32 i32) (result i32)
    (local i32 i32)
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 20
          i32.shr_u
          i32.const 2047
          i32.and
          local.tee 2
          i32.const 1054
          i32.gt_u
          br_if 0 (;@3;)
          local.get 1
          i32.const -1
          i32.gt_s
          br_if 1 (;@2;)
          local.get 2
          i32.const 1023
          i32.lt_u
          br_if 1 (;@2;)
        end
        local.get 1
        i32.const 1
        i32.shl
        local.get 0
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097151
        i32.ge_u
        br_if 1 (;@1;)
        call $trap_overflow
        unreachable
      end
      i32.const 0
      local.set 3
      block (;@2;)
        local.get 2
        i32.const 1023
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const 11
        i32.shl
        local.get 0
        i32.const 21
        i32.shr_u
        i32.or
        i32.const -2147483648
        i32.or
        i32.const 1054
        local.get 2
        i32.sub
        i32.shr_u
        local.set 3
      end
      local.get 3
      return
    end
    call $trap_conversion
    unreachable
  )
  (func $f64_trunc_i32_s (;74;) (type 4) (param i32 i32) (result i32)
    (local i32 i32)
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 20
          i32.shr_u
          i32.const 2047
          i32.and
          local.tee 2
          i32.const 1055
          i32.lt_u
          br_if 0 (;@3;)
          local.get 1
          i32.const 1
          i32.shl
          local.get 0
          i32.const 0
          i32.ne
          i32.or
          i32.const -2097151
          i32.ge_u
          br_if 1 (;@2;)
          br 2 (;@1;)
        end
        i32.const 0
        local.set 3
        block (;@3;)
          local.get 2
          i32.const 1023
          i32.lt_u
          br_if 0 (;@3;)
          local.get 1
          i32.const 11
          i32.shl
          local.get 0
          i32.const 21
          i32.shr_u
          i32.or
          i32.const -2147483648
          i32.or
          i32.const 1054
          local.get 2
          i32.sub
          i32.shr_u
          local.tee 3
          local.get 1
          i32.const 31
          i32.shr_u
          i32.const 2147483647
          i32.add
          i32.gt_u
          br_if 2 (;@1;)
        end
        i32.const 0
        local.get 3
        i32.sub
        local.get 3
        local.get 1
        i32.const 0
        i32.lt_s
        select
        return
      end
      call $trap_conversion
      unreachable
    end
    call $trap_overflow
    unreachable
  )
  (func $f64_trunc_i64_u (;75;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32 i32)
    block (;@1;)
      block (;@2;)
        block (;@3;)
          local.get 1
          i32.const 20
          i32.shr_u
          i32.const 2047
          i32.and
          local.tee 2
          i32.const 1086
          i32.gt_u
          br_if 0 (;@3;)
          local.get 1
          i32.const -1
          i32.gt_s
          br_if 1 (;@2;)
          local.get 2
          i32.const 1023
          i32.lt_u
          br_if 1 (;@2;)
        end
        local.get 1
        i32.const 1
        i32.shl
        local.get 0
        i32.const 0
        i32.ne
        i32.or
        i32.const -2097151
        i32.ge_u
        br_if 1 (;@1;)
        call $trap_overflow
        unreachable
      end
      i32.const 0
      local.set 3
      i32.const 0
      local.set 4
      block (;@2;)
        local.get 2
        i32.const 1023
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const 1048575
        i32.and
        i32.const 1048576
        i32.or
        local.set 1
        block (;@3;)
          local.get 2
          i32.const 1075
          i32.lt_u
          br_if 0 (;@3;)
          local.get 0
          local.get 2
          i32.const -1075
          i32.add
          local.tee 2
          i32.shl
          local.get 0
          i32.const 1
          i32.shr_u
          local.get 2
          i32.const 31
          i32.xor
          i32.shr_u
          local.get 1
          local.get 2
          i32.shl
          i32.or
          return
        end
        block (;@3;)
          i32.const 1075
          local.get 2
          i32.sub
          local.tee 2
          i32.const 32
          i32.and
          i32.eqz
          br_if 0 (;@3;)
          local.get 1
          local.get 2
          i32.shr_u
          i32.const 0
          return
        end
        local.get 1
        i32.const 1
        i32.shl
        local.get 2
        i32.const -1
        i32.xor
        i32.shl
        local.get 0
        local.get 2
        i32.shr_u
        i32.or
        local.set 3
        local.get 1
        local.get 2
        i32.shr_u
        local.set 4
      end
      local.get 3
      local.get 4
      return
    end
    call $trap_conversion
    unreachable
  )
  (func $f64_trunc_i64_s (;76;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32 i32)
    block (;@1;)
      block (;@2;)
        block (;@3;)
          block (;@4;)
            block (;@5;)
              local.get 1
              i32.const 20
              i32.shr_u
              i32.const 2047
              i32.and
              local.tee 2
              i32.const 1086
              i32.lt_u
              br_if 0 (;@5;)
              block (;@6;)
                local.get 0
                br_if 0 (;@6;)
                i32.const 1048576
                local.set 3
                local.get 1
                i32.const -1008730112
                i32.eq
                br_if 2 (;@4;)
              end
              local.get 1
              i32.const 1
              i32.shl
              local.get 0
              i32.const 0
              i32.ne
              i32.or
              i32.const -2097151
              i32.ge_u
              br_if 4 (;@1;)
              call $trap_overflow
              unreachable
            end
            i32.const 0
            local.set 4
            i32.const 0
            local.set 3
            local.get 2
            i32.const 1023
            i32.lt_u
            br_if 2 (;@2;)
            local.get 1
            i32.const 1048575
            i32.and
            i32.const 1048576
            i32.or
            local.set 3
            local.get 2
            i32.const 1075
            i32.lt_u
            br_if 1 (;@3;)
          end
          block (;@4;)
            local.get 2
            i32.const -1075
            i32.add
            local.tee 4
            i32.const 32
            i32.and
            i32.eqz
            br_if 0 (;@4;)
            local.get 0
            local.get 4
            i32.shl
            local.set 3
            i32.const 0
            local.set 4
            br 2 (;@2;)
          end
          local.get 0
          i32.const 1
          i32.shr_u
          local.get 4
          i32.const -1
          i32.xor
          i32.shr_u
          local.get 3
          local.get 4
          i32.shl
          i32.or
          local.set 3
          local.get 0
          local.get 4
          i32.shl
          local.set 4
          br 1 (;@2;)
        end
        block (;@3;)
          i32.const 1075
          local.get 2
          i32.sub
          local.tee 2
          i32.const 32
          i32.and
          i32.eqz
          br_if 0 (;@3;)
          local.get 3
          local.get 2
          i32.shr_u
          local.set 4
          i32.const 0
          local.set 3
          br 1 (;@2;)
        end
        local.get 3
        i32.const 1
        i32.shl
        local.get 2
        i32.const -1
        i32.xor
        i32.shl
        local.get 0
        local.get 2
        i32.shr_u
        i32.or
        local.set 4
        local.get 3
        local.get 2
        i32.shr_u
        local.set 3
      end
      block (;@2;)
        local.get 1
        i32.const -1
        i32.gt_s
        br_if 0 (;@2;)
        i32.const -1
        i32.const 0
        local.get 4
        select
        local.get 3
        i32.sub
        local.set 3
        i32.const 0
        local.get 4
        i32.sub
        local.set 4
      end
      local.get 4
      local.get 3
      return
    end
    call $trap_conversion
    unreachable
  )
  (func $f64_sat_i32_u (;77;) (type 4) (param i32 i32) (result i32)
    (local i32)
    i32.const 0
    local.set 2
    block (;@1;)
      local.get 1
      i32.const 0
      i32.lt_s
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      local.get 0
      i32.const 0
      i32.ne
      i32.or
      i32.const -2097152
      i32.gt_u
      br_if 0 (;@1;)
      i32.const -1
      local.set 2
      local.get 1
      i32.const 1106247679
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      local.set 2
      local.get 1
      i32.const 1072693248
      i32.lt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const 11
      i32.shl
      local.get 0
      i32.const 21
      i32.shr_u
      i32.or
      i32.const -2147483648
      i32.or
      i32.const 1054
      local.get 1
      i32.const 20
      i32.shr_u
      i32.sub
      i32.shr_u
      local.set 2
    end
    local.get 2
  )
  (func $f64_sat_i32_s (;78;) (type 4) (param i32 i32) (result i32)
    (local i32 i32)
    i32.const 0
    local.set 2
    block (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      local.get 0
      i32.const 0
      i32.ne
      i32.or
      i32.const -2097152
      i32.gt_u
      br_if 0 (;@1;)
      block (;@2;)
        local.get 1
        i32.const 20
        i32.shr_u
        i32.const 2047
        i32.and
        local.tee 2
        i32.const 1054
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const 31
        i32.shr_u
        i32.const 2147483647
        i32.add
        return
      end
      i32.const 0
      local.set 3
      block (;@2;)
        local.get 2
        i32.const 1023
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const 11
        i32.shl
        local.get 0
        i32.const 21
        i32.shr_u
        i32.or
        i32.const -2147483648
        i32.or
        i32.const 1054
        local.get 2
        i32.sub
        i32.shr_u
        local.set 3
      end
      i32.const 0
      local.get 3
      i32.sub
      local.get 3
      local.get 1
      i32.const 0
      i32.lt_s
      select
      local.set 2
    end
    local.get 2
  )
  (func $f64_sat_i64_u (;79;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32)
    i32.const 0
    local.set 2
    i32.const 0
    local.set 3
    block (;@1;)
      local.get 1
      i32.const 0
      i32.lt_s
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      local.get 0
      i32.const 0
      i32.ne
      i32.or
      i32.const -2097152
      i32.gt_u
      br_if 0 (;@1;)
      i32.const -1
      local.set 2
      i32.const -1
      local.set 3
      local.get 1
      i32.const 1139802111
      i32.gt_u
      br_if 0 (;@1;)
      block (;@2;)
        local.get 1
        i32.const 1072693248
        i32.ge_u
        br_if 0 (;@2;)
        i32.const 0
        i32.const 0
        return
      end
      local.get 1
      i32.const 20
      i32.shr_u
      local.set 2
      local.get 1
      i32.const 1048575
      i32.and
      i32.const 1048576
      i32.or
      local.set 3
      block (;@2;)
        local.get 1
        i32.const 1127219200
        i32.lt_u
        br_if 0 (;@2;)
        block (;@3;)
          local.get 2
          i32.const -1075
          i32.add
          local.tee 1
          i32.const 32
          i32.and
          i32.eqz
          br_if 0 (;@3;)
          i32.const 0
          local.get 0
          local.get 1
          i32.shl
          return
        end
        local.get 0
        local.get 1
        i32.shl
        local.get 0
        i32.const 1
        i32.shr_u
        local.get 1
        i32.const -1
        i32.xor
        i32.shr_u
        local.get 3
        local.get 1
        i32.shl
        i32.or
        return
      end
      block (;@2;)
        i32.const 1075
        local.get 2
        i32.sub
        local.tee 1
        i32.const 32
        i32.and
        i32.eqz
        br_if 0 (;@2;)
        local.get 3
        local.get 1
        i32.shr_u
        i32.const 0
        return
      end
      local.get 3
      i32.const 1
      i32.shl
      local.get 1
      i32.const -1
      i32.xor
      i32.shl
      local.get 0
      local.get 1
      i32.shr_u
      i32.or
      local.set 2
      local.get 3
      local.get 1
      i32.shr_u
      local.set 3
    end
    local.get 2
    local.get 3
  )
  (func $f64_sat_i64_s (;80;) (type 1) (param i32 i32) (result i32 i32)
    (local i32 i32 i32)
    i32.const 0
    local.set 2
    i32.const 0
    local.set 3
    block (;@1;)
      local.get 1
      i32.const 1
      i32.shl
      local.get 0
      i32.const 0
      i32.ne
      i32.or
      i32.const -2097152
      i32.gt_u
      br_if 0 (;@1;)
      block (;@2;)
        local.get 1
        i32.const 20
        i32.shr_u
        i32.const 2047
        i32.and
        local.tee 4
        i32.const 1086
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const 31
        i32.shr_u
        local.tee 1
        i32.const -1
        i32.add
        local.get 1
        i32.const 2147483647
        i32.add
        return
      end
      i32.const 0
      local.set 2
      i32.const 0
      local.set 3
      block (;@2;)
        local.get 4
        i32.const 1023
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const 1048575
        i32.and
        i32.const 1048576
        i32.or
        local.set 3
        block (;@3;)
          local.get 4
          i32.const 1075
          i32.lt_u
          br_if 0 (;@3;)
          local.get 0
          i32.const 1
          i32.shr_u
          local.get 4
          i32.const -1075
          i32.add
          local.tee 2
          i32.const 31
          i32.xor
          i32.shr_u
          local.get 3
          local.get 2
          i32.shl
          i32.or
          local.set 3
          local.get 0
          local.get 2
          i32.shl
          local.set 2
          br 1 (;@2;)
        end
        block (;@3;)
          i32.const 1075
          local.get 4
          i32.sub
          local.tee 4
          i32.const 32
          i32.and
          i32.eqz
          br_if 0 (;@3;)
          local.get 3
          local.get 4
          i32.shr_u
          local.set 2
          i32.const 0
          local.set 3
          br 1 (;@2;)
        end
        local.get 3
        i32.const 1
        i32.shl
        local.get 4
        i32.const -1
        i32.xor
        i32.shl
        local.get 0
        local.get 4
        i32.shr_u
        i32.or
        local.set 2
        local.get 3
        local.get 4
        i32.shr_u
        local.set 3
      end
      local.get 1
      i32.const -1
      i32.gt_s
      br_if 0 (;@1;)
      i32.const -1
      i32.const 0
      local.get 2
      select
      local.get 3
      i32.sub
      local.set 3
      i32.const 0
      local.get 2
      i32.sub
      local.set 2
    end
    local.get 2
    local.get 3
  )
  (export "trap.divide" (func $trap_divide))
  (export "trap.overflow" (func $trap_overflow))
  (export "trap.conversion" (func $trap_conversion))
  (export "mul.wide" (func $mul_wide))
  (export "i64.mul" (func $mul))
  (export "i64.shl" (func $shl))
  (export "i64.shr_u" (func $shr_u))
  (export "i64.shr_s" (func $shr_s))
  (export "i64.rotl" (func $rotl))
  (export "i64.rotr" (func $rotr))
  (export "i64.clz" (func $clz))
  (export "i64.ctz" (func $ctz))
  (export "i64.popcnt" (func $popcnt))
  (export "i64.div_u" (func $div_u))
  (export "i64.rem_u" (func $rem_u))
  (export "i64.div_s" (func $div_s))
  (export "i64.rem_s" (func $rem_s))
  (export "f32.add" (func $f32_add))
  (export "f32.sub" (func $f32_sub))
  (export "f32.mul" (func $f32_mul))
  (export "f32.div" (func $f32_div))
  (export "f32.sqrt" (func $f32_sqrt))
  (export "f32.eq" (func $f32_eq))
  (export "f32.ne" (func $f32_ne))
  (export "f32.lt" (func $f32_lt))
  (export "f32.gt" (func $f32_gt))
  (export "f32.le" (func $f32_le))
  (export "f32.ge" (func $f32_ge))
  (export "f32.min" (func $f32_min))
  (export "f32.max" (func $f32_max))
  (export "f32.trunc" (func $f32_trunc))
  (export "f32.ceil" (func $f32_ceil))
  (export "f32.floor" (func $f32_floor))
  (export "f32.nearest" (func $f32_nearest))
  (export "f32.convert_i32_u" (func $f32_from_u32))
  (export "f32.convert_i32_s" (func $f32_from_i32))
  (export "f32.convert_i64_u" (func $f32_from_u64))
  (export "f32.convert_i64_s" (func $f32_from_i64))
  (export "f32.demote_f64" (func $f32_demote))
  (export "i32.trunc_f32_u" (func $f32_trunc_i32_u))
  (export "i32.trunc_f32_s" (func $f32_trunc_i32_s))
  (export "i64.trunc_f32_u" (func $f32_trunc_i64_u))
  (export "i64.trunc_f32_s" (func $f32_trunc_i64_s))
  (export "i32.trunc_sat_f32_u" (func $f32_sat_i32_u))
  (export "i32.trunc_sat_f32_s" (func $f32_sat_i32_s))
  (export "i64.trunc_sat_f32_u" (func $f32_sat_i64_u))
  (export "i64.trunc_sat_f32_s" (func $f32_sat_i64_s))
  (export "f64.add" (func $f64_add))
  (export "f64.sub" (func $f64_sub))
  (export "f64.mul" (func $f64_mul))
  (export "f64.div" (func $f64_div))
  (export "f64.sqrt" (func $f64_sqrt))
  (export "f64.eq" (func $f64_eq))
  (export "f64.ne" (func $f64_ne))
  (export "f64.lt" (func $f64_lt))
  (export "f64.gt" (func $f64_gt))
  (export "f64.le" (func $f64_le))
  (export "f64.ge" (func $f64_ge))
  (export "f64.min" (func $f64_min))
  (export "f64.max" (func $f64_max))
  (export "f64.trunc" (func $f64_trunc))
  (export "f64.ceil" (func $f64_ceil))
  (export "f64.floor" (func $f64_floor))
  (export "f64.nearest" (func $f64_nearest))
  (export "f64.convert_i32_u" (func $f64_from_u32))
  (export "f64.convert_i32_s" (func $f64_from_i32))
  (export "f64.convert_i64_u" (func $f64_from_u64))
  (export "f64.convert_i64_s" (func $f64_from_i64))
  (export "f64.promote_f32" (func $f64_promote))
  (export "i32.trunc_f64_u" (func $f64_trunc_i32_u))
  (export "i32.trunc_f64_s" (func $f64_trunc_i32_s))
  (export "i64.trunc_f64_u" (func $f64_trunc_i64_u))
  (export "i64.trunc_f64_s" (func $f64_trunc_i64_s))
  (export "i32.trunc_sat_f64_u" (func $f64_sat_i32_u))
  (export "i32.trunc_sat_f64_s" (func $f64_sat_i32_s))
  (export "i64.trunc_sat_f64_u" (func $f64_sat_i64_u))
  (export "i64.trunc_sat_f64_s" (func $f64_sat_i64_s))
)
