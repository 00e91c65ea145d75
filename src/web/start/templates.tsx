import { useState } from "hono/jsx/dom";
import { createValue, useValue } from "../session.ts";
import { Field, NoticeBox, valueIn } from "../ui.tsx";
import type { AgainRequest } from "./settings.ts";

/** Settings of a start under a name. */
interface Template {
  readonly name: string;
  readonly request: AgainRequest;
}

const TEMPLATES_KEY = "edgemaker.templates";

/** All templates of this browser, by name. */
const templates = createValue<readonly Template[]>(storedTemplates());

/** Restores templates; ignores data of another release or edited data. */
function storedTemplates(): readonly Template[] {
  try {
    const stored = JSON.parse(localStorage.getItem(TEMPLATES_KEY) ?? "[]") as readonly Template[];
    return stored.filter(
      ({ name, request }) => typeof name === "string" && typeof request.config === "object",
    );
  } catch {
    return [];
  }
}

function store(next: readonly Template[]): void {
  localStorage.setItem(TEMPLATES_KEY, JSON.stringify(next));
  templates.set(next);
}

const others = (name: string) => storedTemplates().filter((one) => one.name !== name);

/** Saves the settings of a start, such as `startAgain` of a strategy; a template of the same name is replaced. */
const saveTemplate = (name: string, request: AgainRequest): void =>
  store([...others(name), { name, request }].sort((a, b) => a.name.localeCompare(b.name)));

/** Saves settings under a name that the user types. */
export function SaveTemplate({ request }: { request: AgainRequest | undefined }) {
  const [name, setName] = useState("");
  const [said, say] = useState("");
  const save = (event: Event) => {
    event.preventDefault();
    if (!request) return;
    const isNew = !templates.get().some((one) => one.name === name.trim());
    try {
      saveTemplate(name.trim(), request);
      say(`${name.trim()} is ${isNew ? "saved" : "replaced"}.`);
    } catch {
      say("This browser stores nothing: allow site data for this page.");
    }
  };
  return (
    <form class="fields" onSubmit={save}>
      <Field label="Name of the template" hint="Kept in this browser">
        <input
          autocomplete="off"
          maxLength={40}
          value={name}
          onInput={(event: Event) => setName(valueIn(event))}
        />
      </Field>
      <button type="submit" disabled={!request || name.trim() === ""}>
        Save as template
      </button>
      {said === "" ? null : <NoticeBox>{said}</NoticeBox>}
    </form>
  );
}

/** The templates of this browser, to load or delete. */
export function TemplateList({ load }: { load: (request: AgainRequest) => void }) {
  const all = useValue(templates);
  if (all.length === 0) return null;
  return (
    <details>
      <summary>Templates ({all.length}), kept in this browser</summary>
      <ul class="needs">
        {all.map(({ name, request }) => (
          <li key={name}>
            <p>
              {name} <small>{`${request.definition}, ${request.symbol} on ${request.exchange}`}</small>
            </p>
            <button type="button" aria-label={`Load ${name}`} onClick={() => load(request)}>
              Load
            </button>
            <button type="button" aria-label={`Delete ${name}`} onClick={() => store(others(name))}>
              Delete
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
