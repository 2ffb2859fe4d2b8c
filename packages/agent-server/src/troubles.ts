import type { Trouble } from './hosts/crash-rules.ts';

type Part = 'hosts' | 'storage';

/** What is wrong with the parts of a deployment, of which the worst is reported. */
export class Troubles {
  readonly #onTrouble: (trouble: Trouble | undefined) => void;
  readonly #known: Partial<Record<Part, Trouble | undefined>> = {};
  #reported: Trouble | undefined;

  constructor(onTrouble: (trouble: Trouble | undefined) => void) {
    this.#onTrouble = onTrouble;
  }

  /** Takes notice of the trouble of one part; undefined where all is well with it. */
  set(part: Part, trouble: Trouble | undefined): void {
    this.#known[part] = trouble;
    const { hosts, storage } = this.#known;
    // A warning waits until hosts run again; a database that is full keeps them from being wanted at all.
    const worst = storage?.code === 'database_full' ? storage : (hosts ?? storage);
    if (worst?.message === this.#reported?.message) return;
    this.#reported = worst;
    this.#onTrouble(worst);
  }
}
