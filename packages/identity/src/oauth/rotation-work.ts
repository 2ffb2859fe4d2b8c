import { AsyncLocalStorage } from 'node:async_hooks';
import { createSecretBox, type Database, Problem, type SecretBox } from '@roadstead/kit';
import { findRotationAnswer, type NewRecord, rotateRecord } from './record-store.ts';

/**
 * A refresh token is used once, but its answer may be lost, and sessions that share a sign-in may use it at once. So for a
 * while the same token gives the same answer again, and ends the grant only after that.
 */

/** What the library would write while it answers. It is written in one statement with the answer, or not at all. */
interface Rotation {
  /** The token that is used. */
  used?: Buffer;
  /** The one that takes its place. */
  fresh?: NewRecord;
}

/** Of the request that is being answered; undefined outside of a refresh. */
export const rotations = new AsyncLocalStorage<Rotation>();

/** A use of a refresh token, and what answers it. */
export interface Refresh {
  readonly refresh_token: string;
  readonly refresh: () => Promise<Response>;
}

interface RotationOptions {
  readonly db: Database;
  readonly secret_box: SecretBox;
}

/**
 * Answers a refresh. Whoever comes second, in whichever process, gets what the first one got: `refresh` checks both alike.
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
  // By the token itself beside our own key: what is stored opens for nobody who does not show it.
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
