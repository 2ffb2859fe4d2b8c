import { type Kinds, type OriginalAnswer, published } from './original-answer.ts';
import { settingsAnswers } from './original-settings-answers.ts';

/** The answers for a workspace's runs, datasets, feedback, queues and prompts. */

const generated = 'the client of langsmith 0.10 that is generated from the private OpenAPI document';

const run: Kinds = {
  uuid: 'id trace_id session_id',
  'uuid|null':
    'parent_run_id manifest_id manifest_s3_id reference_example_id price_model_id share_token reference_dataset_id',
  string: 'name run_type dotted_order status app_path',
  'string|null': 'inputs_preview outputs_preview error trace_tier thread_id',
  naive: 'start_time',
  'naive|null':
    'end_time trace_min_start_time trace_max_start_time first_token_time last_queued_at trace_first_received_at',
  number: 'execution_order total_tokens prompt_tokens completion_tokens',
  'number|null': 'total_cost prompt_cost completion_cost ttl_seconds',
  boolean: 'trace_upgrade',
  'boolean|null': 'in_dataset',
  'array|null': 'events tags child_run_ids direct_child_run_ids parent_run_ids messages',
  'object|null': [
    'inputs extra serialized outputs inputs_s3_urls outputs_s3_urls s3_urls feedback_stats prompt_token_details',
    'completion_token_details prompt_cost_details completion_cost_details',
  ].join(' '),
};

const queue: Kinds = {
  uuid: 'id tenant_id',
  'uuid|null': 'source_rule_id run_rule_id default_dataset',
  string: 'name reviewer_access_mode queue_type',
  'string|null': 'description',
  time: 'created_at updated_at',
  'number|null': 'num_reviewers_per_item reservation_minutes',
  'boolean|null': 'enable_reservations',
  'object|null': 'metadata',
  array: 'assigned_reviewers',
};

/** One table with more names of some kinds. */
function withMore(kinds: Kinds, more: Kinds): Kinds {
  const entries = Object.entries(more).map(([kind, names]) => [kind, `${kinds[kind] ?? ''} ${names}`]);
  return { ...kinds, ...(Object.fromEntries(entries) as Kinds) };
}

