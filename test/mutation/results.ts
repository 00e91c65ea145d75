import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/**
 * Reads the results in a file. `save` adds those that have changed since, because another run can have written others
 * meanwhile.
 */
export function sharedResults<T>(path: string) {
  const read = (): Record<string, T> => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {});
  const all = read();
  const before = { ...all };
  return {
    all,
    save(): void {
      const own = Object.entries(all).filter(([id, result]) => result !== before[id]);
      const part = `${path}.${process.pid}`;
      writeFileSync(part, JSON.stringify({ ...read(), ...Object.fromEntries(own) }));
      renameSync(part, path);
    },
  };
}
