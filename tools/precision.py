"""Measure what fails in float32 and bfloat16, and draw it.

    python tools/precision.py FILE.safetensors... [--results FILE] [--picture FILE]

FILE is a program exported with `transputer export --to safetensors`; the results are named after
the files. Needs NumPy alone. Every step is decoded from the same exact tokens: in float64, which is
exact, and in a narrower type, where weights, sums, products and scores are rounded (sums of
bfloat16 are accumulated in float32). The first difference inside a forward pass says which
quantity failed first.
"""

import argparse
import json
import math
from collections import Counter
from pathlib import Path

import numpy as np

STEPS = 12
#: Integers up to this are exact.
EXACT = {"bfloat16": 2**8, "float32": 2**24, "float64": 2**53}


def tensors(contents):
    """The description of a file, and a function that loads a dense tensor."""
    start = 8 + int.from_bytes(contents[:8], "little")
    header = json.loads(contents[8:start])

    def load(name, *shape):
        dense, data = np.zeros(int(np.prod(shape))), []
        for what, kind in (("index", "<u4"), ("weight", "<f8")):
            first, last = header[f"{name}.{what}"]["data_offsets"]
            data.append(np.frombuffer(contents[start + first : start + last], kind))
        dense[data[0]] = data[1]
        return dense.reshape(shape)

    return json.loads(header["__metadata__"]["transputer"]), load


