import { Problem } from '@roadstead/kit';
import type { SentOperations } from './example-body-codec.ts';
import type { ExampleAttachment } from './example-row.ts';

/**
 * The files of an example after a change. Without instructions all files stay; new files replace the others, except
 * for those that are to be retained or renamed. A new file wins over an old one of its name.
 * @throws Problem `invalid` where an operation names a file that isn't there, or contradicts another.
 */
export function changedAttachments(
  present: readonly ExampleAttachment[],
  {
    sent,
    operations,
  }: { readonly sent: readonly ExampleAttachment[]; readonly operations: SentOperations | undefined },
): ExampleAttachment[] {
  if (operations === undefined) return sent.length > 0 ? [...sent] : [...present];
  const renamed = new Map(Object.entries(operations.rename ?? {}));
  const retained = new Set(operations.retain ?? []);
  const names = new Set(present.map(({ name }) => name));
  for (const name of [...renamed.keys(), ...retained])
    if (!names.has(name)) throw contradiction(`The example has no attachment ${quoted(name)}.`);
  for (const name of renamed.keys())
    if (retained.has(name))
      throw contradiction(`The attachment ${quoted(name)} is both renamed and retained.`);
  const kept = present.flatMap((attachment) => {
    const name = retained.has(attachment.name) ? attachment.name : renamed.get(attachment.name);
    return name === undefined ? [] : [{ ...attachment, name }];
  });
  const twice = kept.find((one, index) => kept.findIndex(({ name }) => name === one.name) !== index);
  if (twice !== undefined) throw contradiction(`Two attachments would be called ${quoted(twice.name)}.`);
  const replaced = new Set(sent.map(({ name }) => name));
  return [...kept.filter(({ name }) => !replaced.has(name)), ...sent];
}

const contradiction = (sentence: string) => new Problem('invalid', sentence);
const quoted = (name: string) => JSON.stringify(name.slice(0, 100));
