import type { Queryable } from './database.ts';
import { dueStatements, type DueTable } from './due-statements.ts';

interface DueQuery {
  readonly limit: number;
  /** The current time; the database's own by default. */
  readonly now?: Date | undefined;
  /** Whether an owner has so much listed and waiting that no more of it is needed. */
  readonly isBusy?: ((whole: string) => boolean) | undefined;
}

interface DueRow {
  readonly whole: string;
  readonly part: string;
  /** Null: the row only marks where to continue. */
  readonly key: string | null;
}

/** The most owners that one listing visits, those with nothing due included. */
const MOST_OWNERS = 1000;

/**
 * Lists due rows so that owners take turns, and reads no more for it however many rows, owners and parts of an owner
 * wait. Where not everything fits, a listing takes an equal share of each owner, and of each of its parts; the next
 * one continues with the owners and parts that this one has not visited.
 */
export class DueInTurns<Row> {
  readonly #statements: ReturnType<typeof dueStatements>;
  readonly #hasParts: boolean;
  readonly #rowOf: (found: DueRow) => Row;
  /** The owner to continue with; undefined to begin with the first. */
  #next: string | undefined;
  /** The parts to continue with, of owners that have more than were listed. */
  readonly #nextParts = new Map<string, string>();

  constructor(table: DueTable) {
    const [first, second] = table.owner;
    this.#statements = dueStatements(table);
    this.#hasParts = second !== undefined;
    this.#rowOf = ({ whole, part, key }) =>
      ({
        [table.key]: key,
        ...(second === undefined ? { [first]: part } : { [first]: whole, [second]: part }),
      }) as Row;
  }

  /** Lists due rows; `has_more` where there are others. */
  async list(
    db: Queryable,
    { limit, now, isBusy = () => false }: DueQuery,
  ): Promise<{ readonly due: Row[]; readonly has_more: boolean }> {
    const few = await db.query<DueRow & { readonly may_go: boolean }>(this.#statements.first, [
      now ?? null,
      limit + 1,
    ]);
    if (few.length <= limit) {
      this.#next = undefined;
      this.#nextParts.clear();
      return { due: few.filter(({ may_go }) => may_go).map(this.#rowOf), has_more: false };
    }
    const began_later = this.#next !== undefined;
    const all = await this.#wholes(db, limit);
    const has_later_parts = all.some((whole) => this.#nextParts.has(whole));
    const wholes = all.filter((whole) => !isBusy(whole));
    const found = wholes.length === 0 ? [] : await this.#ofEach(db, wholes, { limit, now });
    // A whole round that finds nothing is the end: what is due may not go.
    const is_whole_round = !began_later && !has_later_parts && this.#next === undefined;
    const is_end = is_whole_round && wholes.length === all.length && found.length === 0;
    return { due: found.filter(({ key }) => key !== null).map(this.#rowOf), has_more: !is_end };
  }

  async #wholes(db: Queryable, limit: number): Promise<string[]> {
    if (!this.#hasParts) return [''];
    const rows = await db.query<{ whole: string }>(this.#statements.wholes, [this.#next ?? null, limit]);
    this.#next = rows[limit]?.whole;
    return rows.slice(0, limit).map(({ whole }) => whole);
  }

  async #ofEach(
    db: Queryable,
    wholes: readonly string[],
    { limit, now }: Pick<DueQuery, 'limit' | 'now'>,
  ): Promise<DueRow[]> {
    const found = await db.query<DueRow>(this.#statements.ofEach, [
      now ?? null,
      wholes,
      wholes.map((whole) => this.#nextParts.get(whole) ?? null),
      Math.max(1, Math.floor(MOST_OWNERS / wholes.length)),
      limit,
    ]);
    for (const whole of wholes) this.#nextParts.delete(whole);
    for (const { whole, part, key } of found) if (key === null) this.#nextParts.set(whole, part);
    return found;
  }
}
