/** What the names of an exchange's keys in the environment begin with. */
export const prefixOf = (id: string): string => id.toUpperCase().replaceAll("-", "_");
