/** The bundle's file, built when there is none or a source is newer. */
export function currentBundle(): Promise<string>;
/** The help of the whole command line, of what lies beside this bundle. */
export function builtHelp(bundle: string): string;
