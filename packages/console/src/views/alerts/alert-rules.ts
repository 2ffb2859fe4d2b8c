import type { Alert, AlertFields, AlertState } from '@roadstead/contracts/observability';
import { count, dollars, share } from '../../words/number-rules.ts';
import { duration } from '../../words/time-rules.ts';
import type { Tone } from '../../words/tone.ts';

/** How alerts are told, and what a form of one says. */

export type AlertMetric = NonNullable<AlertFields['metric']>;

const seconds = (value: number) => duration(value * 1000);
const plain = (value: number) => String(Number(value.toPrecision(4)));

interface MetricWords {
  readonly label: string;
  readonly unit: string;
  readonly format: (value: number) => string;
}

export const metrics: Readonly<Record<AlertMetric, MetricWords>> = {
  runs: { label: 'Runs', unit: 'runs', format: count },
  errors: { label: 'Errors', unit: 'runs', format: count },
  error_rate: { label: 'Error rate', unit: 'a share from 0 to 1', format: share },
  latency_p50: { label: 'Latency, p50', unit: 'seconds', format: seconds },
  latency_p95: { label: 'Latency, p95', unit: 'seconds', format: seconds },
  latency_p99: { label: 'Latency, p99', unit: 'seconds', format: seconds },
  first_token_p50: { label: 'First token, p50', unit: 'seconds', format: seconds },
  first_token_p95: { label: 'First token, p95', unit: 'seconds', format: seconds },
  prompt_tokens: { label: 'Prompt tokens', unit: 'tokens', format: count },
  completion_tokens: { label: 'Completion tokens', unit: 'tokens', format: count },
  total_tokens: { label: 'All tokens', unit: 'tokens', format: count },
  total_cost: { label: 'Cost', unit: 'dollars', format: dollars },
  feedback_count: { label: 'Feedback, how many', unit: 'scores', format: count },
  feedback_average: { label: 'Feedback, average', unit: 'score', format: plain },
};

export const states: Readonly<Record<AlertState, { readonly word: string; readonly tone: Tone }>> = {
  ok: { word: 'fine', tone: 'good' },
  firing: { word: 'firing', tone: 'bad' },
  no_data: { word: 'no data', tone: 'warn' },
  silenced: { word: 'silenced', tone: 'quiet' },
};

const windows = [
  ['300', '5 minutes'],
  ['900', '15 minutes'],
  ['3600', '1 hour'],
  ['21600', '6 hours'],
  ['86400', '1 day'],
  ['604800', '1 week'],
] as const;

interface Condition {
  readonly metric: AlertMetric;
  readonly comparison: 'above' | 'below';
  readonly threshold: number;
  readonly window_s: number;
}

/** `Error rate above 10 % over 15 minutes`. */
export function sentenceOf({ metric, comparison, threshold, window_s }: Condition): string {
  const { label, format } = metrics[metric];
  return `${label} ${comparison} ${format(threshold)} over ${windowWords(window_s)}`;
}

const windowWords = (window_s: number) => duration(window_s * 1000).replace(/ 0 (?:s|min)$/, '');

/** The windows to choose from, the one that an alert has among them: programs choose any. */
export function windowOptions(window_s: string): readonly (readonly [value: string, label: string])[] {
  if (windows.some(([value]) => value === window_s)) return windows;
  const own = [window_s, windowWords(Number(window_s))] as const;
  return [...windows, own].toSorted(([one], [other]) => Number(one) - Number(other));
}

/** What a form holds, as its fields have it. */
export interface AlertForm {
  readonly name: string;
  /** Their ids; none for all. */
  readonly projects: readonly string[];
  readonly runs: 'roots' | 'all';
  readonly metric: AlertMetric;
  readonly feedback_key: string;
  readonly filter: string;
  readonly window_s: string;
  readonly comparison: 'above' | 'below';
  readonly threshold: string;
  readonly resolve_threshold: string;
  readonly breaches_to_fire: string;
  readonly clears_to_resolve: string;
  readonly notify_no_data: boolean;
  /** Addresses, as mail_to has them. */
  readonly webhooks: string;
  readonly mail_to: string;
}