export const originalAnswers = {
  run: {
    source: `an answer to GET /runs/{id} of January 2026 that a user published; ${published}`,
    kinds: run,
  },
  'run that was asked for by a query': { source: published, kinds: run },
  'run of the second generation': {
    source: `${generated}; ${published}`,
    kinds: {
      uuid: 'id project_id trace_id',
      'uuid|null': 'reference_dataset_id reference_example_id price_model_id',
      string: 'name run_type status dotted_order app_path',
      'string|null': 'error error_preview inputs_preview outputs_preview share_url thread_id',
      time: 'start_time',
      'time|null': 'end_time first_token_time last_queued_at thread_evaluation_time',
      number: 'prompt_tokens completion_tokens total_tokens',
      'number|null': 'prompt_cost completion_cost total_cost latency_seconds',
      boolean: 'is_in_dataset is_root',
      array: 'parent_run_ids tags',
      'array|null': 'events',
      object: 'metadata extra feedback_stats',
      'object|null': [
        'attachments inputs outputs manifest prompt_token_details completion_token_details prompt_cost_details',
        'completion_cost_details',
      ].join(' '),
    },
  },
  'statistics of feedback': {
    source: 'the page on the metrics of an experiment, which shows an answer of 2024',
    kinds: { number: 'n', 'number|null': 'avg', object: 'values' },
    ours: 'min max stdev errors comments sources contains_thread_feedback',
  },
  'statistics of runs': {
    source: `${published}; costs are numbers as in recorded answers`,
    kinds: {
      number: 'run_count total_tokens prompt_tokens completion_tokens',
      'number|null': [
        'latency_p50 latency_p99 first_token_p50 first_token_p99 median_tokens completion_tokens_p50 prompt_tokens_p50',
        'tokens_p99 completion_tokens_p99 prompt_tokens_p99 error_rate streaming_rate total_cost prompt_cost',
        'completion_cost cost_p50 cost_p99',
      ].join(' '),
      'time|null': 'last_run_start_time',
      'array|null': 'run_facets',
      'object|null': [
        'feedback_stats prompt_token_details completion_token_details prompt_cost_details completion_cost_details',
      ].join(' '),
    },
    ours: 'latency_avg',
  },
  experiment: {
    source: `the pages on experiments, which show answers of 2024; ${published}`,
    kinds: {
      uuid: 'id tenant_id',
      'uuid|null': 'default_dataset_id reference_dataset_id',
      string: 'name',
      'string|null': 'description trace_tier',
      naive: 'start_time last_run_start_time',
      'naive|null': 'last_run_start_time_live',
      offset: 'end_time',
      number:
        'run_count total_tokens prompt_tokens completion_tokens error_rate streaming_rate test_run_number',
      'number|null':
        'latency_p50 latency_p99 first_token_p50 first_token_p99 total_cost prompt_cost completion_cost',
      array: 'run_facets',
      object: 'feedback_stats session_feedback_stats',
      'object|null': 'extra',
    },
    ours: 'experiment_progress kicked_off_by',
  },
  dataset: {
    source: `the page on uploaded experiments, which shows an answer of 2024; ${published}`,
    kinds: {
      uuid: 'id tenant_id',
      'uuid|null': 'baseline_experiment_id',
      string: 'name',
      'string|null': 'description data_type',
      offset: 'created_at modified_at',
      'time|null': 'last_session_start_time',
      number: 'session_count',
      'number|null': 'example_count',
      'boolean|null': 'externally_managed',
      'array|null': 'transformations',
      'object|null': 'inputs_schema_definition outputs_schema_definition metadata',
    },
  },
  'version of a dataset': { source: published, kinds: { 'array|null': 'tags', time: 'as_of' } },
  example: {
    source: published,
    kinds: {
      uuid: 'id dataset_id',
      'uuid|null': 'source_run_id',
      string: 'name',
      time: 'created_at',
      'time|null': 'modified_at',
      object: 'inputs',
      'object|null': 'outputs metadata attachment_urls',
    },
  },
  feedback: {
    source: published,
    kinds: {
      uuid: 'id',
      'uuid|null': 'feedback_group_id comparative_experiment_id run_id session_id trace_id',
      string: 'key',
      'string|null': 'comment feedback_thread_id',
      time: 'created_at modified_at',
      'time|null': 'start_time',
      'number|boolean|null': 'score',
      'number|boolean|string|object|null': 'value',
      'object|string|null': 'correction',
      boolean: 'is_root',
      'object|null': 'feedback_source extra',
    },
    ours: 'error',
  },
  'feedback configuration': {
    source: published,
    kinds: {
      uuid: 'tenant_id',
      string: 'feedback_key',
      object: 'feedback_config',
      time: 'modified_at',
      'boolean|null': 'is_lower_score_better',
    },
    ours: 'is_enforced is_first',
  },
  prompt: {
    source: published,
    kinds: {
      uuid: 'id tenant_id',
      'uuid|null': 'original_repo_id upstream_repo_id',
      string: 'repo_handle repo_type full_name',
      'string|null': [
        'description readme source owner last_commit_hash created_by original_repo_full_name upstream_repo_full_name',
      ].join(' '),
      time: 'created_at updated_at',
      number: 'num_likes num_downloads num_views num_commits',
      boolean: 'is_public is_archived restricted_mode',
      'boolean|null': 'liked_by_auth_user',
      array: 'tags commit_tags',
      'object|null': 'latest_commit_manifest',
    },
  },
  'commit of a prompt': {
    source: published,
    kinds: {
      string: 'commit_hash',
      'string|null': 'description model_provider',
      boolean: 'is_draft',
      array: 'examples',
      object: 'manifest',
      'object|null': 'model_config',
    },
  },
  'commit in a list': {
    source: published,
    kinds: {
      uuid: 'id repo_id',
      'uuid|null': 'parent_id',
      string: 'commit_hash full_name',
      'string|null': 'description parent_commit_hash',
      time: 'created_at updated_at',
      number: 'num_downloads num_views',
      array: 'example_run_ids manifest_sha',
      'object|null': 'manifest',
    },
  },
  'annotation queue': {
    source: published,
    kinds: withMore(queue, { 'string|null': 'rubric_instructions', 'array|null': 'rubric_items' }),
  },
  'annotation queue in a list': {
    source: published,
    kinds: withMore(queue, { number: 'total_runs' }),
    ours: 'rubric_keys',
  },
  'run in a queue': {
    source: published,
    kinds: withMore(run, {
      uuid: 'queue_run_id',
      'uuid|null': 'source_proposed_example_id',
      'time|null': 'last_reviewed_time added_at effective_added_at',
      array: 'reserved_by completed_by',
    }),
  },
  thread: {
    source: `${generated}; ${published}`,
    kinds: {
      uuid: 'first_trace_id last_trace_id trace_id',
      string: 'thread_id',
      'string|null': 'first_inputs last_outputs last_error',
      time: 'start_time min_start_time max_start_time',
      number: 'count num_errored_turns total_tokens',
      'number|null': 'latency_p50 latency_p99 total_cost',
      object: 'feedback_stats total_cost_details total_token_details',
    },
  },
  'turn of a thread': {
    source: `${generated}; ${published}`,
    kinds: {
      uuid: 'trace_id',
      string: 'thread_id name',
      'string|null': 'inputs_preview outputs_preview error_preview',
      time: 'start_time',
      'time|null': 'end_time first_token_time',
      number: 'op prompt_tokens completion_tokens total_tokens',
      'number|null': 'latency prompt_cost completion_cost total_cost',
      'object|null':
        'prompt_token_details completion_token_details prompt_cost_details completion_cost_details',
    },
  },
  ...settingsAnswers,
} satisfies Record<string, OriginalAnswer>;

export type OriginalNoun = keyof typeof originalAnswers;
