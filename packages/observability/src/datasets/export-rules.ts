import { messagesIn } from '../schemas/message-rules.ts';

/** The parts that one line of an export is made of. */
export interface ExampleValues {
  readonly inputs: unknown;
  readonly outputs: unknown;
}

/** Examples in the formats of export files. */

type Values = Readonly<Record<string, unknown>>;

/** The columns of a CSV file; a name that occurs twice is preceded by its side. */
export function csvColumns(
  inputs: readonly string[],
  outputs: readonly string[],
): { inputs: string[]; outputs: string[] } {
  const all = ['id', ...inputs, ...outputs, 'metadata'];
  const titles = (side: string, names: readonly string[]) =>
    names.map((name) => (all.filter((other) => other === name).length > 1 ? `${side}.${name}` : name));
  return { inputs: titles('inputs', inputs), outputs: titles('outputs', outputs) };
}

const decoder = new TextDecoder();

/** A text unchanged, any other value as JSON. */
export function csvValue(json: Uint8Array | undefined): string {
  if (json === undefined) return '';
  const text = decoder.decode(json);
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

/** A line for evaluations: the messages of the question, and the expected answer. */
export function evaluationLine({ inputs, outputs }: ExampleValues) {
  const [ideal] = messagesOf(outputs, 'assistant');
  return { input: messagesOf(inputs, 'user'), ideal: contentOf(ideal) };
}

/** A line for fine-tuning: the whole conversation. */
export function fineTuningLine({ inputs, outputs }: ExampleValues) {
  return { messages: [...messagesOf(inputs, 'user'), ...messagesOf(outputs, 'assistant')] };
}

/** A payload without messages becomes one message: its only text, or all of it as JSON. */
function messagesOf(payload: unknown, role: string): unknown[] {
  if (payload === null || payload === undefined) return [];
  const messages = messagesIn(payload);
  if (messages.length > 0) return messages;
  const values = Object.values(payload as Values);
  const [only] = values;
  return [
    { role, content: values.length === 1 && typeof only === 'string' ? only : JSON.stringify(payload) },
  ];
}

const contentOf = (message: unknown): unknown =>
  typeof message === 'object' && message !== null ? ((message as Values)['content'] ?? '') : '';
