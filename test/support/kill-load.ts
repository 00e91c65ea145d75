// Loads a server until SIGTERM: node kill-load.mjs <load> <port> <token of a reader>
import { Agent, request } from "node:http";

const [load = "", port = "", token = ""] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
/** A client retries after this, or after the Retry-After of a refusal. */
const RETRY = 1000;
/** An address that is reserved for documentation, as the platform sends it. */
const ADDRESS = "203.0.113.9";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const GRID = { lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 40, orderSize: 60 };
const NINETEEN_DAYS = { since: Date.UTC(2025, 11, 1), until: Date.UTC(2025, 11, 20), tickInterval: 1000 };
const READS = [
  "strategy/grid/status",
  "strategy/grid/list",
  "orders?exchange=kraken",
  "balance?exchange=kraken",
];

interface Answer {
  readonly status: number;
  /** The Retry-After of a refusal. */
  readonly retryMillis: number;
}

type Send = (client: number) => Promise<Answer>;

const call =
  (method: string, path: string, body?: object): Send =>
  () =>
    new Promise((resolve) => {
      const headers = {
        authorization: `Bearer ${token}`,
        "cf-connecting-ip": ADDRESS,
        ...(body ? { "content-type": "application/json" } : {}),
      };
      const sent = request({ host: "127.0.0.1", port, agent, method, path, headers }, (response) => {
        response.resume();
        const retryMillis = 1000 * Number(response.headers["retry-after"] ?? RETRY / 1000);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, retryMillis }));
      });
      sent.on("error", () => resolve({ status: 0, retryMillis: RETRY }));
      sent.end(body ? JSON.stringify(body) : undefined);
    });

const LOADS: Readonly<Record<string, readonly [clients: number, send: Send]>> = {
  suggest: [30, call("POST", "/api/v1/strategy/grid/suggest", { ...MARKET, budget: 1000 })],
  backtest: [50, call("POST", "/api/v1/backtest", { ...MARKET, config: GRID, ...NINETEEN_DAYS })],
  readers: [1000, (client) => call("GET", `/api/v1/${READS[client % READS.length]}`)(client)],
  address: [400, call("GET", "/health")],
  strategies: [
    8,
    (client) =>
      call("POST", "/api/v1/strategies/preview", {
        definition: client % 2 === 0 ? "loops" : "fills",
        ...MARKET,
        baseBudget: 0,
        quoteBudget: 10,
      })(client),
  ],
};

const statuses: Record<number, number> = {};
async function runClient(send: Send, client: number): Promise<void> {
  for (;;) {
    const { status, retryMillis } = await send(client);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status !== 200) await new Promise((resolve) => setTimeout(resolve, retryMillis));
  }
}

const [clients, send] = LOADS[load] ?? [0, async () => ({ status: 0, retryMillis: RETRY })];
for (let client = 0; client < clients; client++) void runClient(send, client);
// Keeps the process running, also without clients.
setInterval(() => undefined, 60_000);
process.on("SIGTERM", () => {
  process.stdout.write(`${JSON.stringify(statuses)}\n`);
  process.exit();
});
