import type { Database, Queryable } from '@roadstead/postgres';

/** Who floods a bound, and who comes meanwhile. */
export type Name = 'greedy' | 'other';

/** Work that is under way until it is told to end. */
export class Gate {
  readonly #running: { readonly name: Name; readonly end: () => void }[] = [];
  readonly #begun = new Set<Name>();
  #isOpen = false;
  #most = 0;

  /** The most that the flood held at once. */
  get most(): number {
    return this.#most;
  }

  running(name: Name): number {
    return this.#running.filter((one) => one.name === name).length;
  }

  hasBegun(name: Name): boolean {
    return this.#begun.has(name);
  }

  /** Begins a piece of work, and resolves when it is to end. */
  async pass(name: Name): Promise<void> {
    this.#begun.add(name);
    if (this.#isOpen) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.push({ name, end: resolve });
    this.#most = Math.max(this.#most, this.running('greedy'));
    await promise;
  }

  /** Ends what has been under way for longest. */
  end(name: Name): void {
    const at = this.#running.findIndex((one) => one.name === name);
    if (at === -1) throw new Error(`Nothing of ${name} is under way.`);
    this.#running.splice(at, 1)[0]?.end();
  }

  /** Holds nothing any more. */
  open(): void {
    this.#isOpen = true;
    for (const { end } of this.#running.splice(0)) end();
  }
}

/** How many pieces of work come, and of how many parts of their owner. */
export interface Workload {
  readonly pieces: number;
  readonly parts: number;
}

/** A bound's own mechanism, of which the work goes through a gate. */
export interface Scene extends AsyncDisposable {
  ask(name: Name, asked: Workload): Promise<void> | void;
}

export type OpenScene = (gate: Gate) => Promise<Scene>;

/** The part that a piece is of, by its number. */
export const partOf = (at: number, { parts }: Workload): string => `part${at % parts}`;

export const workspaces: Readonly<Record<Name, string>> = {
  greedy: '22222222-2222-4222-8222-222222222222',
  other: '33333333-3333-4333-8333-333333333333',
};

/** A database whose statements of this text, about one of the workspaces, go through the gate. */
export function gatedDatabase(db: Database, gate: Gate, step: RegExp): Database {
  const nameOf = (values: readonly unknown[]): Name => (values[0] === workspaces.greedy ? 'greedy' : 'other');
  const gated = <Q extends Queryable>(queryable: Q): Q =>
    new Proxy(queryable, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        const call = member as (...given: unknown[]) => unknown;
        if (name === 'transaction' || name === 'patientTransaction')
          return (work: (tx: Queryable) => unknown) => call.call(target, (tx: Queryable) => work(gated(tx)));
        return async (text: unknown, values: readonly unknown[] = []) => {
          if (step.test(String(text))) await gate.pass(nameOf(values));
          return call.call(target, text, values);
        };
      },
    });
  return gated(db);
}
