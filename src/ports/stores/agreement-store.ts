import type { By } from "../../model/events.ts";
import type { AgreementTerms, AgreementVersion } from "../../model/samples/agreement.ts";

/** Agreements. A version is never changed or deleted. */
export interface AgreementStore {
  /** Returns the newest version of each agreement, by name. */
  agreements(): Promise<readonly AgreementVersion[]>;
  /** Returns all versions of an agreement, oldest first. */
  versions(name: string): Promise<readonly AgreementVersion[]>;
  /** Returns false if the agreement has this version already. The event gets the message. */
  add(
    version: AgreementTerms & Pick<AgreementVersion, "name" | "version">,
    message: string,
    by: By,
  ): Promise<boolean>;
}
