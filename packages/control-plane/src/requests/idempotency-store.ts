import { Problem } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';

/** A POST that may be repeated: the same key with the same body gets the answer of the first call. */
export interface RepeatableCall {
  readonly workspace_id: string;
  readonly operation: string;
  /** The header `Idempotency-Key`; with null the work is done every time. */
  readonly key: string | null;
  /** A keyed hash of everything that decides the answer. */
  readonly body_mac: Buffer;
}

/** Keys are forgotten after a day. */
export const IDEMPOTENCY_HEADER = 'idempotency-key';
const MAX_KEY_LENGTH = 255;

/**
 * Does the work once per key, in the transaction that records its answer. A second call waits for the first one's
 * end. Throws `conflict` when the key came with another body.
 */
export async function once<Answer>(
  tx: Transaction,
  { work, ...call }: RepeatableCall & { readonly work: () => Promise<Answer> },
): Promise<Answer> {
  if (call.key === null) return work();
  if (call.key === '' || call.key.length > MAX_KEY_LENGTH)
    throw new Problem('invalid', `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`);
  const names = [call.workspace_id, call.operation, call.key];
  const isFirst = await tx.run(
    `insert into idempotency_keys (workspace_id, operation, key, body_mac) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [...names, call.body_mac],
  );
  if (isFirst === 0) return earlierAnswer<Answer>(tx, { names, body_mac: call.body_mac });
  const answer = await work();
  await tx.run(
    'update idempotency_keys set answer = $4::text::jsonb where workspace_id = $1 and operation = $2 and key = $3',
    [...names, JSON.stringify(answer)],
  );
  return answer;
}

async function earlierAnswer<Answer>(
  tx: Transaction,
  { names, body_mac }: { readonly names: readonly string[]; readonly body_mac: Buffer },
): Promise<Answer> {
  const earlier = await tx.one<{ body_mac: Buffer; answer: Answer }>(
    'select body_mac, answer from idempotency_keys where workspace_id = $1 and operation = $2 and key = $3',
    names,
  );
  if (!earlier.body_mac.equals(body_mac))
    throw new Problem('conflict', 'This Idempotency-Key came with another request before.', {
      hint: 'Use a new key for every new request.',
    });
  return earlier.answer;
}

export async function removeOldKeys(db: Queryable): Promise<void> {
  await db.run(`delete from idempotency_keys where created_at < now() - interval '1 day'`);
}
