/** What callers asked, how long they waited for the answer, and what went wrong that they did not expect. */

export interface LedgerCall {
  readonly kind: string;
  readonly ended_ms: number;
  /** With all that was asked again meanwhile. */
  readonly took_ms: number;
  /** What became of each try but the last. */
  readonly retried: readonly string[];
}

export interface LedgerFault {
  readonly kind: string;
  readonly at_ms: number;
  readonly what: string;
}

export class Ledger {
  readonly calls: LedgerCall[] = [];
  readonly faults: LedgerFault[] = [];

  answered(call: Omit<LedgerCall, 'ended_ms'>): void {
    this.calls.push({ ...call, ended_ms: Date.now() });
  }

  fault(kind: string, what: string): void {
    this.faults.push({ kind, at_ms: Date.now(), what });
  }

  /** What was answered, and what went wrong, since then. */
  since(at_ms: number): LedgerPart {
    return new LedgerPart(
      this.calls.filter(({ ended_ms }) => ended_ms >= at_ms),
      this.faults.filter((one) => one.at_ms >= at_ms),
    );
  }
}

class LedgerPart {
  readonly calls: readonly LedgerCall[];
  readonly faults: readonly LedgerFault[];

  constructor(calls: readonly LedgerCall[], faults: readonly LedgerFault[]) {
    this.calls = calls;
    this.faults = faults;
  }

  countOf(kind: string): number {
    return this.calls.filter((one) => one.kind === kind).length;
  }

  /** The longest that a caller waited, for each kind of call. */
  longest(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      Object.entries(Object.groupBy(this.calls, ({ kind }) => kind)).map(([kind, calls = []]) => [
        kind,
        Math.round(Math.max(...calls.map(({ took_ms }) => took_ms))),
      ]),
    );
  }

  /** How often each kind was asked again, and why. */
  retried(): Readonly<Record<string, number>> {
    const each = this.calls.flatMap(({ kind, retried }) => retried.map((why) => `${kind}: ${why}`));
    return Object.fromEntries(
      Object.entries(Object.groupBy(each, (one) => one)).map(([why, all = []]) => [why, all.length]),
    );
  }
}