def bfloat16(x):
    """The nearest bfloat16, ties to even, as a float32."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)).view(np.float32)


ROUND = {
    "float64": lambda x: x,
    "float32": lambda x: np.asarray(x, dtype=np.float32),
    "bfloat16": bfloat16,
}


class Decoder:
    """The textbook forward pass in a type; `stages` has what the last pass computed."""

    def __init__(self, about, load, kind):
        self.round, self.t, width = ROUND[kind], 0, about["width"]

        def put(name, *shape):
            return self.round(load(name, *shape))

        self.bias, self.position = put("bias", width), put("position", width)
        self.embedding = [put(f"embedding.{n}", size, width) for n, size in about["parts"]]
        self.output = [put(f"output.{n}", size, width) for n, size in about["parts"]]
        self.layers = []
        for i, layer in enumerate(about["layers"]):
            heads = []
            for h, (rows, values) in enumerate(layer["heads"]):
                shapes = {"query": (rows, width), "key": (rows, width)}
                shapes |= {"value": (values, width), "output": (width, values)}
                weights = [put(f"layer{i}.head{h}.{n}", *s) for n, s in shapes.items()]
                heads.append((weights, [], []))
            n = layer["neurons"]
            gate, value = (put(f"layer{i}.{name}", n, width) for name in ("gate", "value"))
            self.layers.append((heads, gate, value, put(f"layer{i}.out", width, n)))

    def step(self, token):
        """Append a token; return the next one. Every sum, product and score is rounded."""
        r = self.round
        x = r(self.bias + r(self.position * r(np.array(float(self.t)))))
        for table, value in zip(self.embedding, token, strict=True):
            x = r(x + table[value])
        self.t, self.stages, self.largest = self.t + 1, {"embedding": x}, Counter()
        for i, (heads, gate, value, out) in enumerate(self.layers):
            read = np.zeros_like(x)
            for h, ((query, key, take, back), keys, values) in enumerate(heads):
                keys.append(r(key @ x))
                values.append(r(take @ x))
                scores = r(np.array(keys) @ r(query @ x))
                winner = len(scores) - 1 - int(np.argmax(scores[::-1]))
                self.stages[f"attention of layer {i}, head {h}"] = winner
                self._largest("score", scores)
                read = r(read + r(back @ values[winner]))
            x = r(x + read)
            self.stages[f"stream of layer {i} after the heads"] = x
            gates, factors = np.maximum(r(gate @ x), 0), r(value @ x)
            products = r(gates * factors)
            self._largest("gate", gates)
            self._largest("product", products)
            x = r(x + r(out @ products))
            self.stages[f"neurons of layer {i}"] = x
            self._largest("stream", x)
        logits = [r(table @ x) for table in self.output]
        for logit in logits:
            self._largest("logit", logit)
        return [int(np.argmax(logit)) for logit in logits]

    def _largest(self, name, values):
        self.largest[name] = max(self.largest[name], float(np.abs(values).max(initial=0.0)))


def first_difference(exact, other):
    """The first stage of a pass that differs from the exact one."""
    for name, wanted in exact.items():
        given = other[name]
        if isinstance(wanted, int):
            if wanted != given:
                return name
        elif (wanted != given).any():
            return f"{name}, lane {int(np.argmax(np.abs(wanted - given)))}"
    return "logits"


def measured(path):
    """What fails in each type for one program."""
    about, load = tensors(path.read_bytes())
    program = about["hints"]["program"]
    names = [name for name, _ in about["parts"]]
    value, status = names.index("value0"), names.index("status")
    for token, number in zip(program["arguments"], program["defaults"], strict=True):
        token[value : value + 8] = list(number.to_bytes(8, "little"))
    prompt = program["before"] + program["arguments"] + program["after"]
    decoders = {kind: Decoder(about, load, kind) for kind in ROUND}
    for token in prompt[:-1]:
        for decoder in decoders.values():
            decoder.step(token)
    token, largest = prompt[-1], Counter()
    result = {k: {"first wrong step": None, "wrong": 0, "attention": Counter(), "first": None}
              for k in ROUND if k != "float64"}  # fmt: skip
    lanes = about.get("names") or []
    heads = {f"attention of layer {h['layer']}, head {h['head']}": h["name"]
             for h in about["hints"].get("heads", [])}  # fmt: skip
    for number in range(1, STEPS + 1):
        following = {kind: decoder.step(token) for kind, decoder in decoders.items()}
        for name, most in decoders["float64"].largest.items():
            largest[name] = max(largest[name], most)
        exact = decoders["float64"].stages
        for kind, entry in result.items():
            stages = decoders[kind].stages
            for name, wanted in exact.items():
                if isinstance(wanted, int) and stages[name] != wanted:
                    entry["attention"][heads.get(name, name)] += 1
            if following[kind] == following["float64"]:
                continue
            entry["wrong"] += 1
            if entry["first wrong step"] is None:
                where = first_difference(exact, stages)
                stage, _, lane = where.partition(", lane ")
                name = heads.get(where) or (lanes[int(lane)] if lane and lanes else "")
                pairs = zip(names, following["float64"], following[kind], strict=True)
                wrong = [f"{n}: {b}, not {a}" for n, a, b in pairs if a != b]
                stage = f"{stage} ({name})" if name else stage
                entry |= {"first wrong step": number, "first": stage, "parts": wrong[:6]}
        token = following["float64"]
        if token[status]:
            break
    return {"prompt": len(prompt), "steps": number, "largest": largest, **result}


def picture(largest):
    """Bars: the bits that each quantity needed, with the limits of the types."""
    row, left, scale = 26, 90, 8.0
    bottom = 34 + row * len(largest)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 {bottom + 44}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="620" height="{bottom + 44}" fill="white"/>',
        f'<text x="{left}" y="18" font-weight="bold">Largest number of a pass, in bits</text>',
    ]
    for i, (name, most) in enumerate(sorted(largest.items(), key=lambda item: item[1])):
        bits, y = math.log2(most + 1), 34 + row * i
        lines += [
            f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{name}</text>',
            f'<rect x="{left}" y="{y}" width="{bits * scale:.0f}" height="18" fill="#5b8def"/>',
            f'<text x="{left + bits * scale + 4:.0f}" y="{y + 14}">{bits:.0f}</text>',
        ]
    for name, limit in EXACT.items():
        x = left + math.log2(limit) * scale
        lines += [
            f'<line x1="{x:.0f}" y1="28" x2="{x:.0f}" y2="{bottom}" stroke="#c0392b" '
            'stroke-dasharray="4 3"/>',
            f'<text x="{x:.0f}" y="{bottom + 15}" text-anchor="middle" fill="#c0392b">{name}'
            "</text>",
        ]
    lines.append(f'<text x="{left}" y="{bottom + 36}">bits (log2 of the magnitude); exact to the '
                 "left of a type's line</text>")  # fmt: skip
    return "\n".join([*lines, "</svg>"]) + "\n"


def main():
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--results", type=Path, default=Path("docs/precision/results.json"))
    parser.add_argument("--picture", type=Path, default=Path("docs/img/precision.svg"))
    options = parser.parse_args()
    programs = {path.stem: measured(path) for path in options.files}
    largest = Counter()
    for result in programs.values():
        for kind, most in result.pop("largest").items():
            largest[kind] = max(largest[kind], most)
    content = {"steps": STEPS, "largest": largest, "programs": programs}
    options.results.write_text(json.dumps(content, indent=1) + "\n")
    options.picture.write_text(picture(largest))
    print(json.dumps(content, indent=1))


if __name__ == "__main__":
    main()
