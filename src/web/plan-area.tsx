import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { type ApiError, ask, isUnanswered } from "./api.ts";
import { useEffect } from "./effect.ts";
import { typedNumber } from "./format.ts";
import { Failed, Field, FieldError, NoticeBox, valueIn } from "./ui.tsx";

/** Shows the plan; if the previous plan was outdated, explains that it was not executed and that this is a new one. */
export function PlanArea<P>({
  planning: { plan, error, refused, isOld, again },
  empty,
  children,
}: {
  planning: Planning<P>;
  empty: Child;
  children: (plan: RequestedPlan<P>) => Child;
}) {
  const isUnknown = refused !== undefined && isUnanswered(refused);
  return (
    <>
      {isUnknown ? (
        <NoticeBox kind="warning">
          It is unknown whether the last plan was carried out: {refused.message}. Check the page Strategies
          before you try again.
        </NoticeBox>
      ) : null}
      {error ? <Failed error={error} {...(isInvalid(error) ? {} : { again })} /> : null}
      {refused && !isUnknown && !error ? (
        <NoticeBox kind="warning">
          Nothing changed: {refused.message}. {isOld ? "Updating the plan…" : "Here is the new plan."}
        </NoticeBox>
      ) : null}
      {plan ? <div class={isOld ? "old" : ""}>{children(plan)}</div> : null}
      {plan || error ? null : <p class="empty">{empty}</p>}
    </>
  );
}

/** Whether the same request would be refused again. */
const isInvalid = ({ label }: ApiError): boolean => label.startsWith("Invalid");

type Body = Readonly<Record<string, unknown>>;

export interface RequestedPlan<P> {
  /** The request of the plan; executing it sends exactly this. */
  readonly body: Body;
  readonly planned: P;
  /** The plan of the same request before the market moved. */
  readonly before?: P | undefined;
}

interface PlanView<P> {
  readonly plan?: RequestedPlan<P> | undefined;
  readonly error?: ApiError | undefined;
  /** Whether the plan is older than the form. */
  readonly isOld: boolean;
}

export interface Planning<P> extends PlanView<P> {
  /** Why the previous plan was not executed. */
  readonly refused: ApiError | undefined;
  /** Executes the shown plan; if it is outdated, this fails and loads the plan again. */
  carryOut<A>(act: () => Promise<A>): Promise<A>;
  again(): void;
}

/** Time in milliseconds to wait for a pause in typing. */
const PAUSE = 350;

/** Time in milliseconds after which a plan is made again, because the market moves while a person reads. */
const RENEWAL = 15_000;

/**
 * Returns the server's plan for `body`, made again every 15 seconds. A plan that does not match the form is outdated and
 * cannot be executed. A plan of something else than `of` is not shown.
 */
export function usePlan<P>(route: string, body: Body | undefined, of = route): Planning<P> {
  const [{ of: shownOf, ...state }, setState] = useState<PlanView<P> & { readonly of?: string }>({
    isOld: true,
  });
  const [refusal, setRefusal] = useState<{ count: number; request: string; error?: ApiError }>(NOT_REQUESTED);
  const { count } = refusal;
  const request = body ? JSON.stringify(body) : "";
  useEffect(() => {
    setState((before) => ({ ...before, isOld: true }));
    if (!body) return undefined;
    const ended = new AbortController();
    let timer = 0;
    const load = () => {
      if (document.hidden) return wait(RENEWAL);
      ask<P>(route, { body, signal: ended.signal }).then(
        (planned) => {
          setState((now) => ({
            plan: { body, planned, before: planBefore(now, request) },
            isOld: false,
            of,
          }));
          wait(RENEWAL);
        },
        (error) => {
          if (ended.signal.aborted) return;
          // A plan that could not be made again stays in sight, with its dialog and a start that runs.
          setState(({ plan }) => ({
            plan: plan && JSON.stringify(plan.body) === request ? plan : undefined,
            error,
            isOld: true,
            of,
          }));
          wait(RENEWAL);
        },
      );
    };
    const wait = (millis: number) => {
      timer = setTimeout(load, millis);
    };
    wait(PAUSE);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [route, request, count]);
  const carryOut: Planning<P>["carryOut"] = async (act) => {
    try {
      return await act();
    } catch (failed) {
      const error = failed as ApiError;
      setRefusal((before) => ({ count: before.count + 1, request, error }));
      throw error;
    }
  };
  const again = () => setRefusal((before) => ({ ...before, count: before.count + 1 }));
  const view = shownOf === of ? state : { isOld: true };
  return { ...view, again, refused: refusal.request === request ? refusal.error : undefined, carryOut };
}

const planBefore = <P,>({ plan }: PlanView<P>, request: string): P | undefined =>
  plan && JSON.stringify(plan.body) === request ? plan.planned : undefined;

const NOT_REQUESTED = { count: 0, request: "" };

/**
 * A pair: typed, or chosen from those that the account holds. Focus empties the field, so that all are offered. A
 * value that arrives meanwhile does not change what is typed.
 */
export function PairField({
  value,
  pairs = [],
  hint,
  change,
}: {
  value: string;
  pairs?: readonly string[] | undefined;
  hint?: string;
  change: (pair: string) => void;
}) {
  const [typing, setTyping] = useState<{ typed: string; before: string } | undefined>(undefined);
  const typed = (pair: string) => {
    setTyping({ typed: pair, before: typing?.before || value });
    change(pair);
  };
  return (
    <Field label="Pair" hint={hint}>
      <input
        list="pairs"
        value={typing?.typed ?? value}
        placeholder={typing ? value || typing.before : ""}
        autocomplete="off"
        spellcheck={false}
        onFocus={() => setTyping({ typed: "", before: value })}
        onBlur={() => {
          if (value === "" && typing) change(typing.before);
          setTyping(undefined);
        }}
        onInput={(event: Event) => typed(valueIn(event).toUpperCase())}
      />
      <datalist id="pairs">
        {pairs.map((pair) => (
          <option key={pair} value={pair} />
        ))}
      </datalist>
    </Field>
  );
}

/** An input for a number. Text that is no number would be sent as none, and the server could not name the reason. */
export function NumberInput({
  value,
  label,
  placeholder,
  change,
}: {
  value: string;
  label?: string;
  placeholder?: string;
  change: (text: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const isNumber = Number.isFinite(Number(value));
  return (
    <>
      <input
        inputMode="decimal"
        autocomplete="off"
        aria-label={label}
        placeholder={placeholder}
        aria-invalid={isNumber ? undefined : "true"}
        value={typedNumber(typed) === value ? typed : value}
        onInput={(event: Event) => {
          setTyped(valueIn(event));
          change(typedNumber(valueIn(event)));
        }}
      />
      <FieldError>{isNumber ? "" : "Write 1500 or 1234.5, without a separator for thousands."}</FieldError>
    </>
  );
}
