/** Those that are named, all where none is. A name that none of them has ends the process with 2, and the names there are. */
export function named<T extends { readonly name: string }>(
  all: readonly T[],
  names: readonly string[],
): readonly T[] {
  const unknown = names.filter((name) => !all.some((one) => one.name === name));
  if (unknown.length > 0) {
    const known = all.map(({ name }) => `  "${name}"`);
    console.error(
      `there is no ${unknown.map((name) => `"${name}"`).join(", no ")}; there are\n${known.join("\n")}`,
    );
    process.exit(2);
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}
