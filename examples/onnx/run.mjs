// Run a loom program from its ONNX file: `node run.mjs gcd.onnx`, with onnxruntime-web.
import { readFileSync } from "node:fs";
import * as ort from "onnxruntime-web";

const session = await ort.InferenceSession.create(readFileSync(process.argv[2]));
const { steps, printed, result } = await session.run({});
const bytes = Array.from(printed.data, Number).filter((byte) => byte >= 0);
process.stdout.write(Buffer.from(bytes));
console.log(`${steps.data[0]} steps, result ${result.data[0]}`);
