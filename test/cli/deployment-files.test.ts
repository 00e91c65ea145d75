import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSecretFiles } from "../../cli/host/secret-files.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { root } from "../support/bundle.ts";
import { runtimeProgram } from "../support/runtimes.ts";
import { fileWith, tempFolder } from "../support/temp.ts";

const { load } = createRequire(runtimeProgram(["js-yaml"], "package.json"))("js-yaml") as {
  load(text: string): unknown;
};
const folder = join(root, "deploy");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

interface Service {
  readonly image: string;
  readonly build?: { readonly context?: string; readonly dockerfile_inline?: string };
  readonly user: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: object;
  readonly networks: object;
}

const compose = load(read("compose.yaml")) as Compose;
const services = Object.entries(compose.services);
/** What docs/deploy.md writes into the files. */
const SECRETS: Readonly<Record<string, string>> = {
  EDGEMAKER_TOKEN_FILE: "0123456789abcdef".repeat(3),
  EDGEMAKER_KEK_FILE: Buffer.alloc(32, 7).toString("base64"),
};
const PINNED = /^[\w./:-]+@sha256:[0-9a-f]{64}$/;
const dockerfile = read("Dockerfile");

describe.each(services)("the service %s", (_name, service) => {
  it("comes from pinned images", () => {
    const { build, image } = service;
    const text = build?.dockerfile_inline ?? (build ? dockerfile : `FROM ${image}`);
    const images = [...text.matchAll(/^FROM (\S+)/gm)].map(([, from = ""]) => from);
    expect(images.length).toBeGreaterThan(0);
    for (const from of images) expect(from).toMatch(PINNED);
  });

  it("is not root, writes only to its volumes, and has no rights that it does not need", () => {
    expect(service.user).toMatch(/^[1-9]\d*:\d+$/);
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
  });

  it("has a health check", () => {
    const own = service.build?.context === undefined ? service.healthcheck?.test.length : undefined;
    expect(own ?? dockerfile).toBeTruthy();
    if (own === undefined) expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });

  it("names files, volumes, secrets and networks that exist", () => {
    for (const mount of service.volumes ?? []) {
      const [source = ""] = mount.split(":");
      if (source.startsWith(".")) expect(existsSync(join(folder, source)), source).toBe(true);
      else expect(compose.volumes).toHaveProperty(source);
    }
    for (const secret of service.secrets ?? []) expect(compose.secrets).toHaveProperty(secret);
    for (const network of service.networks) expect(compose.networks).toHaveProperty(network);
    for (const [name, value] of Object.entries(service.environment ?? {}))
      if (/_FILE$/.test(name)) expect(service.secrets).toContain(value.replace("/run/secrets/", ""));
  });
});

describe("the image", () => {
  const [, onlyOne = ""] = /^RUN (test .+)$/m.exec(dockerfile) ?? [];

  it.each([
    [["edgemaker-0.2.0.tgz"], 0],
    [["edgemaker-0.9.0.tgz", "edgemaker-0.10.0.tgz"], 1],
  ])("is built with exactly one package: %j", (names, code) => {
    const build = tempFolder();
    for (const name of names) writeFileSync(join(build, name), "");
    const { status } = spawnSync("sh", ["-c", onlyOne.replaceAll("/build", build)]);
    expect(status).toBe(code);
    expect(dockerfile.indexOf("npm install")).toBeGreaterThan(dockerfile.indexOf(onlyOne));
  });

  it("is built from what it copies, without the secrets beside it", () => {
    const copied = [...dockerfile.matchAll(/^COPY (\S+) /gm)].map(([, name]) => `!${name}`);
    expect(copied).toHaveLength(1);
    const sent = read(".dockerignore")
      .split("\n")
      .filter((line) => line && !line.startsWith("#"));
    expect(sent).toEqual(["*", ...copied]);
  });
});

describe("the files around the services", () => {
  it("publish only the proxy, and Grafana on this machine", () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
    expect(published).toEqual([
      "caddy 80:8080",
      "caddy 443:8443",
      "caddy 443:8443/udp",
      "grafana 127.0.0.1:3001:3000",
    ]);
  });

  it("set only settings that the program reads", () => {
    const given = compose.services.edgemaker?.environment ?? {};
    expect(given).toMatchObject(
      Object.fromEntries(Object.keys(SECRETS).map((name) => [name, expect.any(String)])),
    );
    const env: NodeJS.ProcessEnv = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        name.endsWith("_FILE")
          ? fileWith(SECRETS[name] ?? "")
          : value.replace(/\$\{DATABASE_URL:-\}/, "").replace(/\$\{DOMAIN[^}]*\}/, "grid.example"),
      ]),
    );
    readSecretFiles(env, () => []);
    expect(parseConfig(env).allowedHosts).toEqual(["grid.example", "edgemaker"]);
  });

  it("are YAML, and lead from Grafana over Prometheus to the server", () => {
    const { scrape_configs: scrapes } = load(read("compose/prometheus.yml")) as {
      scrape_configs: readonly {
        authorization: { credentials_file: string };
        static_configs: readonly { targets: readonly string[] }[];
      }[];
    };
    expect(scrapes[0]?.static_configs[0]?.targets).toEqual(["edgemaker:3000"]);
    expect(scrapes[0]?.authorization.credentials_file).toBe("/run/secrets/edgemaker_token");
    const source = load(read("compose/grafana-source.yml")) as { datasources: readonly { url: string }[] };
    expect(source.datasources[0]?.url).toBe("http://prometheus:9090");
    const boards = load(read("compose/grafana-dashboards.yml")) as {
      providers: readonly { options: { path: string } }[];
    };
    const mounts = compose.services.grafana?.volumes ?? [];
    expect(mounts).toContainEqual(`./grafana.json:${boards.providers[0]?.options.path}/edgemaker.json:ro`);
    expect(read("compose/Caddyfile")).toContain("reverse_proxy edgemaker:3000");
    expect(dockerfile).toContain("EXPOSE 3000");
  });

  it("run the systemd unit without rights to write elsewhere", () => {
    const unit = read("edgemaker.service");
    for (const line of ["DynamicUser=yes", "ProtectSystem=strict", "NoNewPrivileges=yes", "UMask=0077"])
      expect(unit.split("\n")).toContain(line);
    expect(unit).toMatch(/^ExecStart=\/usr\/bin\/env edgemaker serve$/m);
  });
});
