// Closures, exceptions, BigInt, regular expressions, JSON, sorting, generators and promises.
"use strict";

const counter = () => { let n = 0; return { add: (by = 1) => (n += by), get value() { return n; } }; };
const c = counter();
c.add(); c.add(40); c.add();
print("closures", c.value, [1, 2, 3].map(x => y => x * y).map(f => f(7)));

class Refused extends Error {
  constructor(missing) { super(`missing ${missing}`); this.missing = missing; }
  get name() { return "Refused"; }
}
function withdraw(balance, amount) {
  try {
    if (amount > balance) throw new Refused(amount - balance);
    return balance - amount;
  } finally {
    print("finally", amount);
  }
}
print(withdraw(10, 3));
try { withdraw(10, 30); } catch (e) { print(e instanceof Refused, String(e), e.missing); }
for (const f of [() => null.x, () => undefinedName, () => JSON.parse("{bad"), () => 1n + 1]) {
  try { f(); } catch (e) { print(e.name); }
}

let factorial = 1n;
for (let i = 2n; i <= 30n; i++) factorial *= i;
print("30! =", factorial, factorial % 1000000007n, -7n / 2n, BigInt.asUintN(8, -1n), 2n ** 100n);

const text = "2026-11-16 and 1999-12-31";
print(text.replace(/(?<y>\d{4})-(?<m>\d\d)-(?<d>\d\d)/g, "$<d>.$<m>.$<y>"));
print([..."aXbbXccc".matchAll(/([a-z]+)X?/g)].map(m => m[1].length), /^(?!.*foo).*$/u.test("bar"));

const data = { name: "Ω", list: [3, 1, 2], nested: { yes: true, none: null }, skipped: undefined };
print(JSON.stringify(data), JSON.stringify(JSON.parse("[1,{\"a\":\"\\u00e9\"}]"), null, 1));

const people = [["Grace", 1906], ["Ada", 1815], ["Alan", 1912], ["Barbara", 1906]];
people.sort(([, a], [, b]) => a - b);
print(people.map(([name]) => name), [10, 9, 1].sort(), [10, 9, 1].sort((a, b) => a - b));

function* fibonacci() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b]; } }
const first = [];
for (const n of fibonacci()) { if (n > 50) break; first.push(n); }
print(first, new Set(first).size, new Map([["k", 1]]).get("k"));

print(0.1 + 0.2, 1 / 3, (255).toString(16), (1e21).toString(), parseFloat("3.5e-7"), Math.sqrt(2), -0 === 0);
print(new Date(0).toISOString(), typeof Symbol.iterator, new Uint8Array([1, 256, 3]));

(async () => { await null; print("job", await Promise.all([1, Promise.resolve(2)])); })();
print("end of script");
first.length;
