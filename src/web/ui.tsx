import type { Child } from "hono/jsx";
import { useRef, useState } from "hono/jsx/dom";
import { type ApiError, isUnanswered } from "./api.ts";
import { timeNow } from "./clock.ts";
import { useEffect } from "./effect.ts";
import { change, duration, localTime, toneOf, utc } from "./format.ts";
import type { Loaded } from "./load.ts";
import { useValue } from "./value.ts";

/** A time in the browser's zone, with UTC on hover. */
export const Time = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={utc(at)}>
    {localTime(at)}
  </time>
);

export function Ago({ at }: { at: number }) {
  useValue(timeNow);
  return (
    <time dateTime={new Date(at).toISOString()} title={utc(at)}>
      {duration(Math.max(0, Date.now() - at))} ago
    </time>
  );
}

/** The age of data that no event reloads, so that old figures do not look current. */
export const LoadedAgo = ({ of: { at } }: { of: Loaded<unknown> }) =>
  at === undefined ? null : (
    <small>
      Loaded <Ago at={at} />
    </small>
  );

export function Stat({ name, tone = "", children }: { name: string; tone?: string; children?: Child }) {
  return (
    <div class="stat">
      <dt>{name}</dt>
      <dd class={`number ${tone}`}>{children}</dd>
    </div>
  );
}

/** A change of money with its sign and color. */
export const ChangeStat = ({ name, of, isLarge }: { name: string; of: number | null; isLarge?: boolean }) => (
  <Stat name={name} tone={isLarge ? `large ${toneOf(of)}` : toneOf(of)}>
    {change(of)}
  </Stat>
);

export function NoticeBox({
  kind = "note",
  children,
}: {
  kind?: "note" | "warning" | "error";
  children?: Child;
}) {
  return (
    <p class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </p>
  );
}

/** Warnings of a plan, a result or a strategy. */
export const Warnings = ({ of }: { of: readonly { readonly code: string; readonly message: string }[] }) => (
  <>
    {of.map(({ code, message }) => (
      <NoticeBox key={code} kind="warning">
        {message}
      </NoticeBox>
    ))}
  </>
);

export const SideText = ({ side }: { side: "buy" | "sell" }) => (
  <b class={side === "buy" ? "up" : "down"}>{side}</b>
);

/** Returns the text that was typed or chosen. */
export const valueIn = ({ target }: Event): string => (target as HTMLInputElement).value;

/** A list of values, or of values with their names, to choose one. */
export const Choice = <Value extends string>({
  label,
  value,
  choices,
  choose,
}: {
  label?: string;
  value: Value;
  choices: readonly (Value | readonly [Value, string])[];
  choose: (value: Value) => void;
}) => (
  <select aria-label={label} value={value} onChange={(event: Event) => choose(valueIn(event) as Value)}>
    {choices.map((choice) => {
      const [one, name] = typeof choice === "string" ? [choice, choice] : choice;
      return (
        <option key={one} value={one}>
          {name}
        </option>
      );
    })}
  </select>
);

/** An error message, with a button to retry if possible. */
export const Failed = ({ error, again }: { error: ApiError; again?: () => void }) => (
  <NoticeBox kind="error">
    <b>{error.label}</b>: {error.message}{" "}
    {again ? (
      <button type="button" onClick={again}>
        Try again
      </button>
    ) : null}
  </NoticeBox>
);

/** Shows data, a loading state, or an error; the previous data stay visible with the error. */
export function Shown<T>({
  of,
  rows = 3,
  children,
}: {
  of: Loaded<T>;
  rows?: number;
  children: (data: T) => Child;
}) {
  const { data, error, again } = of;
  return (
    <>
      {error ? <Failed error={error} again={again} /> : null}
      {data !== undefined ? children(data) : error ? null : <Waiting rows={rows} />}
    </>
  );
}

/** A placeholder as tall as the content, so nothing jumps. */
const Waiting = ({ rows }: { rows: number }) => (
  <div class="waiting" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      <i key={row} />
    ))}
  </div>
);

export function Section({ title, aside, children }: { title: string; aside?: Child; children?: Child }) {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export const isPhone = () => matchMedia("(max-width: 640px)").matches;

/** A long part: its content is loaded when it is open, and on a phone it starts closed. */
export function FoldedSection({
  title,
  isClosed = isPhone(),
  children,
}: {
  title: string;
  isClosed?: boolean;
  children: () => Child;
}) {
  const [isOpen, setOpen] = useState(!isClosed);
  return (
    <Section
      title={title}
      aside={
        <button
          type="button"
          aria-expanded={isOpen ? "true" : "false"}
          aria-label={`${isOpen ? "Hide" : "Show"} ${title.toLowerCase()}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Hide" : "Show"}
        </button>
      }
    >
      {isOpen ? children() : null}
    </Section>
  );
}

export interface Question {
  readonly title: string;
  /** The effect in money. */
  readonly says: Child;
  readonly yes: string;
  readonly dangerous?: boolean;
  readonly act: () => Promise<Child>;
}

/** Asks for confirmation before an action, and shows its result; an outdated question cannot be confirmed. */
export function Ask({ question, close }: { question: Question; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [state, setState] = useState<{ busy?: boolean; done?: Child; error?: ApiError }>({});
  const isBusy = state.busy === true;
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const act = async () => {
    setState({ busy: true });
    try {
      setState({ done: await question.act() });
    } catch (error) {
      setState({ error: error as ApiError });
    }
  };
  return (
    <dialog
      ref={dialog}
      class="ask"
      aria-label={question.title}
      onClose={close}
      // A closed dialog would look like a canceled action, and its result would never be shown.
      onCancel={(event: Event) => isBusy && event.preventDefault()}
    >
      <h2>{question.title}</h2>
      {state.done === undefined ? <div>{question.says}</div> : <NoticeBox>{state.done}</NoticeBox>}
      {state.error ? <Failed error={state.error} /> : null}
      {state.error && isUnanswered(state.error) ? (
        <p>It is unknown whether this was done. Check before you try again.</p>
      ) : null}
      <footer>
        <button type="button" disabled={isBusy} onClick={() => dialog.current?.close()}>
          {state.done === undefined ? "Go back" : "Close"}
        </button>
        {state.done === undefined && state.error?.label !== "Conflict" ? (
          <button
            type="button"
            class={question.dangerous ? "danger" : "primary"}
            disabled={isBusy}
            onClick={() => void act()}
          >
            {isBusy ? "Working…" : question.yes}
          </button>
        ) : null}
      </footer>
    </dialog>
  );
}

/** Returns the place of a confirmation dialog, and the function that opens it. */
export function useAsk(): [Child, (question: Question) => void] {
  const [question, setQuestion] = useState<Question | undefined>(undefined);
  const shown = question ? <Ask question={question} close={() => setQuestion(undefined)} /> : null;
  return [shown, setQuestion];
}

/** A label with its control below it. */
export function Field({
  label,
  hint,
  wide = false,
  children,
}: {
  label: string;
  hint?: Child;
  wide?: boolean;
  children?: Child;
}) {
  return (
    <label class={wide ? "field wide" : "field"}>
      <span>{label}</span>
      {children}
      {hint ? <small>{hint}</small> : null}
    </label>
  );
}
