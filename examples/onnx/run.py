"""Run a loom program from its ONNX file: `python run.py gcd.onnx`, with onnxruntime and NumPy."""

import json
import sys

import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1])
about = json.loads(session.get_modelmeta().custom_metadata_map["transputer"])
last, steps, printed, result = session.run(["last", "steps", "printed", "result"], {})
sys.stdout.write(bytes(byte for byte in printed.tolist() if byte >= 0).decode())
print(f"{steps} steps, result {result}")
slots = last[about["rows"]["memory"], about["scratch"] :][:, : about["memory"]] > 0
words = (1 << np.arange(about["bits"], dtype=np.int64)) @ slots
for name, (slot, count) in about["symbols"].items():
    print(name, *words[slot : slot + count])
