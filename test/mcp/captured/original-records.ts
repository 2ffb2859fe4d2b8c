import {
  originalAnswers,
  type OriginalNoun,
} from '../../../packages/observability/src/testing/original-answers.ts';

/** Records as the original API answers them, made from what is known of its fields and their kinds. */

/** `whole`: each field has a value; `null`: those that may be null are; `bare`: those are absent, as of other versions. */
export const variants = ['whole', 'null', 'bare'] as const;
export type RecordVariant = (typeof variants)[number];

export const ID = '0199d3a0-0000-7000-8000-0000000000aa';

export const OTHER_ID = '0199d3a0-0000-7000-8000-0000000000bb';

const values: Readonly<Record<string, unknown>> = {
  uuid: ID,
  string: 'text',
  naive: '2026-07-01T10:00:00.123456',
  offset: '2026-07-01T10:00:00.123456+00:00',
  time: '2026-07-01T10:00:00.123456+00:00',
  number: 3,
  boolean: true,
  array: [],
  object: {},
};

/** What these are is no matter of kinds. */
const better: Readonly<Record<string, unknown>> = {
  name: 'project',
  repo_handle: 'greeting',
  full_name: 'owner/greeting',
  run_type: 'llm',
  status: 'success',
  dotted_order: `20260701T100000123456Z${ID}`,
  thread_id: 'thread',
  total_cost: '0.002',
  prompt_cost: '0.001',
  inputs: { messages: [{ role: 'user', content: 'Hello?' }] },
  outputs: { choices: [{ message: { role: 'assistant', content: 'Hello!' } }] },
  tags: ['production'],
  extra: { metadata: { thread_id: 'thread' }, runtime: { sdk: 'langsmith-py' } },
  feedback_stats: { correctness: { n: 2, avg: 0.5, values: {} } },
  manifest: {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
    kwargs: { template: 'Hello {name}', input_variables: ['name'], template_format: 'f-string' },
  },
};

/** A field that a later version of the original might have. */
const LATER = { field_of_a_later_version: { of: ['any', 'kind'] } };

export function recordOf(noun: OriginalNoun, variant: RecordVariant): Record<string, unknown> {
  const kinds: Readonly<Record<string, string>> = originalAnswers[noun].kinds;
  const fields = Object.entries(kinds).flatMap(([kind, names]) =>
    names
      .split(' ')
      .filter((name) => name !== '')
      .flatMap((name) => fieldOf(name, { kind, variant })),
  );
  return { ...Object.fromEntries(fields), ...(variant === 'whole' ? LATER : {}) };
}

function fieldOf(
  name: string,
  { kind, variant }: { readonly kind: string; readonly variant: RecordVariant },
): [string, unknown][] {
  const isNullable = kind.includes('null');
  if (isNullable && variant === 'bare') return [];
  if (isNullable && variant === 'null') return [[name, null]];
  return [[name, better[name] ?? values[kind.split('|')[0] ?? '']]];
}
