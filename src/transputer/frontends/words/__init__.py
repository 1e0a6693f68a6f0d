"""Words to programs: text, the numbers in it, a typed plan over them, WebAssembly."""
