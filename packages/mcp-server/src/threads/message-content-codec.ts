import { answerIn, type Message } from '@roadstead/contracts/messages';
import { bounded } from '../paging/shown-item-rules.ts';

/** Reads the text and the tool calls of a message, in the forms of OpenAI, Anthropic, LangChain and the AI SDK. */

export interface Call {
  readonly id?: string;
  readonly name: string;
  readonly args: unknown;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** The blocks read of one message; no page shows as many. */
const MAX_BLOCKS = 10_000;
const MAX_CALLS = 1000;
/** Longer arguments stay text. */
const MAX_WRITTEN = 65_536;

/** The text of a message's content: a text, or blocks, of which those that aren't text are named in brackets. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  return Array.isArray(content)
    ? content.slice(0, MAX_BLOCKS).map(blockText).join('')
    : JSON.stringify(bounded(content));
}

/** Blocks that are shown elsewhere, or not meant for the person. */
const unsaid: ReadonlySet<unknown> = new Set([
  'tool_use',
  'tool_call',
  'tool-call',
  'input_json_delta',
  'thinking',
  'redacted_thinking',
  'reasoning',
  'reasoning_content',
]);

function blockText(block: unknown): string {
  if (typeof block === 'string') return block;
  if (!isFields(block) || unsaid.has(block['type'])) return '';
  if (typeof block['text'] === 'string') return block['text'];
  if (isResult(block)) return contentText(answerIn(block));
  if (typeof block['refusal'] === 'string') return block['refusal'];
  return typeof block['type'] === 'string' ? `[${block['type']}]` : '';
}

const isResult = (block: unknown) =>
  isFields(block) && (block['type'] === 'tool_result' || block['type'] === 'tool-result');

/** Anthropic puts the answers of tools into messages of users; undefined for content that has anything else. */
export function toolResultText(content: unknown): string | undefined {
  if (!Array.isArray(content) || content.length === 0) return undefined;
  return content.every(isResult) ? contentText(content) : undefined;
}

/** The tools that a message calls; its blocks may repeat those in its list. */
export function callsOf({ tool_calls = [], content }: Pick<Message, 'tool_calls' | 'content'>): Call[] {
  const calls = callList(tool_calls);
  return calls.length > 0 || !Array.isArray(content)
    ? calls
    : callList(content.slice(0, MAX_BLOCKS).filter(isCall));
}

const calls: ReadonlySet<unknown> = new Set(['tool_use', 'tool_call', 'tool-call']);
const isCall = (block: unknown) => isFields(block) && calls.has(block['type']);

const callList = (calls: readonly unknown[]) => calls.slice(0, MAX_CALLS).flatMap(callIn);

function callIn(call: unknown): Call[] {
  if (!isFields(call)) return [];
  const { function: called } = call;
  const said = isFields(called) ? { ...call, ...called } : call;
  const id = said['id'] ?? said['toolCallId'];
  const name = said['name'] ?? said['toolName'];
  if (typeof name !== 'string') return [];
  return [
    {
      ...(typeof id === 'string' && id !== '' ? { id } : {}),
      name,
      args: bounded(read(said['args'] ?? said['input'] ?? said['arguments']) ?? {}),
    },
  ];
}

/** OpenAI and the AI SDK write arguments as JSON text; a model's text may not be JSON. */
function read(written: unknown): unknown {
  if (typeof written !== 'string' || written.length > MAX_WRITTEN) return written;
  try {
    return JSON.parse(written) as unknown;
  } catch {
    return written;
  }
}
