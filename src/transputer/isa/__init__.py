"""The instruction tables, one row per instruction: WebAssembly, flat core code, assembly."""
