import { createHash } from 'node:crypto';
import type { Call } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { IDEMPOTENCY_HEADER, once, type RepeatableCall } from './idempotency-store.ts';

/** Reads from a call what routes need beside its parameters. */

/** @param of.about Everything but the body that decides the answer. */
export function repeatable(
  context: Context,
  call: Call<unknown, unknown, unknown>,
  { operation, about = [] }: { readonly operation: string; readonly about?: readonly string[] },
): RepeatableCall {
  return {
    workspace_id: call.workspace_id,
    operation,
    key: call.request.headers.get(IDEMPOTENCY_HEADER),
    body_mac: context.mac(JSON.stringify([operation, about, call.body ?? null])),
  };
}

/**
 * Does the work of a POST in a transaction, and with an `Idempotency-Key` only once: later calls get the same answer,
 * which is kept sealed, since some answers show a secret.
 */
export async function doOnce<Answer>(
  context: Context,
  call: Call<unknown, unknown, unknown>,
  {
    work,
    ...of
  }: {
    readonly operation: string;
    readonly about?: readonly string[];
    readonly work: (tx: Transaction) => Promise<Answer>;
  },
): Promise<Answer> {
  const { db, secret_box } = context;
  const repeat = repeatable(context, call, of);
  if (repeat.key === null) return db.transaction(work);
  const row = `idempotency:${repeat.workspace_id}:${repeat.operation}:${repeat.key}`;
  const seal = (answer: Answer) => secret_box.seal(JSON.stringify(answer), row);
  const sealed = await db.transaction((tx) =>
    once(tx, { ...repeat, work: async () => seal(await work(tx)) }),
  );
  return JSON.parse(secret_box.open(sealed, row)) as Answer;
}

/**
 * The version counts changes by callers, the hash covers the answer. `If-Match` compares versions only, since patches
 * would collide with a listener's reports; `If-None-Match` compares the whole.
 */
export function etagOf(version: number, answer: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(answer)).digest('hex').slice(0, 16);
  return `"${version}-${hash}"`;
}

const tagsIn = (header: string) => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));

/** Throws `precondition_failed` when `If-Match` names another version than the present one. */
export function checkIfMatch(request: Request, version: number): void {
  const wanted = request.headers.get('if-match');
  if (wanted === null || wanted.trim() === '*') return;
  if (!tagsIn(wanted).some((tag) => /^"(\d+)-[0-9a-f]+"$/.exec(tag)?.[1] === String(version)))
    throw new Problem('precondition_failed', 'The deployment was changed meanwhile.', {
      hint: 'Read it again and repeat the change with its new ETag.',
    });
}

/** Whether the caller has this very answer already. */
export function isKnown(request: Request, etag: string): boolean {
  return tagsIn(request.headers.get('if-none-match') ?? '').includes(etag);
}
