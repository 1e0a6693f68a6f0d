"""Run an exported program with NumPy alone: `python decoder.py FILE.safetensors [ARGUMENT...]`.

Written against docs/encoding.md and docs/export.md; it imports nothing of Transputer. Arguments and
results are integers, the bits of a value. Prints the output, the results and trace_sha256.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

SLOT, OUTPUT, INPUT = 1, 7, 3  # two spaces and a status


class Decoder:
    def __init__(self, contents):
        start = 8 + int.from_bytes(contents[:8], "little")
        self.data, self.header, self.t = contents[start:], json.loads(contents[8:start]), 0
        self.about = json.loads(self.header["__metadata__"]["transputer"])
        width, parts, self.layers = self.about["width"], self.about["parts"], []
        self.bias, self.position = self.dense("bias", width), self.dense("position", width)
        self.embedding = [self.dense(f"embedding.{name}", size, width) for name, size in parts]
        self.output = [self.dense(f"output.{name}", size, width) for name, size in parts]
        for i, layer in enumerate(self.about["layers"]):
            n, heads = layer["neurons"], []
            for h, (rows, values) in enumerate(layer["heads"]):
                at = f"layer{i}.head{h}."
                query, key = (
                    self.dense(at + "query", rows, width),
                    self.dense(at + "key", rows, width),
                )
                take, back = (
                    self.dense(at + "value", values, width),
                    self.dense(at + "output", width, values),
                )
                heads.append((query, key, take, back, [], []))
            gate, value = (self.dense(f"layer{i}.{k}", n, width) for k in ("gate", "value"))
            self.layers.append((heads, gate, value, self.dense(f"layer{i}.out", width, n)))

    def dense(self, name, *shape):
        # the file has the flat positions and the values of a tensor's nonzeros
        tensor, header = np.zeros(int(np.prod(shape))), self.header
        index = self.data[slice(*header[f"{name}.index"]["data_offsets"])]
        weight = self.data[slice(*header[f"{name}.weight"]["data_offsets"])]
        tensor[np.frombuffer(index, "<u4")] = np.frombuffer(weight, "<f8")
        return tensor.reshape(shape)

    def step(self, token):
        """Append a token; return the next one."""
        embedded = sum(table[v] for table, v in zip(self.embedding, token, strict=True))
        x, self.t = self.bias + self.position * self.t + embedded, self.t + 1
        for heads, gate, value, out in self.layers:
            read = np.zeros_like(x)
            for query, key, take, back, keys, values in heads:
                keys.append(key @ x)
                values.append(take @ x)
                read += back @ values[np.argmax(np.array(keys) @ (query @ x))]
            x = x + read
            x = x + out @ (np.maximum(gate @ x, 0) * (value @ x))
        return [int(np.argmax(table @ x)) for table in self.output]


def main(path, *arguments):
    decoder = Decoder(Path(path).read_bytes())
    program, trace, slots = decoder.about["hints"]["program"], b"", {}
    at = {name: i for i, (name, _) in enumerate(decoder.about["parts"])}
    value, place = slice(at["value0"], at["value0"] + 8), slice(at["at0"], at["at0"] + 4)
    for token, number in zip(program["arguments"], arguments or program["defaults"], strict=True):
        token[value] = (int(number) % 2**64).to_bytes(8, "little")
    prompt = program["before"] + program["arguments"] + program["after"]
    following, status = [decoder.step(token) for token in prompt][-1], 0
    while status in (0, INPUT):
        trace, status = trace + bytes(following), following[at["status"]]
        number = int.from_bytes(bytes(following[value]), "little")
        if following[at["space"]] == SLOT:
            slots[int.from_bytes(bytes(following[place]), "little")] = number
        elif following[at["space"]] == OUTPUT:
            print(chr(number & 255), end="")
        if status == INPUT:
            byte = sys.stdin.buffer.read(1) or b"\xff\xff\xff\xff"
            following[at["status"]], following[value] = 0, byte.ljust(8, b"\0")
        following = decoder.step(following)
    print(*(slots[i] for i in range(len(program["results"]))), sep="\n")
    print("trace_sha256", hashlib.sha256(trace).hexdigest())


main(*sys.argv[1:])
