import type { Feedback, FeedbackCreate } from '@roadstead/contracts/observability';
import type { Principal } from '@roadstead/contracts';
import { isUuid, malformed } from '@roadstead/kit';
import { columnJson, columnText } from '../values/column-text-rules.ts';
import { instantOf, naive } from '../values/instant-rules.ts';
import { FEEDBACK_JSON_LENGTH } from '../records/feedback-rules.ts';
import type { FeedbackRow, PlacedFeedback } from '../records/feedback-row.ts';
import type { InWorkspace } from '../values/keys.ts';

/** Feedback as the API takes and answers it. */

/** @param names the users' names, where they are asked for. */
export function feedbackAnswer(row: PlacedFeedback, names?: ReadonlyMap<string, string>): Feedback {
  return {
    id: row.feedback_id,
    created_at: naive(row.created_at) ?? '',
    modified_at: naive(row.modified_at) ?? '',
    key: row.key,
    score: row.score,
    value: row.value,
    comment: row.comment,
    correction: row.correction,
    run_id: row.run_id,
    session_id: row.session_id,
    trace_id: row.trace_id,
    start_time: naive(row.start_time),
    is_root: row.is_root,
    feedback_source: {
      metadata: null,
      ...row.source,
      type: row.source_type,
      user_id: row.user_id,
      user_name: names?.get(row.user_id ?? '') ?? null,
    },
    feedback_group_id: row.feedback_group_id,
    comparative_experiment_id: row.comparative_experiment_id,
    error: row.error,
    extra: row.extra,
    feedback_thread_id: row.thread_id,
  };
}

/** The user for whom the calling key stands. */
export function userOf({ actor }: Principal): string | null {
  const id = actor.slice(actor.indexOf(':') + 1);
  return isUuid(id) ? id.toLowerCase() : null;
}

type FeedbackValues = Pick<FeedbackCreate, 'score' | 'value' | 'comment' | 'correction'>;

/** The fields that a patch may change; a field that isn't named stays undefined. */
export function sentValues(body: FeedbackValues): Partial<Pick<FeedbackRow, keyof FeedbackValues>> {
  return {
    ...('score' in body ? { score: scoreOf(body.score) } : {}),
    ...('value' in body ? { value: boundedJson(body.value, 'value') } : {}),
    ...('comment' in body ? { comment: body.comment ?? null } : {}),
    ...('correction' in body ? { correction: boundedJson(body.correction, 'correction') } : {}),
  };
}

const scoreOf = (score: number | boolean | null | undefined) =>
  score === null || score === undefined ? null : Number(score);

/** @throws Problem `malformed` where a field is too large, or the feedback names no subject. */
export function feedbackRowOf(
  body: FeedbackCreate,
  at: InWorkspace & { readonly feedback_id: string; readonly user_id: string | null; readonly now: string },
): FeedbackRow {
  const run_id = body.run_id ?? body.trace_id ?? null;
  if (run_id === null && (body.session_id ?? null) === null)
    throw malformed(['body', 'run_id'], 'is required, or else trace_id or session_id', 'missing');
  const { type = 'api', metadata } = body.feedback_source ?? {};
  return {
    workspace_id: at.workspace_id,
    feedback_id: at.feedback_id,
    run_id,
    trace_id: body.trace_id ?? null,
    session_id: body.session_id ?? null,
    key: body.key,
    score: scoreOf(body.score),
    value: boundedJson(body.value, 'value'),
    comment: body.comment ?? null,
    correction: boundedJson(body.correction, 'correction'),
    source_type: type,
    source: { metadata: boundedJson(metadata, 'feedback_source') },
    user_id: at.user_id,
    feedback_group_id: body.feedback_group_id ?? null,
    comparative_experiment_id: body.comparative_experiment_id ?? null,
    error: body.error ?? false,
    extra: boundedJson(body.extra, 'extra') as Record<string, unknown> | null,
    created_at: createdAt(body.created_at) ?? at.now,
    modified_at: at.now,
  };
}

function createdAt(sent: string | number | null | undefined): string | undefined {
  if (sent === null || sent === undefined) return undefined;
  const instant = instantOf(sent);
  if (instant === undefined)
    throw malformed(['body', 'created_at'], 'is neither an ISO 8601 instant nor a number since 1970');
  return instant;
}

function boundedJson(value: unknown, name: string): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return columnText(value);
  if (JSON.stringify(value).length > FEEDBACK_JSON_LENGTH)
    throw malformed(['body', name], `is larger than ${FEEDBACK_JSON_LENGTH} characters`);
  return columnJson(value, name);
}
