/** Returns the file of the bundle. Builds it first if there is none or a source is newer. */
export function currentBundle(): Promise<string>;
