// Runs what the image runs, without a container engine: its files below a root that cannot be written, as its user, in
// namespaces of its own. Linux only, as root: the kernel gives nobody else a second user.
import { execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const DOCKERFILE = fileURLToPath(new URL("../deploy/Dockerfile", import.meta.url));
/** The user `node` of the image's base. */
const USER = 1000;
const HOME = "home/node";
/** What the image's base has, from this machine. */
const BASE = ["usr/bin", "usr/lib", "usr/lib64", "bin", "lib", "lib64"];
/** `stop_grace_period` of deploy/compose.yaml. */
const GRACE_MS = 60_000;
const START_MS = 120_000;

/** Why this machine cannot run it; undefined if it can. */
export function whyNoNamespaces() {
  if (process.platform !== "linux") return `${process.platform} has no namespaces`;
  if (process.getuid() !== 0) return "not root";
  try {
    execFileSync("unshare", ["--mount", "--net", "--pid", "--fork", "true"], { stdio: "pipe" });
  } catch (error) {
    return String(error.stderr ?? error).trim();
  }
}

/**
 * Starts the server in the layout of the image, and ends it with the image's signal. Throws an Error if one of its checks fails.
 * @param {string} root an empty folder
 * @param {(prefix: string) => void} install installs the package for all, below the prefix
 * @returns {Promise<string>} what was seen
 */
export async function runImage(root, install) {
  const image = instructions(readFileSync(DOCKERFILE, "utf8"));
  layOut(root);
  install(join(root, "usr/local"));
  const token = "t".repeat(43);
  const secrets = { edgemaker_token: token, edgemaker_kek: Buffer.alloc(32, 7).toString("base64") };
  for (const [name, text] of Object.entries(secrets)) {
    const file = join(root, "run/secrets", name);
    writeFileSync(file, text, { mode: 0o400 });
    chownSync(file, USER, USER);
  }
  const env = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: `/${HOME}`,
    ...image.env,
    // As in deploy/compose.yaml.
    EDGEMAKER_TOKEN_FILE: "/run/secrets/edgemaker_token",
    EDGEMAKER_KEK_FILE: "/run/secrets/edgemaker_kek",
    EDGEMAKER_ALLOWED_HOSTS: "example.org,edgemaker",
  };
  const output = [];
  const server = spawn(
    "unshare",
    ["--mount", "--net", "sh", "-euc", START, "start", root, ...image.command],
    {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => output.push(String(text)));
  const ended = new Promise((resolve) => server.on("exit", (code, signal) => resolve(signal ?? code)));
  try {
    const target = await untilChild(server);
    /** Runs a command beside the server; with its root folder, user and network. */
    const inside = (user, ...command) =>
      execFileSync(
        "nsenter",
        ["-t", target, "-m", "-n", "-p", "-r", "-w", "-S", String(user), "-G", String(user), ...command],
        { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
      );
    const begun = performance.now();
    for (;;) {
      try {
        inside(USER, "sh", "-c", image.health);
        break;
      } catch (error) {
        if (server.exitCode !== null) throw new Error("the server ended");
        if (performance.now() - begun > START_MS) throw new Error(`not healthy: ${error.stderr}`);
      }
    }
    const headers = JSON.stringify({ authorization: `Bearer ${token}` });
    for (const path of ["/health", "/api/v1/strategy/grid/list"]) {
      const ask = `fetch("http://127.0.0.1:3000${path}", { headers: ${headers} }).then(({ status }) => console.log(status))`;
      const answer = inside(USER, "node", "-e", ask).trim();
      if (answer !== "200") throw new Error(`${path}: ${answer}`);
    }
    const status = readFileSync(`/proc/${target}/status`, "utf8");
    if (!new RegExp(`^Uid:\\s+${USER}\\s+${USER}\\s`, "m").test(status))
      throw new Error("the server has another user");
    // Even root cannot write outside the volume.
    const write =
      'try { fs.writeFileSync("/usr/local/x", ""); console.log("written"); } catch (e) { console.log(e.code); }';
    const refusal = inside(0, "node", "-e", write).trim();
    if (refusal !== "EROFS") throw new Error(`a file outside the volume: ${refusal}`);
    const files = readdirSync(join(root, "var/lib/edgemaker"));
    if (!files.some((name) => name.endsWith(".db"))) throw new Error(`the volume has no database: ${files}`);
    const late = setTimeout(() => process.kill(Number(target), "SIGKILL"), GRACE_MS);
    process.kill(Number(target), image.signal);
    const code = await ended;
    clearTimeout(late);
    if (code !== 0) throw new Error(`${image.signal} ended it with ${code}`);
    return `healthy as user ${USER}, read-only but for its volume, ended by ${image.signal}`;
  } catch (error) {
    throw new Error(`the image's layout: ${error.message}\n${output.join("")}`);
  } finally {
    server.kill("SIGKILL");
    await ended;
  }
}

/** What the Dockerfile says about the start. */
function instructions(text) {
  const lines = text.replaceAll(/\\\n\s*/g, "").split("\n");
  const of = (word) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const [health] = of("HEALTHCHECK").map((line) => line.slice(line.indexOf("CMD ") + 4));
  return {
    env: Object.fromEntries(of("ENV").map((line) => line.split("="))),
    command: JSON.parse(of("CMD")[0]),
    signal: of("STOPSIGNAL")[0],
    health,
  };
}

/** Makes the folders of the image, with its user and this Node. */
function layOut(root) {
  for (const name of ["usr/local/bin", "etc", "proc", "dev", "tmp", "run/secrets", HOME, "var/lib/edgemaker"])
    mkdirSync(join(root, name), { recursive: true, mode: 0o755 });
  for (const name of BASE) {
    const here = `/${name}`;
    if (!existsSync(here)) continue;
    if (lstatSync(here).isSymbolicLink()) symlinkSync(readlinkSync(here), join(root, name));
    else mkdirSync(join(root, name), { recursive: true });
  }
  writeFileSync(
    join(root, "etc/passwd"),
    `root:x:0:0::/:/bin/sh\nnode:x:${USER}:${USER}::/${HOME}:/bin/sh\n`,
  );
  writeFileSync(join(root, "dev/null"), "");
  writeFileSync(join(root, "dev/urandom"), "");
  copyFileSync(process.execPath, join(root, "usr/local/bin/node"));
  for (const name of [HOME, "var/lib/edgemaker"]) chownSync(join(root, name), USER, USER);
}

/** In namespaces of mounts and network: everything below the root is read-only, but the volume and /tmp. */
const START = `
root=$1; shift
mount --make-rprivate /
mount --bind "$root" "$root"
for name in ${BASE.join(" ")}; do
  if [ -d "/$name" ] && [ ! -L "/$name" ]; then mount --bind "/$name" "$root/$name"; mount -o remount,bind,ro "$root/$name"; fi
done
for name in null urandom; do mount --bind "/dev/$name" "$root/dev/$name"; done
mount --bind "$root/var/lib/edgemaker" "$root/var/lib/edgemaker"
mount -t tmpfs tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
ip link set lo up
exec unshare --pid --fork --kill-child --mount-proc="$root/proc" chroot --userspec=${USER}:${USER} "$root" "$@"
`;

/** Returns the id of the server, which the second `unshare` starts. */
async function untilChild(parent) {
  const { pid } = parent;
  while (parent.exitCode === null) {
    const list = `/proc/${pid}/task/${pid}/children`;
    const [child] = existsSync(list) ? readFileSync(list, "utf8").trim().split(" ") : [];
    if (child && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "unshare") return child;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("no process was started");
}
