/** The keys that programs see: what the page writes into `key` before a tick. */

/** By name, as the browser calls them. */
const NUMBERS: Record<string, number> = {
  ArrowUp: 1, ArrowRight: 2, ArrowDown: 3, ArrowLeft: 4, " ": 5,
  w: 1, d: 2, s: 3, a: 4,
};
const down = new Set<number>();
let pressed = 0;

/** A key goes down or up; whether it is one that programs see. */
export function keyed(name: string, isDown: boolean): boolean {
  const number = NUMBERS[name.length === 1 ? name.toLowerCase() : name];
  if (!number) return false;
  if (isDown) {
    down.add(number);
    pressed = number;
  } else down.delete(number);
  return true;
}

/** All keys are up: the page cannot know better when it is left. */
export const released = () => down.clear();

/** The key since the last tick: the last that was pressed, or one that is still held. */
export function takeKey(): number {
  const found = pressed || [...down].at(-1) || 0;
  pressed = 0;
  return found;
}
