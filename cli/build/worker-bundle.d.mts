export const bundle: string;
export function wrangler(...args: string[]): Promise<{ stdout: string; stderr: string }>;
export function buildWorker(): Promise<unknown>;
export function bundleKibibytes(): number;
