/** The bundle's file, built when there is none or a source is newer. */
export function currentBundle(): Promise<string>;
export function build(): Promise<void>;
