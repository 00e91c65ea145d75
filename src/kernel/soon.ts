/** A value that is here, or that code in another process will return. */
export type Soon<T> = T | Promise<T>;

/** Applies a function at once to a value that is here, and later to another one. */
export const withValue = <T, U>(soon: Soon<T>, next: (value: T) => U): Soon<U> =>
  soon instanceof Promise ? soon.then(next) : next(soon);
