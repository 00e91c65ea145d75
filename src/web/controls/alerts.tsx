import { useState } from "hono/jsx/dom";
import { ALERT_LEVELS, CHANNEL_KINDS, type ChannelKind } from "../../model/channel.ts";
import { secretFieldsOf } from "../../notify/channels.ts";
import { base64Url } from "../../notify/operations/push.ts";
import { ApiError, ask, part } from "../api.ts";
import { type Loaded, useLoad } from "../live.ts";
import { Table, type TableColumn } from "../table.tsx";
import type { AddedChannelAnswer, ChannelAnswer, ChannelList } from "../types.ts";
import { Choice, Failed, Field, NoticeBox, Section, Shown, Time, useConfirmation, valueIn } from "../ui.tsx";

/** The page of alert channels. */
export function Alerts() {
  const channels = useLoad<ChannelList>("GET /channels", {}, { live: true });
  return (
    <>
      <h1>Alerts</h1>
      <Section title="Channels">
        <Shown of={channels}>{(data) => <ChannelTable data={data} again={channels.again} />}</Shown>
      </Section>
      <NotifyThisBrowser again={channels.again} />
      <AddChannel again={channels.again} />
    </>
  );
}

function ChannelTable({ data, again }: { data: ChannelList; again: Loaded<ChannelList>["again"] }) {
  const [question, put] = useConfirmation();
  const path = ({ channel }: ChannelAnswer) => `/channels/${part(channel)}`;
  const act = (output: () => Promise<string>) => () => output().finally(again);
  const test = (one: ChannelAnswer) =>
    put({
      title: `Send ${one.channel} a message?`,
      says: "This sends a test message and shows the response.",
      yes: "Send it",
      act: act(async () => {
        await ask(`POST ${path(one)}`, { body: { send: "test" } });
        return `${one.channel} accepted the message.`;
      }),
    });
  const replay = (one: ChannelAnswer) =>
    put({
      title: `Resend the failed messages of ${one.channel}?`,
      says: `${one.givenUp} messages failed.`,
      yes: "Send them",
      act: act(async () => {
        const body = { send: "failed" };
        const { messages } = await ask<{ messages: number }>(`POST ${path(one)}`, { body });
        return `${messages} messages are queued again.`;
      }),
    });
  const remove = (one: ChannelAnswer) =>
    put({
      title: `Remove ${one.channel}?`,
      says: "It gets no more messages. Its secrets and its waiting messages are deleted.",
      yes: "Remove it",
      dangerous: true,
      act: act(async () => {
        await ask(`DELETE ${path(one)}`);
        return `${one.channel} is removed.`;
      }),
    });
  return (
    <>
      <Table
        label="Alert channels"
        columns={channelColumns({ test, replay, remove })}
        rows={data.channels}
        keyOf={({ channel }) => channel}
        empty="There are no channels yet. Add one below and send a test."
      />
      {question}
    </>
  );
}

/** Sends alerts to this browser, which then shows them also while the page is closed. */
function NotifyThisBrowser({ again }: { again: () => void }) {
  const [state, setState] = useState<{ isBusy?: boolean; error?: ApiError; channel?: string }>({});
  const add = async () => {
    setState({ isBusy: true });
    try {
      const channel = `browser-${crypto.randomUUID().slice(0, 8)}`;
      const { secrets, made, replaced } = await subscribe();
      await ask("POST /channels", { body: { channel, kind: "browser", level: "warning", ...secrets } }).catch(
        (error) => made.unsubscribe().finally(() => Promise.reject(error)),
      );
      await replaced?.unsubscribe();
      setState({ channel });
      again();
    } catch (error) {
      setState({ error: error instanceof ApiError ? error : new ApiError(0, "Browser", String(error)) });
    }
  };
  const canNotify = "serviceWorker" in navigator && "PushManager" in window;
  return (
    <Section title="This browser">
      <p>
        Warnings and alerts appear as notifications, also while the page is closed.{" "}
        {canNotify
          ? null
          : "Your browser offers this only over TLS or on the machine of the server, and not in a private window."}
      </p>
      <button type="button" disabled={!canNotify || state.isBusy === true} onClick={() => void add()}>
        Notify this browser
      </button>
      {state.error ? <Failed error={state.error} /> : null}
      {state.channel ? <AddedChannel added={{ channel: state.channel }} /> : null}
    </Section>
  );
}

