import { membersOf } from '@roadstead/json';
import { isUuid, malformed, type TimeSlice } from '@roadstead/kit';
import { columnText } from '../values/column-text-rules.ts';
import { type SentPart, sentParts } from '../decoding/multipart-parts.ts';
import { exampleOf, type SentExample, type SentFile } from './example-body-codec.ts';

/**
 * Examples as multipart/form-data: parts `{id}`, `{id}.inputs`, `{id}.outputs`, `{id}.attachment.{name}` and
 * `{id}.attachments_operations`. Nothing is dropped silently: a part without a meaning is refused.
 */

interface ExampleParts {
  readonly members: Map<string, Uint8Array>;
  readonly files: SentFile[];
}

const payloads: readonly string[] = ['inputs', 'outputs', 'attachments_operations'];

/** @throws Problem that names the part, where it is no such body */
export async function sentExampleParts(
  body: Uint8Array,
  { content_type, slice }: { readonly content_type: string | null; readonly slice: TimeSlice },
): Promise<SentExample[]> {
  const sent = new Map<string, ExampleParts>();
  for (const part of await sentParts(body, { content_type, slice })) {
    const [raw_id = '', field, ...rest] = part.name.split('.');
    if (!isUuid(raw_id))
      throw malformed(['body', part.name.slice(0, 100)], 'is no part {id} or {id}.{field}');
    const id = raw_id.toLowerCase();
    const example = sent.get(id) ?? { members: new Map(), files: [] };
    sent.set(id, example);
    await addPart(example, { part, field, name: rest.join('.'), slice });
    example.members.set('id', Buffer.from(JSON.stringify(id)));
    if (slice.isOver()) await slice.next();
  }
  const examples: SentExample[] = [];
  for (const [id, { members, files }] of sent) {
    examples.push(await exampleOf(members, { at: ['body', id], files }));
    if (slice.isOver()) await slice.next();
  }
  return examples;
}

async function addPart(
  { members, files }: ExampleParts,
  {
    part,
    field,
    name,
    slice,
  }: {
    readonly part: SentPart;
    readonly field: string | undefined;
    readonly name: string;
    readonly slice: TimeSlice;
  },
): Promise<void> {
  const at = ['body', part.name.slice(0, 200)];
  if (field === undefined) {
    const main = await membersOf(part.content, slice);
    if (main === undefined) throw malformed(at, 'is not a JSON object', 'json_invalid');
    for (const [key, value] of main) if (!members.has(key)) members.set(key, value);
  } else if (payloads.includes(field) && name === '') members.set(field, part.content);
  else if ((field === 'attachment' || field === 'attachments') && name !== '') {
    if (files.some((file) => file.name === name)) throw malformed(at, 'was sent twice');
    const content_type = part.content_type === '' ? 'application/octet-stream' : part.content_type;
    files.push({
      name: columnText(name, 500),
      content_type: columnText(content_type, 200),
      content: part.content,
    });
  } else throw malformed(at, 'is not a part that an example has');
}
