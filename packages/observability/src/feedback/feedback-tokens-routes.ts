import type { FeedbackToken, FeedbackTokenCreate, feedbackTokens } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, malformed, Problem, type SecretBox, uuidv7 } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { isScore } from '../records/feedback-rules.ts';
import { newToken } from '../shares/share-token.ts';
import { feedbackRowOf } from './feedback-answer-rules.ts';
import {
  deleteExpiredFeedbackTokens,
  type FeedbackTokenRow,
  findFeedbackToken,
  insertFeedbackTokens,
  listFeedbackTokens,
} from './feedback-token-store.ts';
import { agreeOnConfig, type OnFeedback, writeFeedback } from './feedback-work.ts';
import { createHash } from 'node:crypto';
import { instantOf } from '../values/instant-rules.ts';
import type { InWorkspace, RunKey } from '../values/keys.ts';

type TokenHandlers = Handlers<typeof feedbackTokens>;
type TokenFeedback = Parameters<TokenHandlers['giveFeedbackWithBody']>[0]['body'];

interface Options {
  readonly db: Database;
  readonly clock: Clock;
  readonly secret_box: SecretBox;
  readonly public_url: string;
  readonly onFeedback: OnFeedback;
}

const thanks = { message: 'The feedback is stored.' };

export function feedbackTokenHandlers(options: Options): TokenHandlers {
  const { db, clock } = options;
  const now = () => new Date(clock.now()).toISOString();
  return {
    createFeedbackToken: async ({ body, workspace_id, request }) => {
      const wanted = Array.isArray(body) ? body : [body];
      const tokens = await db.transaction(async (tx) => {
        await deleteExpiredFeedbackTokens(tx, now());
        return createTokens(tx, { wanted, workspace_id }, options);
      });
      const answers = tokens.map(({ row, token }) =>
        answerOf(row, { token, address: addressOf(options, request) }),
      );
      return Array.isArray(body) ? answers : (answers[0] ?? answers);
    },
    listFeedbackTokens: async ({ query, workspace_id, request }) => {
      const rows = await listFeedbackTokens(db, { workspace_id, run_id: query.run_id, now: now() }, query);
      return rows.flatMap((row) => {
        const token = openedToken(options.secret_box, row);
        return token === undefined ? [] : [answerOf(row, { token, address: addressOf(options, request) })];
      });
    },
    giveFeedbackByLink: async ({ params, query }) => {
      await give(options, {
        token: params.token,
        given: { ...query, score: scoreInQuery(query.score) },
        now: now(),
      });
      return thanks;
    },
    giveFeedbackWithBody: async ({ params, body }) => {
      await give(options, { token: params.token, given: body, now: now() });
      return thanks;
    },
  };
}

async function createTokens(
  tx: Transaction,
  { wanted, workspace_id }: InWorkspace & { readonly wanted: readonly FeedbackTokenCreate[] },
  { clock, secret_box }: Options,
) {
  const now = new Date(clock.now()).toISOString();
  const tokens = wanted.map((one) => {
    const token = newToken();
    const { run_id, feedback_key } = one;
    const row: FeedbackTokenRow = {
      token_hash: feedbackTokenHash(token),
      sealed_token: secret_box.seal(token, sealedFeedbackFor({ workspace_id, run_id: run_id.toLowerCase() })),
      workspace_id,
      run_id: run_id.toLowerCase(),
      feedback_key,
      created_at: now,
      expires_at: expiryOf(one, clock.now()),
    };
    return { row, token };
  });
  for (const { feedback_key: key, feedback_config: config } of wanted)
    await agreeOnConfig(tx, { workspace_id, key, config, now });
  await insertFeedbackTokens(
    tx,
    tokens.map(({ row }) => row),
  );
  return tokens;
}

/** The address under the mount of the request, since clients compare it with the address that they were given. */
function addressOf({ public_url }: Options, request: Request): string {
  return `${public_url.replace(/\/$/, '')}${new URL(request.url).pathname.replace(/\/$/, '')}`;
}

const answerOf = (
  row: FeedbackTokenRow,
  { token, address }: { readonly token: string; readonly address: string },
): FeedbackToken => ({
  id: token,
  url: `${address}/${token}`,
  expires_at: new Date(row.expires_at).toISOString(),
  feedback_key: row.feedback_key,
});

/** Undefined where the key that sealed it is gone: the link still works, but can't be shown again. */
function openedToken(box: SecretBox, row: FeedbackTokenRow): string | undefined {
  try {
    return box.open(row.sealed_token, sealedFeedbackFor(row));
  } catch {
    return undefined;
  }
}

async function give(
  { db, onFeedback }: Options,
  { token, given, now }: { readonly token: string; readonly given: TokenFeedback; readonly now: string },
): Promise<void> {
  const found = await findFeedbackToken(db, { token_hash: feedbackTokenHash(token), now });
  if (found === undefined) throw new Problem('not_found', 'There is no such link, or it has expired.');
  const { metadata, ...values } = given;
  const { run_id, feedback_key: key, workspace_id } = found;
  const body = { ...values, run_id, key, feedback_source: { type: 'api', metadata } };
  const row = feedbackRowOf(body, { workspace_id, feedback_id: uuidv7(), user_id: null, now });
  await db.transaction((tx) => writeFeedback(tx, { rows: [row], onFeedback }));
}

function feedbackTokenHash(token: string): Buffer {
  return createHash('sha256').update(`feedback ${token.toLowerCase()}`).digest();
}

/** The purpose to which a sealed token is bound. */
const sealedFeedbackFor = ({ workspace_id, run_id }: RunKey): string => `feedback/${workspace_id}/${run_id}`;

const MINUTE_MS = 60_000;
const LIFE_MS = 3 * 60 * MINUTE_MS;

/** The expiry as ISO text. @throws Problem `malformed` where it lies in the past or is no instant. */
function expiryOf(
  { expires_at, expires_in }: Pick<FeedbackTokenCreate, 'expires_at' | 'expires_in'>,
  now_ms: number,
): string {
  if (expires_at !== null && expires_at !== undefined) {
    const instant = instantOf(expires_at);
    if (instant === undefined) throw malformed(['body', 'expires_at'], 'is not an ISO 8601 instant');
    if (Date.parse(instant) <= now_ms) throw malformed(['body', 'expires_at'], 'lies in the past');
    return instant;
  }
  const { days = 0, hours = 0, minutes = 0 } = expires_in ?? {};
  const life_ms = ((days * 24 + hours) * 60 + minutes) * MINUTE_MS;
  return new Date(now_ms + (life_ms === 0 ? LIFE_MS : life_ms)).toISOString();
}

/** A score from the query of an address. @throws Problem `malformed`. */
function scoreInQuery(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const score = /^(true|false)$/i.test(text) ? Number(text.toLowerCase() === 'true') : Number(text);
  if (isScore(score)) return score;
  throw malformed(['query', 'score'], 'is neither a number nor `true` or `false`');
}
