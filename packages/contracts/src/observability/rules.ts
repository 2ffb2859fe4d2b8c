import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { filterBy, queryInt, queryList, Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { v1 } from './mounts.ts';

/** Rules that act automatically on runs that match a filter; the wire calls them run rules. */

const text = WellFormedText.nullish();

export const RuleWebhook = z
  .object({
    url: WellFormedText.min(1).max(2000),
    /** Headers of each call. Their values are answered as `********`, which sent back keeps the present one. */
    headers: z.record(WellFormedText, WellFormedText).nullish(),
    /** The secret that signs each call (https://www.standardwebhooks.com); answered once, when it is made. */
    secret: text,
  })
  .meta({ id: 'RuleWebhook' });

/** Fields of the original that are refused in words where they ask for anything. */
const unbuilt = {
  evaluators: z.unknown().optional(),
  code_evaluators: z.unknown().optional(),
  evaluator_id: z.unknown().optional(),
  alerts: z.unknown().optional(),
  spend_limit: z.unknown().optional(),
  group_by: z.unknown().optional(),
  backfill_from: z.unknown().optional(),
  create_alignment_queue: z.unknown().optional(),
  use_corrections_dataset: z.unknown().optional(),
  num_few_shot_examples: z.unknown().optional(),
  transient: z.unknown().optional(),
};

const actions = {
  add_to_dataset_id: Uuid.nullish(),
  /** Whether the latest correction in a run's feedback replaces its outputs. */
  add_to_dataset_prefer_correction: z.boolean().nullish(),
  add_to_annotation_queue_id: Uuid.nullish(),
  /** Whether to keep the trace as long as a `longlived` one. */
  extend_only: z.boolean().nullish(),
  webhooks: z.array(RuleWebhook).max(10).nullish(),
};

const filters = { filter: text, trace_filter: text, tree_filter: text };

const RuleCreate = z
  .object({
    display_name: WellFormedText.min(1).max(500),
    /** The share of the matching runs that it acts on; the same runs each time. */
    sampling_rate: z.number().min(0).max(1),
    is_enabled: z.boolean().nullish(),
    /** The project whose runs, or the dataset whose experiments, it acts on. */
    session_id: Uuid.nullish(),
    dataset_id: Uuid.nullish(),
    ...filters,
    ...actions,
    ...unbuilt,
  })
  .meta({ id: 'RunRuleCreate' });

const RuleUpdate = RuleCreate.partial().meta({ id: 'RunRuleUpdate' });

const Rule = z
  .object({
    id: z.string(),
    tenant_id: z.string(),
    display_name: z.string(),
    is_enabled: z.boolean(),
    session_id: z.string().nullable(),
    session_name: z.string().nullable(),
    dataset_id: z.string().nullable(),
    dataset_name: z.string().nullable(),
    sampling_rate: z.number(),
    filter: z.string().nullable(),
    trace_filter: z.string().nullable(),
    tree_filter: z.string().nullable(),
    add_to_dataset_id: z.string().nullable(),
    add_to_dataset_name: z.string().nullable(),
    add_to_dataset_prefer_correction: z.boolean(),
    add_to_annotation_queue_id: z.string().nullable(),
    add_to_annotation_queue_name: z.string().nullable(),
    extend_only: z.boolean(),
    webhooks: z.array(RuleWebhook),
    created_at: z.string(),
    updated_at: z.string(),
    /** How often it has failed since its last success; the tenth failure disables it. */
    failures: z.number(),
    /** The reason why it was disabled, unless its user did it. */
    disabled_reason: z.string().nullable(),
    evaluators: z.null(),
    code_evaluators: z.null(),
    evaluator_id: z.null(),
    evaluator_version: z.number(),
    alerts: z.null(),
    corrections_dataset_id: z.null(),
    use_corrections_dataset: z.literal(false),
    num_few_shot_examples: z.null(),
    include_extended_stats: z.literal(false),
    transient: z.literal(false),
    group_by: z.null(),
    backfill_from: z.null(),
    backfill_id: z.null(),
    backfill_status: z.null(),
    backfill_progress: z.null(),
    backfill_error: z.null(),
    backfill_completed_at: z.null(),
    alignment_annotation_queue_id: z.null(),
    spend_limit: z.null(),
  })
  .meta({ id: 'RunRule' });

const Outcome = z
  .object({
    outcome: z.enum(['success', 'skipped', 'error']),
    payload: z.record(z.string(), z.unknown().optional()).nullable(),
  })
  .nullable()
  .meta({ id: 'RunRuleOutcome' });

const RuleLog = z
  .object({
    rule_id: z.string(),
    run_id: z.string(),
    run_name: z.string().nullable(),
    run_type: z.string().nullable(),
    run_session_id: z.string(),
    thread_id: z.string().nullable(),
    start_time: z.string(),
    end_time: z.string(),
    /** The time at which the actions were done; null while they are pending. */
    application_time: z.string().nullable(),
    add_to_dataset: Outcome,
    add_to_annotation_queue: Outcome,
    extend_retention: Outcome,
    webhooks: Outcome,
    evaluators: z.null(),
    alerts: z.null(),
    /** The error of the last try that failed. */
    error: z.string().nullable(),
  })
  .meta({ id: 'RunRuleLog' });

const params = z.object({ rule_id: Uuid });
const example = {
  display_name: 'failures to review',
  session_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  sampling_rate: 0.5,
  filter: 'and(eq(is_root, true), eq(status, "error"))',
  extend_only: true,
};

export const rules = {
  listRules: endpoint({
    ...v1,
    method: 'GET',
    path: '/runs/rules',
    summary: 'List rules for runs',
    access: 'traces:read',
    query: z.object({
      id: filterBy(queryList(Uuid)),
      session_id: Uuid.optional(),
      dataset_id: Uuid.optional(),
      type: z.enum(['session', 'dataset']).optional(),
      name_contains: WellFormedText.optional(),
      limit: queryInt({ min: 1, max: 100, fallback: 100 }),
      offset: queryInt({ fallback: 0 }),
    }),
    success: { status: 200, body: z.array(Rule) },
    example: { query: { name_contains: 'failures' } },
  }),
  createRule: endpoint({
    ...v1,
    method: 'POST',
    path: '/runs/rules',
    summary:
      'Create a rule: runs that end from now on and match are added to a dataset or a queue, kept longer, or reported to webhooks',
    access: 'traces:admin',
    errors: [404, 409],
    body: RuleCreate,
    success: { status: 200, body: Rule },
    example: { body: example },
  }),
  readRule: endpoint({
    ...v1,
    method: 'GET',
    path: '/runs/rules/{rule_id}',
    summary: 'Read a rule for runs',
    access: 'traces:read',
    params,
    success: { status: 200, body: Rule },
  }),
  patchRule: endpoint({
    ...v1,
    method: 'PATCH',
    path: '/runs/rules/{rule_id}',
    summary: 'Change a rule for runs; what is absent stays, null takes away',
    access: 'traces:admin',
    params,
    body: RuleUpdate,
    success: { status: 200, body: Rule },
    example: { body: { is_enabled: false } },
  }),
  deleteRule: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/runs/rules/{rule_id}',
    summary: 'Delete a rule for runs, and what it was to do',
    access: 'traces:admin',
    params,
    success: { status: 200, body: z.object({ message: z.string() }) },
  }),
  listRuleLogs: endpoint({
    ...v1,
    method: 'GET',
    path: '/runs/rules/{rule_id}/logs',
    summary: 'List the runs that a rule acts on and what came of it, latest first',
    access: 'traces:read',
    params,
    query: z.object({
      limit: queryInt({ min: 1, max: 1440, fallback: 150 }),
      offset: queryInt({ fallback: 0 }),
      start_time: Timestamp.optional(),
      end_time: Timestamp.optional(),
    }),
    success: { status: 200, body: z.array(RuleLog) },
    example: { query: { limit: '20' } },
  }),
};
