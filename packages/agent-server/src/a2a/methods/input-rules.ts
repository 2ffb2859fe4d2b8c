import type { GraphDescription } from '@roadstead/contracts/host';
import type { Part, Task, TaskMessage } from '../../tasks/task.ts';
import { isA2ui } from '../extensions/a2ui.ts';
import { A2aFault, fieldFault } from '../rpc/a2a-fault.ts';
import { type Fields, present } from '../rpc/params-codec.ts';
import type { ExtensionFacts } from '../extensions/extensions.ts';

/** A message as the input of a graph: of a new run, or the answer to an interrupt. */

type TextPart = Extract<Part, { kind: 'text' }>;
type FilePart = Extract<Part, { kind: 'file' }>;
const isText = (part: Part): part is TextPart => part.kind === 'text';

/**
 * Makes one message of each text part and merges the data parts, where later keys win; the `messages` of a data part
 * come first. With files among the parts all of them become one message of content blocks.
 * @throws A2aFault where the graph cannot take it
 */
export function inputOf(
  message: TaskMessage,
  { graph, a2ui }: ExtensionFacts & { readonly graph: GraphDescription },
): Fields {
  const isSaid = (part: Part) => part.kind !== 'data' || (a2ui && isA2ui(part));
  const spoken = message.parts.filter(isSaid);
  if (spoken.length > 0 && !graph.has_messages) throw fieldFault('message.parts', noTextReason(graph));
  const data = mergedData(message.parts.map((part) => (isSaid(part) ? undefined : part)));
  if (Object.keys(data).join() === 'resume' && !graph.channels.includes('resume'))
    throw fieldFault('message.parts', 'hold an answer, but no task waits for one: send it with its taskId');
  if (spoken.length === 0) return data;
  const before = data['messages'] ?? [];
  if (!Array.isArray(before))
    throw fieldFault('message.parts', 'hold text or files, so that `messages` in data must be an array');
  return { ...data, messages: [...(before as unknown[]), ...messagesOf(message.message_id, spoken)] };
}

/** Prefixes the id: a graph replaces any message of the same id, also its own answer or another part's. */
const graphId = (message_id: string, index: number) => `a2a:${index}:${message_id}`;

function messagesOf(id: string, spoken: readonly Part[]): object[] {
  const interfaces = spoken.flatMap((part) => (part.kind === 'data' ? [part.data] : []));
  // Models read a user's action in an interface as text; graphs find the original beside it.
  const kwargs = interfaces.length === 0 ? {} : { additional_kwargs: { a2ui: interfaces } };
  if (!spoken.every(isText))
    return [{ role: 'user', content: contentBlocks(spoken), id: graphId(id, 0), ...kwargs }];
  return spoken.map(({ text }, index) => ({
    role: 'user',
    content: text,
    id: graphId(id, index),
  }));
}

/**
 * The answer to the interrupt that a task waits for: the text parts as one string, content blocks where there are
 * files, or the value of a data part `{resume: value}` or `{resume: [{id, value}]}`. No other command to a run can be
 * given here.
 * @throws A2aFault where there is no answer, more than one, or one to another interrupt
 */
export function answerOf(message: TaskMessage, task: Task): unknown {
  const spoken = message.parts.filter((part) => part.kind !== 'data');
  const [data, ...others] = message.parts.filter((part) => part.kind === 'data');
  if (data === undefined)
    return spoken.every(isText) ? spoken.map(({ text }) => text).join('\n') : contentBlocks(spoken);
  if (spoken.length > 0 || others.length > 0)
    throw fieldFault('message.parts', 'must answer once: by text and files, or by one data part {resume}');
  if (!isFields(data.data) || Object.keys(data.data).join() !== 'resume')
    throw fieldFault('message.parts', 'must answer by text, or by a data part that holds `resume` only');
  const { resume } = data.data;
  if (!isAnswerList(resume)) return resume;
  const [answer, ...more] = resume;
  if (more.length > 0)
    throw fieldFault('message.parts', 'must answer one interrupt at a time; the first open one is asked');
  const asked = task.status.message?.metadata?.['interrupt_id'];
  if (asked !== undefined && asked !== answer.id)
    throw fieldFault('message.parts', 'answer another interrupt than the one that is asked');
  return answer.value;
}

/** Merges the data parts, each in its place among all parts. */
function mergedData(parts: readonly (Part | undefined)[]): Fields {
  return parts.reduce<Fields>((merged, part, index) => {
    if (part?.kind !== 'data') return merged;
    if (isFields(part.data)) return { ...merged, ...part.data };
    throw new A2aFault(
      'content_type_not_supported',
      `message.parts[${index}]: data must be an object; its keys are fields of the graph's input.`,
    );
  }, {});
}

function noTextReason({ channels }: GraphDescription): string {
  const fields = channels.length === 0 ? 'none' : channels.join(', ');
  return `hold text or files, but this graph has no \`messages\`; send a data part. Its fields are: ${fields}`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Answer = { readonly id: string; readonly value: unknown };

/** Whether a value is `[{id, value}, …]`; any other value is itself the answer. */
function isAnswerList(value: unknown): value is readonly [Answer, ...Answer[]] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (one) =>
        isFields(one) && typeof one['id'] === 'string' && Object.keys(one).toSorted().join() === 'id,value',
    )
  );
}

/** Makes the text and files of a message the content of one of LangChain, in their order. */
function contentBlocks(parts: readonly Part[]): readonly object[] {
  return parts.flatMap((part) => {
    if (part.kind === 'data') return isA2ui(part) ? textBlock({ text: JSON.stringify(part.data) }) : [];
    return part.kind === 'text' ? textBlock(part) : fileBlock(part);
  });
}

const textBlock = ({ text }: Pick<TextPart, 'text'>): object => ({ type: 'text', text });

const kinds = ['image', 'audio', 'video'] as const;

/**
 * A file as a standard content block, with the members of two generations of LangChain: `mimeType` beside `data` or
 * `url` of the present one, `source_type` and `mime_type` of the former one, which the packages of the models still
 * read.
 */
function fileBlock({ file, media_type, name }: FilePart): object {
  const type = kinds.find((kind) => media_type?.startsWith(`${kind}/`)) ?? 'file';
  // LangChain refuses bytes without a type.
  const mime_type = media_type ?? ('bytes' in file ? 'application/octet-stream' : undefined);
  return {
    type,
    ...('bytes' in file
      ? { source_type: 'base64', data: file.bytes }
      : { source_type: 'url', url: file.uri }),
    ...present('mime_type', mime_type),
    ...present('mimeType', mime_type),
    // Some models require a file's name.
    ...(name === undefined ? {} : { metadata: { filename: name } }),
  };
}
