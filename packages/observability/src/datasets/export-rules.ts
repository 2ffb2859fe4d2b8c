import { messagesIn } from '../schemas/message-rules.ts';

/** Examples as files hold them. */

type Values = Readonly<Record<string, unknown>>;

/** The columns of a CSV file: those of a name that stands twice get their side before it. */
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

/** A text as it is, anything else as it is written in JSON. */
export function csvValue(json: Uint8Array | undefined): string {
  if (json === undefined) return '';
  const text = decoder.decode(json);
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

/** For evaluations: the messages that are asked, and the answer that is wanted. */
export function evaluationLine({ inputs, outputs }: { readonly inputs: unknown; readonly outputs: unknown }) {
  const [ideal] = messagesOf(outputs, 'assistant');
  return { input: messagesOf(inputs, 'user'), ideal: contentOf(ideal) };
}

/** For fine-tuning: the whole conversation. */
export function fineTuningLine({ inputs, outputs }: { readonly inputs: unknown; readonly outputs: unknown }) {
  return { messages: [...messagesOf(inputs, 'user'), ...messagesOf(outputs, 'assistant')] };
}

/** What holds no messages becomes one: its only text, or all of it as JSON. */
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