export const emptyForm: AlertForm = {
  name: '',
  projects: [],
  runs: 'roots',
  metric: 'error_rate',
  feedback_key: '',
  filter: '',
  window_s: '900',
  comparison: 'above',
  threshold: '0.1',
  resolve_threshold: '',
  breaches_to_fire: '1',
  clears_to_resolve: '1',
  notify_no_data: false,
  webhooks: '',
  mail_to: '',
};

/** @throws Error that says which field holds no number, for a person to read. */
function numberIn(text: string, field: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new Error(`${field}: “${text}” is no number. Write one with a point, such as 0.05.`);
}

/**
 * What a filled form asks of the API, which judges it.
 * @throws Error where a field that needs a number has none
 */
export function requestOf(form: AlertForm) {
  const isOfFeedback = form.metric.startsWith('feedback_');
  return {
    name: form.name.trim(),
    metric: form.metric,
    window_s: Number(form.window_s),
    comparison: form.comparison,
    threshold: numberIn(form.threshold, 'Threshold'),
    breaches_to_fire: Number(form.breaches_to_fire),
    resolve_threshold:
      form.resolve_threshold.trim() === '' ? null : numberIn(form.resolve_threshold, 'Is over at'),
    clears_to_resolve: Number(form.clears_to_resolve),
    notify_no_data: form.notify_no_data,
    project_ids: form.projects.length === 0 ? null : [...form.projects],
    runs: form.runs,
    filter: form.filter.trim() === '' ? null : form.filter.trim(),
    feedback_key: isOfFeedback ? form.feedback_key.trim() : null,
    webhooks: wordsIn(form.webhooks).map((url) => ({ url })),
    mail_to: addressesIn(form.mail_to),
  };
}

const wordsIn = (text: string) => text.split(/\s+/).filter(Boolean);
/** Addresses of mail may be parted as people write them; in those of webhooks the same signs may stand. */
const addressesIn = (text: string) => wordsIn(text.replaceAll(/[,;]/g, ' '));

/** A form with what an alert is. */
export const formOf = (alert: Alert): AlertForm => ({
  name: alert.name,
  projects: alert.project_ids ?? [],
  runs: alert.runs,
  metric: alert.metric,
  feedback_key: alert.feedback_key ?? '',
  filter: alert.filter ?? '',
  window_s: String(alert.window_s),
  comparison: alert.comparison,
  threshold: String(alert.threshold),
  resolve_threshold: alert.resolve_threshold === null ? '' : String(alert.resolve_threshold),
  breaches_to_fire: String(alert.breaches_to_fire),
  clears_to_resolve: String(alert.clears_to_resolve),
  notify_no_data: alert.notify_no_data,
  webhooks: alert.webhooks.map(({ url }) => url).join('\n'),
  mail_to: alert.mail_to.join('\n'),
});

/** What was changed in the form: all else, such as the headers of webhooks, stays as it is. */
export function changesOf(alert: Alert, form: AlertForm): AlertFields {
  const before: Readonly<Record<string, unknown>> = requestOf(formOf(alert));
  const changed = Object.fromEntries(
    Object.entries(requestOf(form)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
    ),
  ) as AlertFields;
  if (changed.webhooks === undefined) return changed;
  const known = new Map(alert.webhooks.map((one) => [one.url, one]));
  return { ...changed, webhooks: changed.webhooks.map((one) => known.get(one.url) ?? one) };
}

/** The runs over which an alert was last evaluated, as a table of traces shows them; those of now before that. */
export function windowOf(
  { evaluated_at, window_s, runs, filter }: Pick<Alert, 'evaluated_at' | 'window_s' | 'runs' | 'filter'>,
  now_ms: number,
) {
  const to_ms = evaluated_at === null ? now_ms : Date.parse(evaluated_at);
  return {
    from: new Date(to_ms - window_s * 1000).toISOString(),
    to: new Date(to_ms).toISOString(),
    ...(runs === 'all' && { runs }),
    ...(filter !== null && { filter }),
  };
}
