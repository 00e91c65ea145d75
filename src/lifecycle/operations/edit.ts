import * as z from "zod";
import { changedFields, warnings } from "../../engine/operations/shapes.ts";
import { AppError, labelledError, noLongerHolds } from "../../kernel/errors.ts";
import { mistypedText } from "../../kernel/field-kinds.ts";
import { idField, planHash, strategyName } from "../../kernel/fields.ts";
import { didYouMean } from "../../kernel/plain-text.ts";
import { modeOf, parseAccountKey } from "../../model/account.ts";
import { byOf } from "../../model/events.ts";
import { NO_EXPOSURE, paperMark } from "../../model/proposal.ts";
import { checkHolds, planHashOf } from "../../model/shown-plan.ts";
import { ID_EXAMPLE, pendingEdit, type Strategy } from "../../model/strategy.ts";
import { type Call, type Operation, operation, type PreparedCall } from "../../operation.ts";
import { type ConfigForm, formSchema } from "../../ports/config-form.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Kind, StoreDeps, StrategyDeps } from "../../ports/kind.ts";
import type { FieldChange, PlanReader, ReadyEdit } from "../../ports/plan.ts";
import {
  changeLines,
  changesShape,
  changesText,
  type PlannedPlace,
  planAnswer,
  plannedEditShape,
  previewOfEdit,
} from "../plan.ts";
import type { ReadableStrategy } from "../reading.ts";
import { definitionName } from "../reading.ts";
import { changeableById, passesFor, reasonForDelay } from "./find.ts";

const EDITS = { access: "token", failure: "Exchange error" } as const;

const configField = (forms: readonly ConfigForm[]) =>
  z.record(z.string(), z.unknown(), { error: "Invalid request: config must be an object" }).meta({
    description: "Only the fields that change",
    anyOf: forms.map(formSchema),
  });

/** A centered grid is centered again by each change, so one without a field would move its orders. */
const hasFields = (config: EditCall["config"]): boolean => Object.keys(config).length > 0;

/** Returns the preview and the change of every strategy. A rename is a change of its name alone. */
export function editOperations(kinds: readonly Kind[]): readonly Operation[] {
  const forms = kinds.flatMap(({ definitions }) => definitions.map(({ editForm }) => editForm));
  const id = () => idField("Invalid request").describe("Strategy id");
  const previewInput = () => z.object({ id: id(), config: configField(forms) });
  const ready = async (deps: StrategyDeps, request: EditCall, reader: PlanReader) =>
    readyEdit(deps, forms, request, reader);
  return [
    operation({
      ...EDITS,
      name: "preview_edit",
      summary: "Show what a change of a running strategy cancels, places and costs",
      effect: "read",
      http: { route: "POST /strategies/:id/preview", from: "body" },
      forms,
      input: previewInput,
      output: () => plannedEditShape(kinds.map(({ planDetails }) => planDetails())),
      async run(deps, request, { actor }) {
        const { edit, place, strategy } = await ready(deps, request, { actor, isShown: true });
        const planned = await edit.plan();
        return {
          id: strategy.id,
          changes: edit.changes.map((change) => ({ ...change })),
          kept: planned.kept,
          cancelled: planned.cancelled,
          ...planAnswer({ ...planned, planHash: planHashOf(edit.shown) }, await planned.facts(), place),
        };
      },
    }),
    operation({
      ...EDITS,
      name: "edit_strategy",
      summary: "Change the config or the name of a strategy; its ledger, id and history stay",
      effect: "trade",
      http: { route: "PATCH /strategies/:id", from: "body" },
      mcp: { steps: true },
      forms,
      cli: {
        path: "edit",
        positional: ["id", "name"],
        defaults: { name: null },
        view: editedView,
        words: {
          rename: {
            summary: "Name a strategy for lists, alerts and commands; its id stays",
            input: {},
            fields: ["id", "name"],
          },
        },
        examples: [`edgemaker rename ${ID_EXAMPLE} treasury`],
      },
      input: () =>
        z.object({
          id: id(),
          config: configField(forms).optional(),
          name: strategyName()
            .nullable()
            .describe("New name; null, or none on the command line, removes the old one"),
          planHash: planHash(),
        }),
      output: EditedStrategyShape,
      async prepare(deps, { planHash: shown, name, config = {}, ...named }, call) {
        if (name !== undefined && !hasFields(config)) return prepareRename(deps, named.id, name, call);
        const reader = { actor: call.actor, planHash: shown, isShown: false };
        const found = await ready(deps, { ...named, config }, reader);
        checkHolds(found.edit.shown, shown);
        return prepareEdit(deps, found, { name, call });
      },
    }),
  ];
}

