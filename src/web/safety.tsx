import { useState } from "hono/jsx/dom";
import { ask } from "./api.ts";
import { pulse } from "./live.ts";
import { useLoad } from "./load.ts";
import type { KillAnswer, PanicResult, Session } from "./types.ts";
import { useAsk } from "./ui.tsx";

/** The kill switch and the panic button; each needs a confirmation. */
export function Safety({ session }: { session: Session }) {
  const kill = useLoad<KillAnswer>("GET /kill", {}, { live: true });
  const [question, put] = useAsk();
  const isUnknown = kill.error !== undefined;
  const isOn = isUnknown ? undefined : kill.data?.on;
  const report = (message: string) => {
    kill.again();
    pulse.set(pulse.get() + 1);
    return message;
  };
  const turn = (on: boolean) =>
    put({
      title: on ? "Turn the kill switch on?" : "Turn the kill switch off?",
      says: on
        ? "No new order is placed on any exchange. Open orders stay and can fill. You can still cancel."
        : "Strategies place missing orders in their next pass. Manual orders work again.",
      yes: on ? "Turn it on" : "Turn it off",
      dangerous: on,
      act: async () => report((await ask<KillAnswer>("POST /kill", { body: { on } })).message),
    });
  const panic = () => put({ ...panicQuestion(false, report), says: <PanicSays put={put} report={report} /> });
  if (session.scope !== "admin")
    return (
      <div class="safety">
        {isUnknown ? <b class="tag warn">Kill switch: unknown</b> : null}
        {isOn ? <b class="tag down">Kill switch on</b> : null}
      </div>
    );
  return (
    <div class="safety" role="group" aria-label="Safety">
      <button
        type="button"
        class={isOn ? "danger" : ""}
        aria-pressed={isUnknown ? "mixed" : isOn === true ? "true" : "false"}
        // It can be turned on without knowing its state.
        disabled={isOn === undefined && !isUnknown}
        onClick={() => turn(!isOn)}
      >
        {isUnknown ? "Kill switch: unknown" : isOn ? "Kill switch is on" : "Kill switch"}
      </button>
      <button type="button" class="danger" onClick={panic}>
        Panic
      </button>
      {question}
    </div>
  );
}

const SELLS = "Also sell the base of every grid, at most 10 % below the mid price";

const panicQuestion = (sell: boolean, report: (message: string) => string) => ({
  title: "Panic: stop everything?",
  yes: sell ? "Stop all and sell" : "Stop all",
  dangerous: true,
  act: async () => report((await ask<PanicResult>("POST /panic", { body: { sell } })).message),
});

function PanicSays({
  put,
  report,
}: {
  put: ReturnType<typeof useAsk>[1];
  report: (message: string) => string;
}) {
  const [sell, setSell] = useState(false);
  const choose = (chosen: boolean) => {
    setSell(chosen);
    put({ ...panicQuestion(chosen, report), says: <PanicSays put={put} report={report} /> });
  };
  return (
    <>
      <p>
        This turns on the kill switch, stops every grid and cancels every edgemaker order on every exchange.
        Base that grids bought stays in your account unless you sell it.
      </p>
      <label class="check">
        <input type="checkbox" checked={sell} onClick={() => choose(!sell)} /> {SELLS}
      </label>
    </>
  );
}
