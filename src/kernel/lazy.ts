/**
 * Makes a value when it is first asked for, and only once. Schemas are made this way: there are hundreds of
 * them, and a process that runs one command or one pass asks for a few.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
