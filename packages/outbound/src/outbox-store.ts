import { uuidv7 } from '@roadstead/kit';
import { type Database, DueInTurns, type Transaction } from '@roadstead/postgres';
import type { Verdict } from './retry-rules.ts';

/** The messages of one outbox. While a message is being sent, its `due_at` is when the sender is given up. */

/** A waiting message, and the owner that it counts for. */
export interface DueMessage {
  readonly id: string;
  readonly workspace_id: string;
  /** The host that gets it. */
  readonly receiver: string;
}

export interface OutboxMessage {
  /** The key by which the receiver is looked up. */
  readonly destination: string;
  /** JSON. */
  readonly body: string;
}

export type NewMessage = OutboxMessage & Omit<DueMessage, 'id'>;

export interface ClaimedMessage extends OutboxMessage {
  readonly id: string;
  /** The number of attempts, this one included. */
  readonly attempts: number;
  readonly claim: string;
}

export class OutboxStore {
  readonly #db: Database;
  readonly #table: string;
  readonly #due: DueInTurns<DueMessage>;

  constructor(db: Database, schema: string) {
    if (!/^[a-z_][a-z0-9_]*$/.test(schema))
      throw new RangeError(`"${schema}" is no name of a schema of ours.`);
    this.#db = db;
    this.#table = `"${schema}".outbox_messages`;
    this.#due = new DueInTurns({
      table: this.#table,
      key: 'id',
      owner: ['workspace_id', 'receiver'],
      owner_type: 'text',
      due: 'due_at',
      waits: `state = 'waiting'`,
    });
  }

  /** In the same order. */
  async insert(tx: Transaction, messages: readonly NewMessage[]): Promise<DueMessage[]> {
    const inserted = messages.map((message) => ({ ...message, id: uuidv7() }));
    const columns = ['id', 'destination', 'body', 'workspace_id', 'receiver'] as const;
    await tx.run(
      `insert into ${this.#table} (${columns.join(', ')})
       select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])`,
      columns.map((column) => inserted.map((message) => message[column])),
    );
    return inserted.map(({ id, workspace_id, receiver }) => ({ id, workspace_id, receiver }));
  }

  /** Lists due messages: workspaces take turns, and so do the receivers of one. */
  async listDue(limit: number, isBusy?: (workspace_id: string) => boolean) {
    return this.#due.list(this.#db, { limit, isBusy });
  }

  /** Undefined when it isn't due: another process is sending it, or it has ended. */
  async claim(id: string, { claim, for_s }: { readonly claim: string; readonly for_s: number }) {
    return this.#db.maybe<ClaimedMessage>(
      `update ${this.#table}
       set claim = $2, attempts = attempts + 1, due_at = now() + make_interval(secs => $3)
       where id = $1 and state = 'waiting' and due_at <= now()
       returning id, destination, body, attempts, claim`,
      [id, claim, for_s],
    );
  }

  /** Keeps a claim that nobody else has taken. */
  async renew({ id, claim }: ClaimedMessage, for_s: number): Promise<void> {
    await this.#db.run(
      `update ${this.#table} set due_at = now() + make_interval(secs => $3)
       where id = $1 and claim = $2 and state = 'waiting'`,
      [id, claim, for_s],
    );
  }

  /** Records the result in the same transaction, unless somebody else has claimed the message since. */
  async record(
    { id, claim }: ClaimedMessage,
    verdict: Verdict,
    { follow }: { readonly follow?: ((tx: Transaction) => Promise<void>) | undefined } = {},
  ): Promise<void> {
    await this.#db.transaction(async (tx) => {
      const recorded = await tx.run(
        `update ${this.#table}
         set state = $3, claim = null, error = $4, due_at = now() + make_interval(secs => $5),
             ended_at = case when $3 = 'waiting' then null else now() end
         where id = $1 and claim = $2 and state = 'waiting'`,
        [
          id,
          claim,
          verdict.state,
          verdict.state === 'delivered' ? null : verdict.error,
          verdict.state === 'waiting' ? verdict.after_s : 0,
        ],
      );
      if (recorded === 1) await follow?.(tx);
    });
  }

  async forgetEnded(older_than_days: number): Promise<void> {
    await this.#db.run(
      `delete from ${this.#table} where state <> 'waiting' and ended_at < now() - make_interval(days => $1)`,
      [older_than_days],
    );
  }
}
