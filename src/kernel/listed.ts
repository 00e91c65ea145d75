/**
 * Rows of a list. Rows that cannot be read are apart, so that only what needs one of them waits; absent if there is
 * none.
 */
export type Listed<T, U> = readonly T[] & { readonly unreadable?: readonly U[] };

export const listed = <T, U>(rows: readonly T[], unreadable: readonly U[]): Listed<T, U> =>
  unreadable.length === 0 ? rows : Object.assign([...rows], { unreadable });
