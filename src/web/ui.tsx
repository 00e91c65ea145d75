import type { Child } from "hono/jsx";
import { useRef, useState } from "hono/jsx/dom";
import { type ApiError, ask, isUnanswered, type Requested, requestFile } from "./api.ts";
import { timeNow } from "./clock.ts";
import { useEffect } from "./effect.ts";
import { capitalized, change, duration, localTime, type MoneyValue, toneOf, utc } from "./format.ts";
import type { Loaded } from "./live.ts";
import { shownMode } from "./mode.tsx";
import { createValue, signedIn, signIn, takeCode, useValue } from "./session.ts";

/** A time in the browser's zone, with UTC on hover. */
export const Time = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={utc(at)}>
    {localTime(at)}
  </time>
);

/** How long ago a time was; the time itself if a sandbox's market is far from the clock. */
export function Ago({ at }: { at: number }) {
  useValue(timeNow);
  if (Math.abs(Date.now() - at) > 86_400_000) return <Time at={at} />;
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
export const ChangeStat = ({
  name,
  of,
  isLarge,
  children,
}: {
  name: string;
  of: MoneyValue | null;
  isLarge?: boolean;
  children?: Child;
}) => (
  <Stat name={name} tone={isLarge ? `large ${toneOf(of)}` : toneOf(of)}>
    {change(of)} {children}
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

/** The code of the link that opened the page, until it is used: it works once. */
let code = takeCode();

/** Warnings of a plan, a result or a strategy. */
export const Warnings = ({ of }: { of: readonly { readonly code: string; readonly message: string }[] }) => (
  <>
    {of.map(({ code, message }) => (
      <NoticeBox key={code} kind="warning">
        {capitalized(message)}
      </NoticeBox>
    ))}
  </>
);

export const SideText = ({ side }: { side: "buy" | "sell" }) => <b class={side}>{side}</b>;

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

/** Buttons of which one is pressed, for a few short choices. */
export const PressedChoice = <Value extends string>({
  label,
  value,
  choices,
  choose,
}: {
  label: string;
  value: Value;
  /** Values with their names, or values that are their own names. */
  choices: readonly (Value | readonly [Value, string, ...unknown[]])[];
  choose: (value: Value) => void;
}) => (
  <div class="actions" role="group" aria-label={label}>
    {choices.map((choice) => {
      const [one, name] = typeof choice === "string" ? [choice, choice] : choice;
      return (
        <button
          key={one}
          type="button"
          aria-pressed={one === value ? "true" : "false"}
          onClick={() => choose(one)}
        >
          {capitalized(name)}
        </button>
      );
    })}
  </div>
);

/** An error message, with a button to retry if possible. */
export const Failed = ({ error, again }: { error: ApiError; again?: () => void }) => (
  <NoticeBox kind="error">
    <b>{error.label}</b>: {capitalized(error.message)}{" "}
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
export const Waiting = ({ rows }: { rows: number }) => (
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

/** Where the last confirmed action was, and its result; it stays until the next action or page. */
const lastResult = createValue<{ readonly place?: object; readonly text?: Child }>({});
addEventListener("hashchange", () => lastResult.set({}));

/** The line of a result. It is always there, so that a screen reader notices a change of its text. */
function Result({ place }: { place: object }) {
  const result = useValue(lastResult);
  const line = useRef<HTMLParagraphElement>(null);
  const text = result.place === place ? result.text : undefined;
  // The button that opened the dialog can disappear with its action, and its focus with it.
  useEffect(() => {
    if (text !== undefined) line.current?.focus();
    return undefined;
  }, [text]);
  return (
    <p ref={line} class="result" role="status" tabIndex={-1}>
      {text}
    </p>
  );
}

/** Asks for confirmation before an action. It closes after a success; an outdated question cannot be confirmed. */
function Ask({ question, place, close }: { question: Question; place: object; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [state, setState] = useState<{ busy?: boolean; error?: ApiError }>({});
  const isBusy = state.busy === true;
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const act = async () => {
    lastResult.set({});
    setState({ busy: true });
    try {
      const text = await question.act();
      dialog.current?.close();
      lastResult.set({ place, text });
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
      // A closed dialog would look like a canceled action.
      onCancel={(event: Event) => isBusy && event.preventDefault()}
    >
      <h2>{question.title}</h2>
      <div>{question.says}</div>
      {state.error ? <Failed error={state.error} /> : null}
      {state.error && isUnanswered(state.error) ? (
        <p>It is unknown whether this was done. Check before you try again.</p>
      ) : null}
      <div class="pager">
        <button type="button" disabled={isBusy} onClick={() => dialog.current?.close()}>
          Go back
        </button>
        {state.error?.label === "Conflict" ? null : (
          <button
            type="button"
            class={question.dangerous ? "danger" : "primary"}
            disabled={isBusy}
            onClick={() => void act()}
          >
            {isBusy ? "Working…" : question.yes}
          </button>
        )}
      </div>
    </dialog>
  );
}

/** Returns the place of a confirmation dialog and of its result, and the function that opens it. */
export function useConfirmation(): [Child, (question: Question) => void] {
  const [place] = useState({});
  const [open, setOpen] = useState<{ question: Question; nth: number } | undefined>(undefined);
  const put = (question: Question) => setOpen((last) => ({ question, nth: (last?.nth ?? 0) + 1 }));
  // A browser tells late that a dialog was closed: the next question can be open by then, and stays.
  const close = () => setOpen((now) => (now === open ? undefined : now));
  const shown = (
    <>
      <Result place={place} />
      {open ? <Ask key={open.nth} question={open.question} place={place} close={close} /> : null}
    </>
  );
  return [shown, put];
}

export const FieldError = ({ children = "" }: { children?: string }) =>
  children === "" ? null : (
    <small class="warn" role="status">
      {children}
    </small>
  );

/** A label with its control below it, and what is wrong with its value. */
export function Field({
  label,
  hint,
  error = "",
  wide = false,
  children,
}: {
  label: string;
  hint?: Child;
  error?: string | undefined;
  wide?: boolean;
  children?: Child;
}) {
  return (
    <label class={wide ? "field wide" : "field"}>
      <span>{label}</span>
      {children}
      <FieldError>{error}</FieldError>
      {hint ? <small>{hint}</small> : null}
    </label>
  );
}

/** A form for a token, or a link's code, which works once. */
export function SignInForm() {
  const { why } = useValue(signIn);
  useTitle("Sign in");
  const [token, setToken] = useState("");
  const [error, setError] = useState<ApiError | undefined>(undefined);
  useEffect(() => {
    const redeem = () => {
      if (code === undefined) return;
      ask<{ token: string }>("POST /session", { body: { code } }).then(
        ({ token }) => signedIn(token),
        setError,
      );
      code = undefined;
    };
    // A link that is opened in this tab changes its address only.
    const follow = () => {
      code = takeCode();
      redeem();
    };
    redeem();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const enter = (event: Event) => {
    event.preventDefault();
    if (token.trim() !== "") signedIn(token.trim());
  };
  return (
    <main class="sign-in">
      <h1>edgemaker</h1>
      {error ? <Failed error={error} /> : why ? <NoticeBox kind="warning">{why}</NoticeBox> : null}
      <form onSubmit={enter}>
        <Field
          wide
          label="API token"
          hint="Shared by the tabs of this page, until you close the last one. A token with scope read shows everything and changes nothing."
        >
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event: Event) => setToken(valueIn(event))}
          />
        </Field>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
      <p>
        <code>edgemaker page</code> prints a link that signs you in to a server on this machine;{" "}
        <code>edgemaker token create</code> creates a token for another server.
      </p>
    </main>
  );
}

/** Sets the title of the tab; without a text, it leaves it to a part of the page. */
export function useTitle(text: string | undefined): void {
  const mode = useValue(shownMode);
  useEffect(() => {
    const before = mode === "real" ? "" : `${mode.toUpperCase()} · `;
    if (text !== undefined) document.title = `${before}${text} · edgemaker`;
  }, [text, mode]);
}

/** Saves a file, whose name begins with the mode unless its money is real. This page's content security policy would block the styles of a report, so it is not shown here. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  const mode = shownMode.get();
  link.download = mode === "real" ? name : `${mode}-${name}`;
  link.click();
  // When the click returns, the browser has begun to read the file but has not finished.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export interface SaveProps {
  readonly label: string;
  readonly route: string;
  readonly query?: Requested["query"];
  readonly format: "csv" | "html";
  /** Name without its ending. */
  readonly file: string;
}

/** A button that saves the response of a route as a file in a format of the API. */
export function SaveButton({ label, route, query = {}, format, file }: SaveProps) {
  const [state, setState] = useState<{ isBusy?: boolean; error?: ApiError }>({});
  const save = async () => {
    setState({ isBusy: true });
    try {
      saveFile(`${file}.${format}`, await requestFile(route, { query: { ...query, format } }));
      setState({});
    } catch (error) {
      setState({ error: error as ApiError });
    }
  };
  return (
    <>
      <button type="button" disabled={state.isBusy === true} onClick={() => void save()}>
        {state.isBusy ? "Saving…" : label}
      </button>
      {state.error ? <Failed error={state.error} /> : null}
    </>
  );
}
