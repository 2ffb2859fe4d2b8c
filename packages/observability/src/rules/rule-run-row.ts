import type { Outcomes } from './rule-rules.ts';

/** The decision of a rule on a run, and its outcome. Instants are ISO text with microseconds. */

export interface RuleRunId {
  readonly workspace_id: string;
  readonly rule_id: string;
  readonly run_id: string;
}

export interface RuleRunRow extends RuleRunId {
  readonly session_id: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly attempts: number;
  readonly outcomes: Outcomes;
  readonly error: string | null;
  readonly applied_at: string | null;
}

export interface DecidedRun {
  readonly run_id: string;
  readonly session_id: string;
  readonly start_time: string;
  readonly end_time: string;
}

export interface RuleLogRow extends RuleRunRow {
  readonly run_name: string | null;
  readonly run_type: string | null;
  readonly thread_id: string | null;
}
