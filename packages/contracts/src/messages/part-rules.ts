/**
 * Reads messages in parts: OpenTelemetry's (`content`, `tool_call`, `tool_call_response`), those of the AI SDK's
 * interfaces, Gemini's and A2A's (`text`). Texts become content, calls become calls, and a tool's answer becomes a
 * message of its own.
 */

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface ReadParts {
  /** A text where there is nothing else; undefined without any content. */
  readonly content: unknown;
  readonly calls: readonly unknown[];
  readonly results: readonly ToolResult[];
}

interface ToolResult {
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly name?: string;
}

/** The most parts of a message. */
const MAX_PARTS = 10_000;

export function readParts(parts: readonly unknown[]): ReadParts {
  const blocks: unknown[] = [];
  const calls: unknown[] = [];
  const results: ToolResult[] = [];
  for (const part of parts.slice(0, MAX_PARTS)) {
    const call = callIn(part);
    const result = resultIn(part);
    if (call !== undefined) calls.push(call);
    if (result !== undefined) results.push(result);
    if (call === undefined && result === undefined) blocks.push(blockOf(part));
  }
  return { content: contentOf(blocks), calls, results };
}

function contentOf(blocks: readonly unknown[]): unknown {
  const [only, ...others] = blocks;
  if (only === undefined) return undefined;
  const is_text = others.length === 0 && isFields(only) && only['type'] === 'text';
  return is_text ? only['text'] : blocks;
}

/** A content block in the form of other clients: `{type, text}`. */
function blockOf(part: unknown): unknown {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isFields(part)) return part;
  const { type, kind, content, text } = part;
  const named = type ?? kind ?? (typeof text === 'string' ? 'text' : undefined);
  const said = typeof text === 'string' ? text : content;
  return (named === 'text' || named === 'reasoning') && typeof said === 'string'
    ? { type: named, text: said }
    : part;
}

/** The AI SDK names the tool in the type of the part: `tool-weather`. */
const ofTool = (type: unknown) =>
  typeof type === 'string' && type.startsWith('tool-') && type !== 'tool-call' && type !== 'tool-result'
    ? type.slice('tool-'.length)
    : undefined;

const called: ReadonlySet<unknown> = new Set(['tool_call', 'tool-call', 'dynamic-tool', 'tool_use']);

function callIn(part: unknown): unknown {
  if (!isFields(part)) return undefined;
  const { type, functionCall } = part;
  if (isFields(functionCall)) return functionCall;
  const name = ofTool(type);
  if (name !== undefined) return { name, ...part };
  return called.has(type) ? part : undefined;
}

const answered: ReadonlySet<unknown> = new Set(['tool_call_response', 'tool-result', 'tool_result']);

function resultIn(part: unknown): ToolResult | undefined {
  if (!isFields(part)) return undefined;
  const { type, functionResponse } = part;
  if (isFields(functionResponse)) return resultOf(functionResponse);
  const isOne =
    answered.has(type) || ((ofTool(type) ?? type === 'dynamic-tool') && part['output'] !== undefined);
  return isOne ? resultOf(part) : undefined;
}

function resultOf(part: Fields): ToolResult {
  const { id, toolCallId, tool_use_id, name, toolName } = part;
  const tool_call_id = [id, toolCallId, tool_use_id].find((one) => typeof one === 'string' && one !== '');
  const tool = [name, toolName, ofTool(part['type'])].find((one) => typeof one === 'string' && one !== '');
  return {
    content: answerIn(part) ?? '',
    ...(typeof tool_call_id === 'string' ? { tool_call_id } : {}),
    ...(typeof tool === 'string' ? { name: tool } : {}),
  };
}

/** The answer in a tool's output; the AI SDK wraps it with its type: `{type: 'json', value}`. */
export function answerIn(part: Fields): unknown {
  const { response, result, output, content } = part;
  const answer = response ?? result ?? output ?? content;
  const is_typed = isFields(answer) && typeof answer['type'] === 'string' && answer['value'] !== undefined;
  return is_typed ? answer['value'] : answer;
}
