/** The pages of one site, one per machine. */

const PAGES = { trace: ["index.html", "../index.html"], loom: ["loom/index.html", "index.html"] } as const;

export function Machines({ here }: { here: keyof typeof PAGES }) {
  const from = here === "trace" ? 0 : 1;
  return (
    <nav class="machines" aria-label="Machines">
      {Object.entries(PAGES).map(([name, addresses]) => (
        <a key={name} href={addresses[from]} aria-current={name === here ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
