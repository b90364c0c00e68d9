// Shows the rules of swaps something else than is known of an order: a rule that does not look at it is a broken rule.

import type { SwapSubject } from "../../../src/swap/subject.ts";
import { Subjects } from "../../../src/swaps/ledger/subjects.ts";

type Distortion = (subject: SwapSubject) => SwapSubject;

let distortion: Distortion | null = null;

/** From now on every subject is shown like this; null: as it is. */
export function distort(by: Distortion | null): void {
  distortion = by;
}

const real = Reflect.get(Subjects.prototype, "of");
Object.defineProperty(Subjects.prototype, "of", {
  value: function (this: Subjects, ...values: Parameters<Subjects["of"]>): SwapSubject | null {
    const subject: ReturnType<Subjects["of"]> = Reflect.apply(real, this, values);
    return subject === null || distortion === null ? subject : distortion(subject);
  },
});