interface EditCall {
  readonly id: string;
  readonly config: Readonly<Record<string, unknown>>;
}

interface ReadyCall {
  readonly strategy: Strategy;
  readonly kind: Kind;
  readonly edit: ReadyEdit;
  readonly place: PlannedPlace;
}

/** Finds the strategy and checks the change. Throws AppError if it cannot be made. */
async function readyEdit(
  deps: StrategyDeps,
  forms: readonly ConfigForm[],
  { id, config }: EditCall,
  reader: PlanReader,
): Promise<ReadyCall> {
  if (!hasFields(config))
    throw new AppError("Invalid request", "set at least one field of config, or a name");
  const view = await editableById(deps, id);
  const { kind, strategy } = view;
  const definition = definitionName(view);
  const form = forms.find((one) => one.definition === definition);
  if (!form)
    throw new AppError(
      "Conflict",
      `${id} cannot be changed here: ${definition} is not loaded, because its file is missing or has an error`,
    );
  const { exchange } = parseAccountKey(strategy.account);
  const edit = await kind.readEdit(deps, { strategy, config: readConfigOf(form, config) }, reader);
  if (edit.changes.length === 0)
    throw new AppError("Invalid request", "this changes nothing; set at least one field to another value");
  return {
    strategy,
    kind,
    edit,
    place: { definition, exchange, dryRun: modeOf(strategy.account) === "paper" },
  };
}

/** Returns a running strategy that can be changed now. Throws AppError otherwise. */
async function editableById(deps: StoreDeps, id: string): Promise<ReadableStrategy> {
  const view = await changeableById(deps, id);
  const { phase, state } = view.strategy;
  const is = state.exit ? "is stopping" : phase === "starting" ? "has not started yet" : undefined;
  if (is) throw new AppError("Conflict", `${id} ${is} and cannot be changed; start a new one`);
  return view;
}

/** Returns the fields that change, as the definition's form reads them. Throws AppError with the name of a wrong one. */
function readConfigOf(form: ConfigForm, config: EditCall["config"]): EditCall["config"] {
  const schema = form.config();
  const { data, error } = schema.strict().safeParse(config);
  const [issue] = error?.issues ?? [];
  if (!issue) return data as EditCall["config"];
  if (issue.code === "unrecognized_keys") {
    const [first = ""] = issue.keys;
    const guess = didYouMean(first, Object.keys(schema.shape));
    throw new AppError(
      "Invalid request",
      `${first} is not a setting of ${form.what} that can be changed${guess}`,
    );
  }
  const [name = "", ...below] = issue.path.map(String);
  const mistyped = below.length > 0 ? undefined : mistypedText(schema, name, { issue, value: config[name] });
  throw labelledError(issue.message, issue.path.join("."), mistyped);
}

interface NamedCall {
  readonly name: string | null | undefined;
  readonly call: Call;
}

