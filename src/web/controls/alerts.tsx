import { ask, part } from "../api.ts";
import { type Loaded, useLoad } from "../load.ts";
import { Table, type TableColumn } from "../table.tsx";
import type { ChannelAnswer, ChannelList } from "../types.ts";
import { Section, Shown, Time, useAsk } from "../ui.tsx";
import { AddChannel } from "./add-channel.tsx";

/** The page of alert channels. */
export function Alerts() {
  const channels = useLoad<ChannelList>("GET /channels", {}, { live: true });
  return (
    <>
      <h1>Alerts</h1>
      <Section title="Channels">
        <Shown of={channels}>{(data) => <ChannelTable data={data} again={channels.again} />}</Shown>
      </Section>
      <AddChannel again={channels.again} />
    </>
  );
}

function ChannelTable({ data, again }: { data: ChannelList; again: Loaded<ChannelList>["again"] }) {
  const [question, put] = useAsk();
  const path = ({ channel }: ChannelAnswer) => `/channels/${part(channel)}`;
  const act = (output: () => Promise<string>) => () => output().finally(again);
  const test = (one: ChannelAnswer) =>
    put({
      title: `Send ${one.channel} a message?`,
      says: "This sends a test message and shows the response.",
      yes: "Send it",
      act: act(async () => {
        await ask(`POST ${path(one)}/test`, { body: {} });
        return `${one.channel} accepted the message.`;
      }),
    });
  const replay = (one: ChannelAnswer) =>
    put({
      title: `Resend the failed messages of ${one.channel}?`,
      says: `${one.givenUp} messages failed.`,
      yes: "Send them",
      act: act(async () => {
        const { replayed } = await ask<{ replayed: number }>(`POST ${path(one)}/replay`, { body: {} });
        return `${replayed} messages are queued again.`;
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
    of: ({ error, waiting, givenUp }) => (
      <>
        <b class={`tag ${error ? "down" : "up"}`}>{error ? "failing" : "well"}</b>
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
