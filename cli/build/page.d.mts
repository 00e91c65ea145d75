export function buildPage(root: string, folder: string): Promise<string[]>;
