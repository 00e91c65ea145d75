import { useState } from "hono/jsx/dom";
import { ask } from "../api.ts";
import { pulse } from "../live.ts";
import type { Session } from "../types.ts";
import { NoticeBox, valueIn } from "../ui.tsx";

export interface Named {
  readonly id: string;
  readonly name: string | null;
  readonly symbol: string;
  readonly exchange: string;
  readonly dryRun: boolean;
}

const placeText = ({ exchange, dryRun }: Named): string =>
  dryRun ? `${exchange} (paper trading)` : exchange;

/** Returns a strategy's title and what stands below or beside it. */
export const strategyTitle = (named: Named, title = named.symbol) =>
  named.name === null
    ? { title, beside: placeText(named) }
    : { title: named.name, beside: `${title} on ${placeText(named)}` };

/** The id and the name of a strategy, which a trader can change. */
export function NameLine({ of: { id, name }, session }: { of: Named; session: Session }) {
  const [text, setText] = useState(name ?? "");
  const [error, setError] = useState<string>();
  const rename = (event: Event) => {
    event.preventDefault();
    const body = { id, ...(text.trim() === "" ? {} : { name: text.trim() }) };
    ask("POST /strategy/rename", { body })
      .then(() => setError(undefined))
      .catch(({ message }: Error) => setError(message))
      .finally(() => pulse.set(pulse.get() + 1));
  };
  return (
    <>
      <p class="quiet">
        Strategy <code>{id}</code>
      </p>
      {session.scope === "read" ? null : (
        <form class="fields line" onSubmit={rename}>
          <input
            aria-label="Name of the strategy"
            placeholder="Name"
            value={text}
            onInput={(event: Event) => setText(valueIn(event))}
          />
          <button type="submit">Rename</button>
        </form>
      )}
      {error ? <NoticeBox kind="error">{error}</NoticeBox> : null}
    </>
  );
}
