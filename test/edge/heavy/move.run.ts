import { expect, it } from "vitest";
import { asGrid } from "../../../src/grid/state/state.ts";
import { eventually, serve } from "../../support/command.ts";
import { deployment, strangers } from "../../support/deployment.ts";
import { fireCron } from "../../support/edge-live.ts";
import { gridRequest } from "../../support/requests.ts";
import { tempFolder } from "../../support/temp.ts";

it("a running grid moves from Node to the edge and back, also while both step it", async () => {
  const edge = await deployment(1, { only: ["bitget", "kraken"] });
  const folder = tempFolder();
  const { EDGEMAKER_TOKEN: _edges, ...settings } = edge.database.settings;
  const server = () => serve(folder, ["--tick-interval", "300"], settings);
  const venues = edge.accounts.ids.map(({ venue }) => edge.accounts.venues[venue]);
  const move = (price: string) => venues.map((venue) => venue.move("BTC/USDT", price));
  const steppedBy = async () =>
    new Set((await edge.database.deps.store.strategies({})).map((view) => view.steppedBy ?? ""));
  // The orders are right before the turn that placed them has stored who took it.
  const areSteppedBy = (isIt: (name: string) => boolean) =>
    eventually(steppedBy, (names) => [...names].every(isIt)).then(() => undefined);
  const isRight = () => eventually(edge.wrongSlots, (wrong) => wrong.length === 0).then(() => undefined);
  const tallies: string[] = [];
  const tally = async (who: string) => {
    const views = await edge.database.deps.store.strategies({});
    tallies.push(
      `${who}: ${views.map(({ strategy }) => asGrid(strategy).state.ledger.filledOrders).join(" and ")} orders filled`,
    );
  };

  const node = await server();
  for (const { id } of edge.accounts.ids) {
    const body = gridRequest({ exchange: id, gridLevels: 12, orderSize: 60 });
    const started = await node.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(body) });
    expect(started.status).toBe(200);
  }
  move("58900");
  await isRight();
  await areSteppedBy((name) => name.endsWith(`:${node.child.pid}`));
  await tally("stepped by Node");

  // Both at once: the lease decides.
  const worker = await edge.start();
  let minute = Date.UTC(2026, 0, 1);
  const cron = async () => {
    const from = edge.turns.length;
    const fire = async () => {
      minute += 60_000;
      await edge.rested();
      await fireCron(worker, minute);
      await edge.turnsEnded(from, 1, 5000).catch(() => undefined);
      return edge.turns.length;
    };
    // One that the server has just put off gets no turn, and both may have been: then it is another minute's.
    await eventually(fire, (ended) => ended > from);
  };
  for (const price of ["59900", "61100", "59500", "60600"]) {
    move(price);
    await cron();
    await cron();
  }
  await isRight();
  await tally("by both");

  await node.kill("SIGTERM");
  move("58600");
  const afterCron = async () => {
    await cron();
    return edge.wrongSlots();
  };
  await eventually(afterCron, (wrong) => wrong.length === 0);
  await areSteppedBy((name) => name === "edge");
  await tally("by the edge");

  await worker.dispose();
  move("60400");
  const back = await server();
  await isRight();
  await areSteppedBy((name) => name.endsWith(`:${back.child.pid}`));
  await tally("by Node again");
  await back.kill("SIGTERM");

  const { twice, orphans } = await strangers(edge.accounts, edge.database.deps.store);
  const placed = venues.reduce((sum, venue) => sum + venue.orders().length, 0);
  await edge.close();
  process.stdout.write(
    `\n${tallies.join("; ")}; ${placed} orders placed, ${twice.length} twice, ${orphans.length} without an intent\n`,
  );
  expect({ twice, orphans }).toEqual({ twice: [], orphans: [] });
});
