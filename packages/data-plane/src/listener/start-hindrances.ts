import type { Hindrance, StartHindrance } from '@roadstead/agent-server';

interface HeldStart {
  readonly revision_id: string;
  readonly hindrance: Hindrance;
}

/** What keeps hosts of a deployment from their start at present, by revision. */
export class StartHindrances {
  /** The starts that are kept from going on. */
  readonly #held = new Map<StartHindrance, HeldStart>();
  readonly #followers = new Map<string, () => void>();

  /** For one start of a host: what is returned is told what keeps it from that. */
  startOf(revision_id: string): StartHindrance {
    const tell: StartHindrance = (hindrance) => {
      if (hindrance === undefined && !this.#held.has(tell)) return;
      this.#held.delete(tell);
      if (hindrance !== undefined) this.#held.set(tell, { revision_id, hindrance });
      this.#followers.get(revision_id)?.();
    };
    return tell;
  }

  /** The one that was told last. */
  of(revision_id: string): Hindrance | undefined {
    return [...this.#held.values()].findLast((held) => held.revision_id === revision_id)?.hindrance;
  }

  /** Tells of each change of a revision's hindrances until that is disposed of. */
  follow(revision_id: string, onChange: () => void): Disposable {
    this.#followers.set(revision_id, onChange);
    return {
      [Symbol.dispose]: () => {
        if (this.#followers.get(revision_id) === onChange) this.#followers.delete(revision_id);
      },
    };
  }
}
