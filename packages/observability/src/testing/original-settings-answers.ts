import { type OriginalAnswer, published } from './original-answer.ts';

/** The answers for everything in a workspace but its runs, datasets and prompts. */
export const settingsAnswers = {
  server: {
    source: published,
    kinds: {
      string: 'version',
      'string|null': 'git_sha',
      'time|null': 'license_expiration_time',
      object: 'batch_ingest_config instance_flags',
      'object|null': 'customer_info',
    },
    ours: 'allowed_longlived_ttl_days',
  },
  workspace: {
    source: published,
    kinds: {
      uuid: 'id',
      'uuid|null': 'organization_id role_id',
      time: 'created_at',
      string: 'display_name',
      'string|null': 'tenant_handle data_plane_url role_name',
      boolean: 'is_personal is_deleted read_only',
      'array|null': 'permissions',
    },
  },
  settings: {
    source: published,
    kinds: { uuid: 'id', string: 'display_name', time: 'created_at', 'string|null': 'tenant_handle' },
  },
  usage: {
    source: published,
    kinds: {
      string: 'customer_id billable_metric_id billable_metric_name',
      time: 'start_timestamp end_timestamp',
      'number|null': 'value',
      'object|null': 'groups',
    },
  },
  rule: {
    source: published,
    kinds: {
      uuid: 'id tenant_id',
      'uuid|null': [
        'session_id dataset_id add_to_annotation_queue_id add_to_dataset_id corrections_dataset_id backfill_id',
        'evaluator_id alignment_annotation_queue_id',
      ].join(' '),
      string: 'display_name',
      'string|null': [
        'session_name dataset_name filter trace_filter tree_filter add_to_annotation_queue_name add_to_dataset_name',
        'backfill_status backfill_error group_by',
      ].join(' '),
      time: 'created_at updated_at',
      'time|null': 'backfill_from backfill_completed_at',
      number: 'sampling_rate evaluator_version',
      'number|null': 'num_few_shot_examples backfill_progress',
      boolean:
        'is_enabled add_to_dataset_prefer_correction use_corrections_dataset extend_only include_extended_stats transient',
      'array|null': 'evaluators code_evaluators alerts webhooks',
      'object|null': 'spend_limit',
    },
    ours: 'failures disabled_reason',
  },
  'retention of a workspace': {
    source: published,
    kinds: {
      uuid: 'id organization_id',
      'uuid|null': 'tenant_id',
      string: 'default_trace_tier configured_by',
      time: 'created_at updated_at',
      'number|null': 'longlived_ttl_days',
      boolean: 'apply_to_all_projects',
    },
  },
  'limit of usage': {
    source: published,
    kinds: {
      uuid: 'id tenant_id',
      string: 'limit_type',
      number: 'limit_value',
      time: 'created_at updated_at',
    },
  },
  'feedback token': {
    source: published,
    kinds: { uuid: 'id', string: 'url feedback_key', time: 'expires_at' },
  },
  'link to a run': { source: published, kinds: { uuid: 'run_id share_token' } },
} satisfies Record<string, OriginalAnswer>;
