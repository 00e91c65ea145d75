import { spawn } from "node:child_process";

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a link in the user's browser; without one, nothing happens. */
export function openBrowser(link: string): void {
  const [program = "xdg-open", ...words] = OPENERS[process.platform] ?? [];
  const child = spawn(program, [...words, link], { detached: true, stdio: "ignore" });
  child.on("error", () => undefined);
  child.unref();
}
