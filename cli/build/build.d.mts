/** The bundle's entry, built when there is none or a source is newer. */
export function currentBundle(): Promise<URL>;
export function build(): Promise<void>;
