/** What only an order shows: a buy at half the price, and a post-only one that would take. Each is cancelled. */
import type { VenueName } from "../../src/model/market.ts";
import type { Asking, Behaviour } from "./requests.ts";

interface Small {
  readonly amount: number;
  readonly far: number;
  readonly taking: number;
}

/** As small as the market takes it, with a tenth to spare. */
async function smallOf({ client, symbol }: Asking): Promise<Small> {
  // bitget has its public prices under two roofs; either will do.
  const { bid, ask } = await client.fetchTicker(symbol, client.id === "bitget" ? { uta: false } : {});
  const { limits } = client.market(symbol);
  const far = Number(client.priceToPrecision(symbol, Number(bid) / 2));
  const least = Math.max(Number(limits.amount?.min ?? 0), (1.1 * Number(limits.cost?.min ?? 0)) / far);
  const lot = Number(client.market(symbol).precision.amount);
  const amount = Number(client.amountToPrecision(symbol, Math.ceil(least / lot + 1) * lot));
  return { amount, far, taking: Number(client.priceToPrecision(symbol, 1.01 * Number(ask))) };
}

const codeIn = (error: unknown): string =>
  /"(?:label|code)":\s*"?([\w-]+)|"(E[A-Z]\w+:[^"]+)"/.exec(String(error))?.slice(1).find(Boolean) ??
  "no code";

async function place(
  { client, symbol }: Asking,
  amount: number,
  price: number,
  params: object,
): Promise<string> {
  const { id } = await client.createOrder(symbol, "limit", "buy", amount, price, params);
  return String(id);
}

const cancel = ({ client, symbol }: Asking, id: string): Promise<unknown> =>
  client.cancelOrder(id, symbol).catch(() => undefined);

/** How it is asked for; gate's is an error unless the account has joined a group. */
const PREVENTION: Record<VenueName, object> = {
  mexc: { stpMode: "cancel_taker" },
  gateio: { stp_act: "cn" },
  bitget: { stpMode: "cancel_taker" },
  kraken: { stptype: "cancel-newest" },
};

export const tradeBehaviours = (name: VenueName, newId: () => string): readonly Behaviour[] => [
  {
    what: "a post-only order that would take does not",
    async ask(asking) {
      const { amount, taking } = await smallOf(asking);
      return place(asking, amount, taking, { postOnly: true, clientOrderId: newId() }).then(
        async (id) => {
          const { status, filled } = await asking.client.fetchOrder(id, asking.symbol);
          await cancel(asking, id);
          const isGone = status === "canceled" && Number(filled) === 0;
          return isGone ? "yes (cancelled at once)" : `no: it is ${status}, and ${filled} of it filled`;
        },
        (error: unknown) => `yes (${codeIn(error)})`,
      );
    },
  },
  {
    what: "a second order with the client id of an open one is refused",
    async ask(asking) {
      const { amount, far } = await smallOf(asking);
      const clientOrderId = newId();
      const first = await place(asking, amount, far, { clientOrderId });
      const second = await place(asking, amount, far, { clientOrderId }).catch((error: unknown) => ({
        error,
      }));
      await cancel(asking, first);
      if (typeof second === "string") await cancel(asking, second);
      return typeof second === "string" ? "no, both were taken" : `yes (${codeIn(second.error)})`;
    },
  },
  {
    what: "an order may ask for self-trade prevention",
    async ask(asking) {
      const { amount, far } = await smallOf(asking);
      const params = { clientOrderId: newId(), ...PREVENTION[name] };
      return place(asking, amount, far, params).then(
        async (id) => {
          await cancel(asking, id);
          return "yes";
        },
        (error: unknown) => `no (${codeIn(error)})`,
      );
    },
  },
];
