/** Creates a value on first use, and only once. There are hundreds of schemas, and one command or pass uses few of them. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
