import type { Example } from '@roadstead/contracts/observability';
import { membersOf } from '../list-answers.ts';

const members = [
  'id',
  'dataset_id',
  'inputs',
  'outputs',
  'metadata',
  'created_at',
  'modified_at',
  'source_run_id',
] as const satisfies readonly (keyof Example)[];

const PREFIX = /^attachment\./;

/** An example in the form that tools show; files are listed by name. */
export function exampleRecord(example: Partial<Example>): Record<string, unknown> {
  const files = Object.entries(example.attachment_urls ?? {}).map(([name, file]) => [
    name.replace(PREFIX, ''),
    membersOf(file, ['presigned_url', 'mime_type']),
  ]);
  return {
    ...membersOf(example, members),
    ...(files.length === 0 ? {} : { attachments: Object.fromEntries(files) as unknown }),
  };
}