function prepareEdit(
  deps: Deps,
  { strategy, kind, edit, place }: ReadyCall,
  { name, call }: NamedCall,
): PreparedCall<z.input<ReturnType<typeof EditedStrategyShape>>> {
  const { id, edits = 0 } = strategy;
  const { changes } = edit;
  return {
    async preview() {
      const planned = await edit.plan();
      const facts = await planned.facts();
      const hash = planHashOf(edit.shown);
      return previewOfEdit({ ...planned, planHash: hash, changes, id, name }, facts, place);
    },
    strategies: [id],
    exposure: edit.exposure,
    async act(isLimited) {
      const by = byOf(call);
      const config = await edit.config(isLimited);
      const description = `change requested: ${changesText(changes)}`;
      if (!(await deps.store.setEdit(id, { config, after: edits, description }, by))) throw noLongerHolds();
      if (name !== undefined) await deps.store.rename(id, name, by);
      const isDone = ({ strategy: now }: ReadableStrategy) =>
        now.wants !== "run" ||
        (kind.editWaitsFor === "orders" ? now.phase === "active" : pendingEdit(now) === undefined);
      const after = await passesFor(deps, strategy, isDone, EDIT_PASSES);
      const made = pendingEdit(after.view.strategy) === undefined;
      const message = `${id} ${madeText(after.view.strategy, made)}${reasonForDelay(after)}`;
      return editedOut(after.view, { made, message, changes, warnings: edit.warnings });
    },
  };
}

/** Usual number of passes of a change: cancels, a check of their result, and the new orders. */
const EDIT_PASSES = 3;

const madeText = ({ wants, lastError }: Strategy, made: boolean): string => {
  if (made) return "is changed";
  if (wants === "pause") return "is paused: it changes when it is resumed";
  return `changes with its next passes${lastError === null ? "" : ` (${lastError})`}`;
};

/** Prepares a new name, also of a stopped strategy. */
async function prepareRename(
  deps: StrategyDeps,
  id: string,
  name: string | null,
  call: Call,
): Promise<PreparedCall<z.input<ReturnType<typeof EditedStrategyShape>>>> {
  const [view] = await deps.store.strategies({ id });
  if (!view) throw new AppError("Not found", `there is no strategy ${id}`);
  const isPaper = modeOf(view.strategy.account) === "paper";
  const mark = paperMark(isPaper);
  const changes = [{ field: "name", from: view.strategy.name ?? "none", to: name ?? "none" }];
  return {
    preview: async () => ({
      isPaper,
      what: name === null ? `take the name of ${id}${mark} away` : `name ${id}${mark} ${name}`,
      cost: "nothing is sold or bought",
      worstCase: "nothing trades differently",
      limits: [],
    }),
    exposure: NO_EXPOSURE,
    strategies: [id],
    async act() {
      await deps.store.rename(id, name, byOf(call));
      const message = name === null ? `${id} has no name now` : `${id} is called ${name}`;
      const named = { ...view, strategy: { ...view.strategy, name } };
      return editedOut(named, { made: true, message, changes, warnings: [] });
    },
  };
}

function EditedStrategyShape() {
  return z.object({
    success: z.boolean(),
    ...changedFields(),
    name: z.string().nullable(),
    made: z.boolean().describe("true if a pass has taken the change over; otherwise a later pass does"),
    changes: changesShape(),
    warnings: warnings(),
  });
}

/** Describes a change, or a new name, in a terminal. */
function editedView(answer: unknown) {
  const { id, message, changes, warnings: all } = answer as z.output<ReturnType<typeof EditedStrategyShape>>;
  return {
    strategy: id,
    message,
    changes: changeLines(changes).join("; "),
    ...(all.length > 0 ? { "but note": all.map((warning) => warning.message).join("; ") } : {}),
  };
}

interface EditResult extends Pick<ReadyEdit, "warnings"> {
  readonly made: boolean;
  readonly message: string;
  readonly changes: readonly FieldChange[];
}

const editedOut = (
  { strategy: { id, name = null, status, phase } }: Pick<ReadableStrategy, "strategy">,
  { made, message, changes, warnings: all }: EditResult,
) => ({
  success: true,
  id,
  status,
  phase,
  message,
  name,
  made,
  changes: changes.map((change) => ({ ...change })),
  warnings: all.map((warning) => ({ ...warning })),
});
