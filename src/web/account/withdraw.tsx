import { number } from "../format.ts";
import { useLoad } from "../load.ts";
import { numberColumn, Table, type TableColumn } from "../table.tsx";
import type { WithdrawPlan } from "../types.ts";
import { FoldedSection, Shown, Warnings } from "../ui.tsx";

/** What can be withdrawn while every order stays funded; loaded when it is opened. */
export const WithdrawPart = ({ exchange }: { exchange: string }) => (
  <FoldedSection title="Withdrawable amounts" isClosed>
    {() => <WithdrawTable exchange={exchange} />}
  </FoldedSection>
);

type WithdrawRow = WithdrawPlan["assets"][number];

const withdrawColumn = (name: string, of: (row: WithdrawRow) => string) =>
  numberColumn<WithdrawRow>(name, (row) => Number(of(row)), number);

const COLUMNS: readonly TableColumn<WithdrawRow>[] = [
  { name: "Asset", isHead: true, of: ({ asset }) => asset, by: ({ asset }) => asset },
  withdrawColumn("You can withdraw", ({ canWithdraw }) => canWithdraw),
  withdrawColumn("Needed by strategies", ({ kept }) => kept),
  withdrawColumn("In orders", ({ inOrders }) => inOrders),
  withdrawColumn("Total", ({ total }) => total),
  withdrawColumn("Missing", ({ missing }) => missing),
];

function WithdrawTable({ exchange }: { exchange: string }) {
  const plan = useLoad<WithdrawPlan>("GET /strategy/grid/withdraw-plan", { exchange });
  return (
    <Shown of={plan} rows={6}>
      {({ assets, warnings }) => (
        <>
          <Warnings of={warnings} />
          <Table
            label={`Withdrawable amounts on ${exchange}`}
            columns={COLUMNS}
            rows={assets}
            keyOf={({ asset }) => asset}
            empty="This account is empty."
          />
          <p class="quiet">edgemaker never withdraws. These amounts leave no order of a strategy unfunded.</p>
        </>
      )}
    </Shown>
  );
}
