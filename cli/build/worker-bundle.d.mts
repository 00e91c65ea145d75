export const bundle: string;
export const quiet: Readonly<Record<string, string>>;
export function wrangler(...args: string[]): Promise<{ stdout: string; stderr: string }>;
export function buildWorker(): Promise<string>;
export function bundleKibibytes(): number;
