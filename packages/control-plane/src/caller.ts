import { type Call, Problem } from '@roadstead/kit';
import type { Context } from './context.ts';
import { IDEMPOTENCY_HEADER, type RepeatableCall } from './idempotency/idempotency-store.ts';

/** What routes read off a call beside its parameters. */

/** @param of.about Everything but the body that the answer follows from. */
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

/** A deployment's ETag counts what callers change, not what a listener reports: patches would collide with a build. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** Throws `precondition_failed` when `If-Match` names another version than the present one. */
export function checkIfMatch(request: Request, version: number): void {
  const wanted = request.headers.get('if-match');
  if (wanted === null || wanted.trim() === '*') return;
  const tags = wanted.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!tags.includes(etagOf(version)))
    throw new Problem('precondition_failed', 'The deployment was changed meanwhile.', {
      hint: 'Read it again and repeat the change with its new ETag.',
    });
}
