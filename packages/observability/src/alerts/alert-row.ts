import type { Alert, AlertLogEntry, AlertState } from '@roadstead/contracts/observability';
import type { SealedWebhook } from '../rules/rule-webhooks.ts';

/** The fields of an alert that a caller sets and nothing but its evaluation reads. */
export type AlertDefinition = Pick<
  Alert,
  | 'name'
  | 'project_ids'
  | 'runs'
  | 'filter'
  | 'metric'
  | 'feedback_key'
  | 'window_s'
  | 'comparison'
  | 'threshold'
  | 'resolve_threshold'
  | 'breaches_to_fire'
  | 'clears_to_resolve'
  | 'notify_no_data'
  | 'mail_to'
>;

export type AlertCondition = Exclude<AlertState, 'silenced'>;

/** The fields of an alert that a caller sets. */
export interface AlertFields {
  readonly definition: AlertDefinition;
  readonly webhooks: readonly SealedWebhook[];
  readonly is_enabled: boolean;
  readonly muted_until: string | null;
}

/** Where an alert is: what its evaluations come to, what is shown of it, and what was told last. */
export interface AlertStanding {
  readonly condition: AlertCondition;
  /** The evaluations, one after the other, that speak for another condition. */
  readonly streak: number;
  readonly state: AlertState;
  readonly told: AlertCondition;
}

export interface AlertRow extends AlertFields, AlertStanding {
  readonly workspace_id: string;
  readonly id: string;
  readonly state_since: string;
  readonly value: number | null;
  readonly problem: string | null;
  readonly evaluated_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface AlertLogRow extends Omit<AlertLogEntry, 'from' | 'to' | 'deliveries'> {
  readonly from_state: AlertState;
  readonly to_state: AlertState;
  /** What came of each message, by its address. */
  readonly deliveries: Readonly<Record<string, Delivery>>;
}

export type Delivery = Pick<AlertLogEntry['deliveries'][number], 'state' | 'error'>;