/** A registration of the service worker has one subscription: the new one is made in the other, before the old one ends. */
const SPARE_SCOPE = "./alerts/";

/** Subscribes to the browser's push service, with a new pair of keys that only the server keeps. */
async function subscribe() {
  const main = await navigator.serviceWorker.getRegistration("./");
  if (!main?.active)
    throw new Error("the page is not installed in this browser yet; reload it and try again");
  const inMain = await main.pushManager.getSubscription();
  const spare = (await navigator.serviceWorker.getRegistrations()).find(({ scope }) =>
    scope.endsWith(SPARE_SCOPE.slice(1)),
  );
  const inSpare = await spare?.pushManager.getSubscription();
  // The last try was interrupted.
  if (inMain && inSpare) await inSpare.unsubscribe();
  const { pushManager } = inMain ? await activeRegistration(main.active.scriptURL) : main;
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign"]);
  const applicationServerKey = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const { d } = await crypto.subtle.exportKey("jwk", pair.privateKey);
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint: url, keys: { p256dh: browserKey, auth: browserSecret } = {} } = made.toJSON();
  const senderKey = `${base64Url(applicationServerKey)}.${d}`;
  const secrets = { url, browserKey, browserSecret, senderKey, from: location.origin };
  return { secrets, made, replaced: inMain ?? inSpare };
}

/** Registers the service worker a second time. */
async function activeRegistration(script: string): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register(script, { scope: SPARE_SCOPE });
  const { installing } = registration;
  if (installing)
    await new Promise<void>((resolve) =>
      installing.addEventListener("statechange", () => installing.state === "activated" && resolve()),
    );
  return registration;
}

/** Kinds whose secrets a person can enter. */
const TYPED_KINDS = CHANNEL_KINDS.filter((kind) => kind !== "browser");

type Act = Readonly<Record<"test" | "replay" | "remove", (one: ChannelAnswer) => void>>;

const channelColumns = ({ test, replay, remove }: Act): readonly TableColumn<ChannelAnswer>[] => [
  {
    name: "Channel",
    isHead: true,
    of: ({ channel, kind }) => (
      <>
        {channel}
        <small>{kind}</small>
      </>
    ),
    by: ({ channel }) => channel,
  },
  { name: "Lowest level", of: ({ level, daily }) => `${level}${daily ? ", daily report" : ""}` },
  { name: "Quiet", of: ({ quiet }) => quiet ?? "never" },
  { name: "Last delivery", of: ({ sentAt }) => (sentAt === null ? "none yet" : <Time at={sentAt} />) },
  {
    name: "State",
    of: ({ error, waiting, givenUp, sentAt }) => (
      <>
        <b class={`tag ${error ? "down" : sentAt === null ? "" : "up"}`}>
          {error ? "failing" : sentAt === null ? "not tested" : "well"}
        </b>
        {error ? <small class="todo">{error}</small> : null}
        {waiting > 0 ? <small>{waiting} wait</small> : null}
        {givenUp > 0 ? <small>{givenUp} failed</small> : null}
      </>
    ),
  },
  {
    name: "Actions",
    of: (one) => (
      <div class="actions">
        <button type="button" aria-label={`Test ${one.channel}`} onClick={() => test(one)}>
          Test
        </button>
        {one.givenUp > 0 ? (
          <button type="button" aria-label={`Replay ${one.channel}`} onClick={() => replay(one)}>
            Replay
          </button>
        ) : null}
        <button type="button" aria-label={`Remove ${one.channel}`} onClick={() => remove(one)}>
          Remove
        </button>
      </div>
    ),
  },
];

const EMPTY_CHANNEL = { channel: "", kind: "ntfy" as ChannelKind, level: "warning", quiet: "", daily: false };
type ChannelForm = typeof EMPTY_CHANNEL;

