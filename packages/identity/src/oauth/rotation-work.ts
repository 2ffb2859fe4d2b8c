import { AsyncLocalStorage } from 'node:async_hooks';
import { createSecretBox, Problem, type SecretBox } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { findRotationAnswer, type NewRecord, rotateRecord } from './record-store.ts';

/**
 * A refresh token is used once, but its answer may get lost, and sessions that share a sign-in may use it at the same
 * time. For a while the same token therefore gets the same answer; after that its use ends the grant.
 */

/** The writes of the library while it answers. They commit in one statement with the answer, or not at all. */
interface Rotation {
  /** The token that the client sent. */
  used?: Buffer;
  /** The token that replaces it. */
  fresh?: NewRecord;
}

/** The rotation of the request that is being answered; undefined outside of a refresh. */
export const rotations = new AsyncLocalStorage<Rotation>();

/** A use of a refresh token, and the function that answers it. */
export interface Refresh {
  readonly refresh_token: string;
  readonly refresh: () => Promise<Response>;
}

interface RotationOptions {
  readonly db: Database;
  readonly secret_box: SecretBox;
}

/**
 * Answers a refresh. The second caller, in any process, gets the first one's answer: `refresh` checks both alike.
 * @throws Problem where the grant ended meanwhile
 */
export async function rotate(
  { db, secret_box }: RotationOptions,
  { refresh_token, refresh }: Refresh,
): Promise<Response> {
  const rotation: Rotation = {};
  const answer = await rotations.run(rotation, refresh);
  const { used, fresh } = rotation;
  if (answer.status !== 200 || used === undefined || fresh === undefined) return answer;
  const row = `oauth rotation ${used.toString('base64url')}`;
  // The answer is sealed with the token itself, beside our own key: only a holder of the token can open what is
  // stored.
  const own = createSecretBox([refresh_token]);
  const text = await answer.text();
  const sealed = secret_box.seal(own.seal(text, row), row);
  if (await rotateRecord(db, { used, fresh, answer: sealed })) return new Response(text, answer);
  const earlier = await findRotationAnswer(db, used);
  if (earlier === undefined)
    throw new Problem('invalid', 'The refresh token was used, or its grant has ended.', {
      code: 'invalid_grant',
    });
  return new Response(own.open(secret_box.open(earlier, row), row), answer);
}
