/**
 * Rows of a list. Rows that cannot be read are apart, so that only what needs one of them waits; absent if there is
 * none.
 */
export type ReadableList<T, U> = readonly T[] & { readonly unreadable?: readonly U[] };

export const readableList = <T, U>(rows: readonly T[], unreadable: readonly U[]): ReadableList<T, U> =>
  unreadable.length === 0 ? rows : Object.assign([...rows], { unreadable });
