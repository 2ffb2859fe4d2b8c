import type { PlaygroundExperiment, PlaygroundExperimentStatus } from '@roadstead/contracts/observability';
import type { InWorkspace, RowKey } from '../values/keys.ts';
import type { AskedTemplate } from './prompt-source-work.ts';

export interface ExperimentFields {
  readonly dataset_id: string;
  readonly as_of: string | null;
  readonly model_provider_id: string;
  readonly model: string;
  /** What each call asks, beside what its example gives. */
  readonly asked: AskedTemplate;
}

export type CallState = 'waiting' | 'done' | 'failed' | 'cancelled';

export interface CallKey extends InWorkspace {
  readonly experiment_id: string;
  readonly run_id: string;
}

/** A call that is claimed: only who knows the claim may record it. */
export interface ClaimedCall extends CallKey, ExperimentFields {
  readonly claim: string;
  readonly example_id: string;
  readonly repetition: number;
  readonly attempts: number;
}

export interface NewCall {
  readonly run_id: string;
  readonly example_id: string;
  readonly repetition: number;
}

export type NewExperiment = RowKey & ExperimentFields;

/** What may follow what. */
export const experimentStatuses: Readonly<
  Record<PlaygroundExperimentStatus, readonly PlaygroundExperimentStatus[]>
> = { running: ['done', 'cancelled'], done: [], cancelled: [] };

export type ExperimentProgress = PlaygroundExperiment;
