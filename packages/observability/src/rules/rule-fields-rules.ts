import type { RuleFields } from './rule-row.ts';
import { checkRule, refuseUnbuilt } from './rule-rules.ts';
import { keepWebhooks, type SealedFor, type SentWebhook } from './rule-webhooks.ts';

type Plain = Omit<RuleFields, 'webhooks'>;
/** A rule as the API accepts it; fields that aren't built are refused. */
export type SentRule = { readonly [Name in keyof Plain]?: Plain[Name] | null | undefined } & {
  readonly webhooks?: readonly SentWebhook[] | null | undefined;
};

/** The defaults of a rule. */
export const BLANK_RULE: RuleFields = {
  display_name: '',
  is_enabled: true,
  session_id: null,
  dataset_id: null,
  sampling_rate: 1,
  filter: null,
  trace_filter: null,
  tree_filter: null,
  add_to_dataset_id: null,
  add_to_dataset_prefer_correction: false,
  add_to_annotation_queue_id: null,
  extend_only: false,
  webhooks: [],
};

const plain = Object.keys(BLANK_RULE).filter((name) => name !== 'webhooks') as (keyof Plain)[];

export interface KeptRule {
  readonly fields: RuleFields;
  /** The secrets of new webhooks, by their addresses. */
  readonly new_secrets: ReadonlyMap<string, string>;
}

/**
 * Merges the sent fields over the stored ones: an absent field stays, and null removes it where that is possible.
 * @throws Problem `invalid` for an impossible rule.
 */
export function keptRule(
  present: RuleFields,
  { sent, ...to }: SealedFor & { readonly sent: SentRule },
): KeptRule {
  refuseUnbuilt(sent);
  const changed = plain.filter((name) => sent[name] !== undefined);
  const webhooks =
    sent.webhooks === undefined
      ? undefined
      : keepWebhooks(sent.webhooks ?? [], { ...to, present: present.webhooks });
  const fields: RuleFields = {
    ...present,
    ...Object.fromEntries(changed.map((name) => [name, sent[name] ?? BLANK_RULE[name]])),
    webhooks: webhooks?.map(({ sealed }) => sealed) ?? present.webhooks,
  };
  const named = { ...fields, display_name: fields.display_name || present.display_name };
  checkRule(named);
  const made = (webhooks ?? []).flatMap(({ sealed, new_secret }) =>
    new_secret === undefined ? [] : [[sealed.url, new_secret] as const],
  );
  return { fields: named, new_secrets: new Map(made) };
}
