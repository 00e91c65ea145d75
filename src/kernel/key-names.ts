/** Returns the prefix of an exchange's key variables in the environment. */
export const prefixOf = (id: string): string => id.toUpperCase().replaceAll("-", "_");
