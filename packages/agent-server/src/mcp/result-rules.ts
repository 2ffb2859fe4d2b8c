import type { CallToolResult } from '@modelcontextprotocol/server';
import type { GraphSchemas } from '@roadstead/contracts/host';
import type { EndedRun } from '../runs/run.ts';

/** Turns the end of a run into the result of a tool. */

/** The most text of an answer that a model gets. */
export const MAX_TEXT_CHARS = 1_000_000;

/** The part of a final state that the graph's output schema names; all of it where the schema names no fields. */
export function shownOf(values: unknown, output_schema: GraphSchemas['output_schema']): unknown {
  const fields = output_schema?.['properties'];
  if (typeof fields !== 'object' || fields === null || !isRecord(values)) return values ?? null;
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(fields, name)));
}

/**
 * @param json its values as JSON; undefined where it is too large to be sent whole
 */
export function resultOf(ended: EndedRun, json: string | undefined): CallToolResult {
  const { status, error, reason, interrupts } = ended.end;
  const output = ended.values ?? null;
  if (status === 'interrupted') return failed(reason ?? 'The run was cancelled.');
  if (status !== 'success') return failed(error?.message ?? 'The run failed.');
  const [asked] = interrupts;
  if (asked !== undefined)
    return failed(
      `The agent asks: ${textOf(asked.value)} A tool can’t be answered: call it again with what it asks for, or use A2A.`,
    );
  const text = answerText(output) ?? json;
  if (json === undefined)
    return { content: [{ type: 'text', text: text === undefined ? TOO_LARGE : cut(text) }] };
  return {
    content: [{ type: 'text', text: cut(text ?? 'null') }],
    ...(isRecord(output) ? { structuredContent: output } : {}),
  };
}

export const failed = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text }],
});

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TOO_LARGE = 'The agent’s output is too large for a tool; use its A2A or LangGraph API.';

const cut = (text: string) =>
  text.length <= MAX_TEXT_CHARS
    ? text
    : `${text.slice(0, MAX_TEXT_CHARS)}… (+${text.length - MAX_TEXT_CHARS} characters)`;

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The last message of the agent, where its output holds a conversation. */
function answerText(output: unknown): string | undefined {
  const messages = (output as { readonly messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages)) return undefined;
  const last = (messages as readonly { readonly type?: unknown; readonly content?: unknown }[]).findLast(
    (message) => message?.type === 'ai',
  );
  const { content } = last ?? {};
  if (typeof content === 'string') return content === '' ? undefined : content;
  if (!Array.isArray(content)) return undefined;
  const texts = (content as readonly { readonly type?: unknown; readonly text?: unknown }[]).flatMap(
    (block) => (block?.type === 'text' && typeof block.text === 'string' ? [block.text] : []),
  );
  return texts.length === 0 ? undefined : texts.join('');
}
