import { timeNow } from "./clock.ts";
import { useEffect } from "./effect.ts";
import { duration } from "./format.ts";
import { link, pulse } from "./live.ts";
import { useValue } from "./value.ts";

const WORDS = {
  connecting: ["", "connecting"],
  live: ["up", "live"],
  polling: ["warn", "every 5 s"],
  offline: ["down", "offline"],
} as const;

/** Time in milliseconds without updates after which the data are marked as old. */
const STALE = 60_000;

/** Shows whether the data are current. */
export function Link() {
  const { how, at } = useValue(link);
  useValue(timeNow);
  useEffect(() => {
    // Loads missed changes when the tab becomes visible.
    const refresh = () => document.hidden || pulse.set(pulse.get() + 1);
    document.addEventListener("visibilitychange", refresh);
    return () => document.removeEventListener("visibilitychange", refresh);
  }, []);
  const [tone, word] = WORDS[how];
  const age = Date.now() - at;
  const isOld = how === "offline" || age > STALE;
  return (
    <span class={`link ${isOld ? "down" : tone}`} role="status">
      {isOld ? `${word}; as of ${duration(age)} ago` : word}
    </span>
  );
}
