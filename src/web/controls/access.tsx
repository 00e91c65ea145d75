import { ask, part } from "../api.ts";
import { useLoad } from "../load.ts";
import { Table } from "../table.tsx";
import type { KeysAnswer, TestedKeys } from "../types.ts";
import { Section, Shown, Time, useAsk } from "../ui.tsx";
import { AddKeys } from "./add-keys.tsx";
import { describeTested } from "./keys-text.ts";
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

function ExchangeKeys() {
  const keys = useLoad<{ exchanges: readonly KeysAnswer[] }>("GET /keys");
  const [question, put] = useAsk();
  const test = (exchange: string) =>
    put({
      title: `Test the keys of ${exchange}?`,
      says: "This reads balances and the permissions of these keys.",
      yes: "Test them",
      act: async () =>
        describeTested(await ask<TestedKeys>(`POST /keys/${part(exchange)}/test`, { body: {} })),
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
                    "–"
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
      {keys.data && keys.data.exchanges.length > 0 ? (
        <AddKeys exchanges={keys.data.exchanges.map(({ exchange }) => exchange)} again={keys.again} />
      ) : null}
      {question}
    </Section>
  );
}
