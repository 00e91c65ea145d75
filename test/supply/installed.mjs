import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Installs a packed product below a folder, serves its sandbox and asks for a file of its page. */
export async function installs(tarball, folder) {
  const home = join(folder, "home");
  mkdirSync(home);
  // Its own settings of npm: here no script runs whatever a package wants.
  writeFileSync(join(home, "package.json"), "{}");
  writeFileSync(join(home, ".npmrc"), "ignore-scripts=false\naudit=false\nfund=false\n");
  execFileSync("npm", ["install", tarball], { cwd: home, stdio: "ignore" });
  const { packages } = JSON.parse(readFileSync(join(home, "node_modules/.package-lock.json"), "utf8"));
  const scripts = Object.entries(packages).filter(([, one]) => one.hasInstallScript);
  return {
    parts: Object.keys(packages).length,
    scripts: scripts.map(([path]) => path),
    page: await page(home),
  };
}

async function page(home) {
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const args = [join(home, "node_modules/edgemaker/cli/edgemaker.cjs"), "serve", "--sandbox", "--port", "0"];
  const server = spawn(process.execPath, [...args, "--host", "127.0.0.1"], { env, cwd: home });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (!url) continue;
      const files = ["swagger-ui.css", "swagger-ui-bundle.js"];
      const answers = await Promise.all(files.map((name) => fetch(`${url}/static/swagger-ui-dist/${name}`)));
      return Math.max(...answers.map(({ status }) => status));
    }
    return "it did not listen";
  } finally {
    server.kill();
    await ended;
  }
}
