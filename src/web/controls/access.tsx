import { ask, part } from "../api.ts";
import { useLoad } from "../load.ts";
import { Table } from "../table.tsx";
import type { KeysAnswer } from "../types.ts";
import { Section, Shown, Time, useAsk } from "../ui.tsx";
import { Tokens } from "./tokens.tsx";

/** The page of API tokens and exchange keys; the secrets are never shown. */
export function AccessPage() {
  return (
    <>
      <h1>Access</h1>
      <Tokens />
      <ExchangeKeys />
    </>
  );
}

interface Tested {
  readonly assets: number;
  readonly mayWithdraw: boolean | null;
}

function ExchangeKeys() {
  const keys = useLoad<{ exchanges: readonly KeysAnswer[] }>("GET /keys");
  const [question, put] = useAsk();
  const test = (exchange: string) =>
    put({
      title: `Test the keys of ${exchange}?`,
      says: "This reads balances and the permissions of these keys.",
      yes: "Test them",
      act: async () => describeTested(exchange, await ask(`POST /keys/${part(exchange)}/test`, { body: {} })),
    });
  return (
    <Section title="Exchange keys">
      <Shown of={keys}>
        {({ exchanges }) => (
          <Table
            label="Source of exchange keys"
            columns={[
              { name: "Exchange", isHead: true, of: ({ exchange }) => exchange, by: (one) => one.exchange },
              {
                name: "Keys",
                of: ({ from, trouble }) => (
                  <>
                    {from === "nowhere" ? "none" : `from the ${from}`}
                    {trouble ? <small class="todo">{trouble}</small> : null}
                  </>
                ),
              },
              {
                name: "Stored",
                of: ({ storedAt }) => (storedAt === null ? "–" : <Time at={storedAt} />),
              },
              {
                name: "Actions",
                of: ({ exchange, from }) =>
                  from === "nowhere" ? (
                    <code>edgemaker exchange add {exchange}</code>
                  ) : (
                    <button type="button" aria-label={`Test ${exchange}`} onClick={() => test(exchange)}>
                      Test
                    </button>
                  ),
              },
            ]}
            rows={exchanges}
            keyOf={({ exchange }) => exchange}
            empty="These exchanges are simulated: they need no keys."
          />
        )}
      </Shown>
      <p class="quiet">Add keys on the server's command line. They are stored encrypted and never shown.</p>
      {question}
    </Section>
  );
}

function describeTested(exchange: string, { assets, mayWithdraw }: Tested): string {
  const rights =
    mayWithdraw === null
      ? "The exchange does not show whether they can withdraw."
      : mayWithdraw
        ? "They can withdraw. Create keys that can only read and trade."
        : "They cannot withdraw.";
  return `${exchange} accepts them; the account has ${assets} assets. ${rights}`;
}
