/** Links that carry a program, its input and a step. */

export interface Linked {
  machine: string;
  language: string;
  source: string;
  invoke: string;
  args: string;
  stdin: string;
  step: number;
}

const MARK = "#run=";

async function through(data: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());
}

/** The part of an address after `#`. */
export async function linkOf(linked: Linked): Promise<string> {
  const data = await through(new TextEncoder().encode(JSON.stringify(linked)), new CompressionStream("deflate-raw"));
  return MARK + btoa(String.fromCharCode(...data)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** What a link carries; null if it is none, or a damaged one. */
export async function linkedFrom(hash: string): Promise<Linked | null> {
  if (!hash.startsWith(MARK)) return null;
  try {
    const packed = atob(hash.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/"));
    const data = Uint8Array.from(packed, (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await through(data, new DecompressionStream("deflate-raw")))) as Linked;
  } catch {
    return null;
  }
}