/** A form for a channel's secrets, which are sent to the server once and never shown again. */
function AddChannel({ again }: { again: () => void }) {
  const [settings, setSettings] = useState<ChannelForm>(EMPTY_CHANNEL);
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  const [state, setState] = useState<{ added?: AddedChannelAnswer; error?: ApiError; isBusy?: boolean }>({});
  const fields = secretFieldsOf(settings.kind);
  const isMissing = fields.some(({ field, isNeeded }) => isNeeded && !secrets[field]?.trim());
  const add = (event: Event) => {
    event.preventDefault();
    setState({ isBusy: true });
    ask<AddedChannelAnswer>("POST /channels", { body: channelBody(settings, secrets) }).then(
      (added) => {
        setState({ added });
        setSettings(EMPTY_CHANNEL);
        setSecrets({});
        again();
      },
      (error) => setState({ error }),
    );
  };
  return (
    <Section title="Add a channel">
      <form onSubmit={add}>
        <SettingFields settings={settings} change={(more) => setSettings({ ...settings, ...more })} />
        <div class="fields">
          {fields.map(({ name, field, isNeeded }) => (
            <Field key={field} label={`${FIELD_LABELS[name] ?? name}${isNeeded ? "" : " (optional)"}`}>
              <input
                type={SHOWN_FIELDS.includes(field) ? "text" : "password"}
                autocomplete="off"
                spellcheck={false}
                value={secrets[field] ?? ""}
                onInput={(event: Event) => setSecrets({ ...secrets, [field]: valueIn(event) })}
              />
            </Field>
          ))}
          <button
            type="submit"
            class="primary"
            disabled={state.isBusy || isMissing || settings.channel === ""}
          >
            {state.isBusy ? "Adding…" : "Add channel"}
          </button>
        </div>
      </form>
      {state.error ? <Failed error={state.error} /> : null}
      {state.added ? <AddedChannel added={state.added} /> : null}
    </Section>
  );
}

const FIELD_LABELS: Readonly<Record<string, string>> = {
  url: "Address, https",
  "access token": "Access token",
  "bot token": "Bot token",
  "chat id": "Chat id",
  server: "Server",
  user: "User",
  password: "Password",
  from: "Sender address",
  to: "Receiver address",
};

/** Fields that are not secret and stay visible while typing. */
const SHOWN_FIELDS: readonly string[] = ["user", "from", "to"];

/** Returns the kind's non-empty secret fields. */
function channelBody(
  { channel, kind, level, quiet, daily }: ChannelForm,
  secrets: Readonly<Record<string, string>>,
) {
  const given = secretFieldsOf(kind)
    .map(({ field }) => [field, secrets[field]?.trim() ?? ""] as const)
    .filter(([, text]) => text !== "");
  return {
    channel,
    kind,
    level,
    daily,
    ...(quiet.trim() === "" ? {} : { quiet: quiet.trim() }),
    ...Object.fromEntries(given),
  };
}

const AddedChannel = ({
  added: { channel, signingSecret },
}: {
  added: Pick<AddedChannelAnswer, "channel" | "signingSecret">;
}) => (
  <NoticeBox>
    {channel} is added and gets messages from now on. Send it a test.
    {signingSecret ? (
      <>
        {" "}
        The receiver verifies messages with this secret. It is shown only once:{" "}
        <code class="break">{signingSecret}</code>
      </>
    ) : null}
  </NoticeBox>
);

function SettingFields({
  settings,
  change,
}: {
  settings: ChannelForm;
  change: (more: Partial<ChannelForm>) => void;
}) {
  const type = (name: "channel" | "kind" | "level" | "quiet") => (event: Event) =>
    change({ [name]: valueIn(event) });
  return (
    <div class="fields">
      <Field label="Name" hint="1 to 31 characters: a-z, 0-9 and -">
        <input value={settings.channel} autocomplete="off" spellcheck={false} onInput={type("channel")} />
      </Field>
      <Field label="Kind">
        <Choice
          value={settings.kind}
          choices={TYPED_KINDS}
          choose={(kind: ChannelForm["kind"]) => change({ kind })}
        />
      </Field>
      <Field label="Lowest level" hint="info includes every fill">
        <Choice
          value={settings.level}
          choices={ALERT_LEVELS}
          choose={(level: ChannelForm["level"]) => change({ level })}
        />
      </Field>
      <Field
        label="Quiet hours"
        hint="Only alerts are sent in these hours, for example 22:00-07:00 Europe/Berlin"
      >
        <input value={settings.quiet} placeholder="22:00-07:00" autocomplete="off" onInput={type("quiet")} />
      </Field>
      <label class="check">
        <input type="checkbox" checked={settings.daily} onClick={() => change({ daily: !settings.daily })} />{" "}
        Also send a daily report
      </label>
    </div>
  );
}
