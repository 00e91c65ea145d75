import { useState } from "hono/jsx/dom";
import { type ApiError, ask, part } from "../api.ts";
import type { TestedKeys } from "../types.ts";
import { Choice, Failed, Field, NoticeBox, valueIn } from "../ui.tsx";
import { describeTested } from "./keys-text.ts";

const EMPTY = { key: "", secret: "", passphrase: "" };
type KeyTexts = typeof EMPTY;

const KEY_LABELS: Readonly<Record<keyof KeyTexts, string>> = {
  key: "API key",
  secret: "Secret",
  passphrase: "Passphrase (only some exchanges)",
};

/** A form for an exchange's keys: the server checks them at the exchange, and stores them encrypted. */
export function AddKeys({ exchanges, again }: { exchanges: readonly string[]; again: () => void }) {
  const [exchange, setExchange] = useState(exchanges[0] ?? "");
  const [texts, setTexts] = useState<KeyTexts>(EMPTY);
  const [state, setState] = useState<{ done?: string; error?: ApiError; isBusy?: boolean }>({});
  const store = async (event: Event) => {
    event.preventDefault();
    setState({ isBusy: true });
    const { passphrase, ...body } = texts;
    try {
      const tested = await ask<TestedKeys>(`PUT /keys/${part(exchange)}`, {
        body: { ...body, ...(passphrase === "" ? {} : { passphrase }) },
      });
      setTexts(EMPTY);
      setState({ done: `Stored. ${describeTested(tested)}` });
      again();
    } catch (error) {
      setState({ error: error as ApiError });
    }
  };
  return (
    <form onSubmit={(event: Event) => void store(event)}>
      <h3>Store keys</h3>
      <p class="quiet">
        Create keys that can read and trade, but not withdraw. The server tests them at the exchange, and
        stores them encrypted.
      </p>
      <div class="fields line">
        <Field label="Exchange">
          <Choice value={exchange} choices={exchanges} choose={setExchange} />
        </Field>
        {(Object.keys(KEY_LABELS) as (keyof KeyTexts)[]).map((name) => (
          <Field key={name} label={KEY_LABELS[name]}>
            <input
              type="password"
              autocomplete="off"
              spellcheck={false}
              value={texts[name]}
              onInput={(event: Event) => setTexts({ ...texts, [name]: valueIn(event).trim() })}
            />
          </Field>
        ))}
        <button
          type="submit"
          class="primary"
          disabled={state.isBusy === true || texts.key === "" || texts.secret === ""}
        >
          {state.isBusy ? "Testing…" : "Test and store"}
        </button>
      </div>
      {state.error ? <Failed error={state.error} /> : null}
      {state.done ? <NoticeBox>{state.done}</NoticeBox> : null}
    </form>
  );
}
