import { type Issue, Problem } from '@roadstead/kit';

/** Further faults are counted and not named. */
const MAX_NAMED = 100;

/** Faults of single values in a request whose rest is accepted; the answer names them. */
export class Faults {
  readonly #issues: Issue[] = [];
  #count = 0;
  #unknown_types = 0;

  /** @param at the value's place as the client knows it: a part's name, or `post.0.end_time` of a batch. */
  add(at: string, msg: string): void {
    this.#count += 1;
    if (at.endsWith('run_type')) this.#unknown_types += 1;
    if (this.#issues.length < MAX_NAMED) this.#issues.push({ loc: [at], msg, type: 'value_error' });
  }

  /**
   * A run of an unknown type among others is stored as a chain; if all runs are such, the sender must learn of it.
   * @throws Problem `malformed` where each of so many runs is of no known type.
   */
  refuseUnknownTypes({ runs }: { readonly runs: number }): void {
    if (runs > 0 && this.#unknown_types >= runs)
      throw new Problem('malformed', 'The run has an unknown type.', {
        issues: this.#issues.filter(({ loc }) => String(loc[0]).endsWith('run_type')),
      });
  }

  get issues(): readonly Issue[] {
    return this.#issues;
  }

  /** The faults as answers show them; empty without a fault. */
  get answer(): {
    readonly message: string;
    readonly issues?: { loc: string[]; msg: string; type: string }[];
  } {
    if (this.#count === 0) return { message: 'Stored.' };
    const issues = this.#issues.map((issue) => ({ ...issue, loc: issue.loc.map(String) }));
    return { message: `Stored, except: ${this.#sentence}.`, issues };
  }

  get #sentence(): string {
    const named = this.#issues.map((issue) => `${issue.loc.join('.')} ${issue.msg}`).join('; ');
    const more = this.#count - this.#issues.length;
    return more === 0 ? named : `${named}; and ${more} more`;
  }
}
