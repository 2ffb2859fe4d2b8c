import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryInt, Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { v2 } from './mounts.ts';
import { RuleWebhook } from './rules.ts';

/** Thresholds on a number of a series, and who is told when it is crossed. */

export const alertMetrics = [
  'runs',
  'errors',
  'error_rate',
  'latency_p50',
  'latency_p95',
  'latency_p99',
  'first_token_p50',
  'first_token_p95',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'total_cost',
  'feedback_count',
  'feedback_average',
] as const;
export const alertStates = ['ok', 'firing', 'no_data', 'silenced'] as const;
export type AlertState = (typeof alertStates)[number];

const evaluations = z.number().int().min(1).max(60);
const fields = {
  name: WellFormedText.min(1).max(200),
  is_enabled: z.boolean(),
  /** Tracing projects; all that are no experiments where it is null or empty. */
  project_ids: z.array(Uuid).max(100).nullable(),
  runs: z.enum(['roots', 'all']),
  filter: WellFormedText.max(10_000).nullable(),
  metric: z.enum(alertMetrics),
  /** The key whose feedback is counted or averaged; for the metrics of feedback. */
  feedback_key: WellFormedText.min(1).max(500).nullable(),
  /** The length of the time before each evaluation whose runs are summed: a minute to a week. */
  window_s: z.number().int().min(60).max(604_800),
  comparison: z.enum(['above', 'below']),
  threshold: z.number(),
  /** The value at which it is over, on the other side of the threshold; the threshold itself where it is null. */
  resolve_threshold: z.number().nullable(),
  /** How many evaluations one after the other must breach the threshold, or be over, before the state changes. */
  breaches_to_fire: evaluations,
  clears_to_resolve: evaluations,
  /** Whether the channels are told that nothing can be measured. */
  notify_no_data: z.boolean(),
  /** Until then it is silenced: it goes on being evaluated, and nobody is told. */
  muted_until: Timestamp.nullable(),
  /** Receivers of signed calls; secrets and values of headers are masked as those of rules are. */
  webhooks: z.array(RuleWebhook).max(10),
  /** Addresses of mail, where the operator named a mail server. */
  mail_to: z.array(z.email().max(320)).max(20),
};

const AlertCreate = z
  .object(fields)
  .partial()
  .required({ name: true, metric: true, window_s: true, comparison: true, threshold: true })
  .meta({ id: 'AlertCreate' });
const AlertUpdate = z.object(fields).partial().meta({ id: 'AlertUpdate' });

const Alert = z
  .object({
    ...fields,
    id: z.string(),
    mail_to: z.array(z.string()),
    muted_until: z.string().nullable(),
    state: z.enum(alertStates),
    state_since: z.string(),
    /** The value of the last evaluation; null where nothing could be measured. */
    value: z.number().nullable(),
    evaluated_at: z.string().nullable(),
    /** Why the last evaluation failed, a sentence; the state stays as it was. */
    problem: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Alert' });
export type Alert = z.output<typeof Alert>;
export type AlertFields = z.output<typeof AlertUpdate>;

const AlertLogEntry = z
  .object({
    id: z.string(),
    at: z.string(),
    kind: z.enum(['transition', 'test']),
    from: z.enum(alertStates),
    to: z.enum(alertStates),
    value: z.number().nullable(),
    /** Whether the channels are told. */
    notified: z.boolean(),
    /** What came of it, one for each address. */
    deliveries: z.array(
      z.object({
        to: z.string(),
        state: z.enum(['waiting', 'delivered', 'dead']),
        error: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'AlertLogEntry' });
export type AlertLogEntry = z.output<typeof AlertLogEntry>;

const params = z.object({ alert_id: Uuid });
const page = z.object({
  page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
  cursor: WellFormedText.optional(),
});
const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable() });
const read = { ...v2, access: 'traces:read' } as const;
const admin = { ...v2, access: 'traces:admin' } as const;
const one = { params, success: { status: 200, body: Alert } } as const;

export const alerts = {
  listAlerts: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/alerts',
    summary: 'List alerts, the newest first',
    query: page,
    success: { status: 200, body: pageOf(Alert) },
    example: { query: { page_size: '50' } },
  }),
  createAlert: endpoint({
    ...admin,
    method: 'POST',
    path: '/v2/alerts',
    summary:
      'Create an alert: a threshold on a number of a series, evaluated by itself, told by webhook and mail; new secrets are in this answer only',
    errors: [404, 409],
    body: AlertCreate,
    success: { status: 201, body: Alert },
    example: {
      body: {
        name: 'too many errors',
        metric: 'error_rate',
        window_s: 900,
        comparison: 'above',
        threshold: 0.1,
        resolve_threshold: 0.05,
        breaches_to_fire: 2,
      },
    },
  }),
  readAlert: endpoint({
    ...read,
    ...one,
    method: 'GET',
    path: '/v2/alerts/{alert_id}',
    summary: 'Read an alert with its state',
  }),
  patchAlert: endpoint({
    ...admin,
    ...one,
    method: 'PATCH',
    path: '/v2/alerts/{alert_id}',
    summary: 'Change or silence an alert; what is absent stays. It is evaluated again at once',
    body: AlertUpdate,
    example: { body: { muted_until: '2026-01-05T12:00:00Z' } },
  }),
  deleteAlert: endpoint({
    ...admin,
    method: 'DELETE',
    path: '/v2/alerts/{alert_id}',
    summary: 'Delete an alert with its log; what it was to tell is not sent',
    params,
    success: { status: 204 },
  }),
  testAlert: endpoint({
    ...admin,
    method: 'POST',
    path: '/v2/alerts/{alert_id}/test',
    summary: 'Send a test to all channels of an alert; its log shows what comes of it',
    errors: [409],
    params,
    success: { status: 202, body: AlertLogEntry },
  }),
  listAlertLog: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/alerts/{alert_id}/log',
    summary: 'List the changes of an alert’s state and its tests, the newest first',
    params,
    query: page,
    success: { status: 200, body: pageOf(AlertLogEntry) },
    example: { query: { page_size: '50' } },
  }),
};
