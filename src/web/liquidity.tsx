import { useState } from "hono/jsx/dom";
import { Agreements } from "./agreements.tsx";
import { useLoad } from "./load.ts";
import { eachPair, Offers } from "./markets/watched.tsx";
import { SaveButton } from "./save.tsx";
import type { Session, WatchedPairs } from "./types.ts";
import { Choice, Field, Section, Shown, valueIn } from "./ui.tsx";

/** The page of liquidity reports: what was offered in some days, and a report to send. */
export function LiquidityPage({ session }: { session: Session }) {
  const watched = useLoad<WatchedPairs>("GET /liquidity/pairs");
  return (
    <>
      <h1>Liquidity</h1>
      <Shown of={watched}>
        {(data) => (
          <>
            {data.count === 0 ? (
              <p class="empty">
                No pair is sampled. Create an agreement, or name the pairs in the setting EDGEMAKER_LIQUIDITY
                and restart the server.
              </p>
            ) : (
              <Days pairs={eachPair(data)} day={data.day} />
            )}
            <Agreements session={session} from={`${data.day.slice(0, 8)}01`} to={data.day} />
          </>
        )}
      </Shown>
    </>
  );
}

function Days({ pairs, day }: Pick<WatchedPairs, "pairs" | "day">) {
  const [at, setAt] = useState(0);
  const [from, setFrom] = useState(`${day.slice(0, 8)}01`);
  const [to, setTo] = useState(day);
  const { exchange = "", symbol = "" } = pairs[at] ?? {};
  const [maker, setMaker] = useState("");
  const query = { exchange, symbol, from, to };
  const file = `liquidity-${exchange}-${symbol.replace("/", "-")}-${from}-${to}`;
  const save = (format: "html" | "csv", label: string, cost: { cost?: boolean } = {}) => (
    <SaveButton
      label={label}
      route="GET /liquidity/report"
      query={{ ...query, maker: maker.trim(), ...cost }}
      format={format}
      file={file}
    />
  );
  return (
    <>
      <div class="fields line">
        <Field label="Pair">
          <Choice
            value={String(at)}
            choices={pairs.map((one, index) => [String(index), `${one.symbol} on ${one.exchange}`] as const)}
            choose={(index: string) => setAt(Number(index))}
          />
        </Field>
        <Field label="First day, UTC">
          <input type="date" value={from} max={to} onInput={(event: Event) => setFrom(valueIn(event))} />
        </Field>
        <Field label="Last day, UTC">
          <input type="date" value={to} max={day} onInput={(event: Event) => setTo(valueIn(event))} />
        </Field>
        <Field label="Your name in the report">
          <input value={maker} maxLength={80} onInput={(event: Event) => setMaker(valueIn(event))} />
        </Field>
      </div>
      <Section title="Offers and obligations">
        <Offers key={file} {...query} days={`from ${from} to ${to}, UTC`} cost />
        <div class="actions">
          {save("html", "Save report")}
          {save("html", "Save report to send, without P&L", { cost: false })}
          {save("csv", "Save days as CSV")}
        </div>
      </Section>
    </>
  );
}
