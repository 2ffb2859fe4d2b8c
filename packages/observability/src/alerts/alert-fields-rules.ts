import type { Alert, AlertFields as SentAlert, AlertLogEntry } from '@roadstead/contracts/observability';
import { malformed } from '@roadstead/kit';
import { keepWebhooks, type SealedFor, webhookAnswer } from '../rules/rule-webhooks.ts';
import type { AlertDefinition, AlertFields, AlertLogRow, AlertRow } from './alert-row.ts';

/** Alerts as callers send them, and as they are answered. */

/** The defaults of an alert. */
export const BLANK_ALERT: AlertFields = {
  definition: {
    name: '',
    project_ids: null,
    runs: 'roots',
    filter: null,
    metric: 'errors',
    feedback_key: null,
    window_s: 300,
    comparison: 'above',
    threshold: 0,
    resolve_threshold: null,
    breaches_to_fire: 1,
    clears_to_resolve: 1,
    notify_no_data: false,
    mail_to: [],
  },
  webhooks: [],
  is_enabled: true,
  muted_until: null,
};
const names = Object.keys(BLANK_ALERT.definition) as (keyof AlertDefinition)[];

export interface KeptAlert {
  readonly fields: AlertFields;
  /** The secrets of new webhooks, by their addresses. */
  readonly new_secrets: ReadonlyMap<string, string>;
}

/** Merges the sent fields over the present ones. @throws Problem for an impossible alert. */
export function keptAlert(
  present: AlertFields,
  { sent, ...to }: SealedFor & { readonly sent: SentAlert },
): KeptAlert {
  const changed = names.filter((name) => sent[name] !== undefined);
  const definition: AlertDefinition = {
    ...present.definition,
    ...Object.fromEntries(changed.map((name) => [name, sent[name]])),
  };
  checkDefinition(definition);
  const kept = sent.webhooks && keepWebhooks(sent.webhooks, { ...to, present: present.webhooks });
  return {
    fields: {
      definition,
      webhooks: kept?.map(({ sealed }) => sealed) ?? present.webhooks,
      is_enabled: sent.is_enabled ?? present.is_enabled,
      muted_until: sent.muted_until === undefined ? present.muted_until : sent.muted_until,
    },
    new_secrets: new Map(
      (kept ?? []).flatMap(({ sealed, new_secret }) =>
        new_secret === undefined ? [] : [[sealed.url, new_secret] as const],
      ),
    ),
  };
}

function checkDefinition(definition: AlertDefinition): void {
  const { metric, feedback_key, comparison, threshold, resolve_threshold } = definition;
  if (metric.startsWith('feedback') && feedback_key === null)
    throw malformed(['body', 'feedback_key'], `names the feedback, which the metric ${metric} needs`);
  const sign = comparison === 'above' ? 1 : -1;
  if (resolve_threshold !== null && sign * resolve_threshold > sign * threshold)
    throw malformed(['body', 'resolve_threshold'], `must not be ${comparison} the threshold`);
}

const NO_SECRETS: ReadonlyMap<string, string> = new Map();

export function alertAnswer(row: AlertRow, new_secrets = NO_SECRETS): Alert {
  const { definition, webhooks } = row;
  return {
    id: row.id,
    ...definition,
    is_enabled: row.is_enabled,
    muted_until: row.muted_until,
    webhooks: webhooks.map((one) => webhookAnswer(one, new_secrets.get(one.url))),
    state: row.state,
    state_since: row.state_since,
    value: row.value,
    evaluated_at: row.evaluated_at,
    problem: row.problem,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

export function logAnswer({ from_state, to_state, deliveries, ...entry }: AlertLogRow): AlertLogEntry {
  return {
    ...entry,
    from: from_state,
    to: to_state,
    deliveries: Object.entries(deliveries).map(([to, delivery]) => ({ to, ...delivery })),
  };
}
