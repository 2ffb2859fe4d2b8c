import { type Fields, isFields } from './protocol-event.ts';

/** Turns pieces and whole messages of models into parts of the channel `messages`. Pure, but for what it remembers. */

interface MessagePiece {
  readonly namespace: readonly string[];
  /** A message of LangChain as JSON, or a piece of one. */
  readonly message: Fields;
  /** LangGraph's metadata of the message. */
  readonly metadata: Fields;
  /** The run of the model that produces it, where one does. */
  readonly speaker?: string | undefined;
}

interface MessagePart {
  readonly namespace: readonly string[];
  readonly node?: string;
  readonly data: Fields;
}

export interface MessageFold {
  of(piece: MessagePiece): MessagePart[];
  /** Ends the open messages that the selection matches; all without one. */
  finish(selection?: MessageSelection): MessagePart[];
}

interface MessageSelection {
  /** The namespace of a part of the graph. */
  readonly namespace?: readonly string[];
  readonly speaker?: string;
  readonly id?: string;
}

interface Open {
  readonly namespace: readonly string[];
  readonly node: string | undefined;
  readonly speaker: string | undefined;
  readonly id: string;
  readonly blocks: Map<number, Block>;
  usage: unknown;
  response: Fields;
}

/** `text`, `reasoning` and `tool_call_chunk` grow; anything else is whole. */
interface Block {
  readonly type: string;
  content: Fields;
}

const SAID = new Set(['ai', 'AIMessageChunk', 'AIMessage', 'human', 'system']);

export function createMessageFold(): MessageFold {
  /** Several messages of one part of the graph may be open, since its models speak at once. */
  const open = new Map<string, Open>();
  const told = new Set<string>();

  const finishOne = (one: Open): MessagePart[] => {
    open.delete(keyOf(one));
    const blocks = [...one.blocks].map(([index, { content }]) =>
      partOf(one, { event: 'content-block-finish', index, content: finalBlock(content) }),
    );
    const end = {
      event: 'message-finish',
      ...(isFields(one.usage) ? { usage: one.usage } : {}),
      ...(Object.keys(one.response).length > 0 ? { responseMetadata: one.response } : {}),
    };
    return [...blocks, partOf(one, end)];
  };

  const begin = (
    { namespace, metadata, message, speaker }: MessagePiece,
    id: string,
  ): [Open, MessagePart] => {
    const node = metadata['langgraph_node'];
    const one: Open = {
      namespace,
      node: typeof node === 'string' ? node : undefined,
      speaker,
      id,
      blocks: new Map(),
      usage: undefined,
      response: {},
    };
    open.set(keyOf(one), one);
    told.add(id);
    const role = message['type'] === 'human' || message['type'] === 'system' ? message['type'] : 'ai';
    return [one, partOf(one, { event: 'message-start', id, role })];
  };

  return {
    of(piece) {
      const { message, namespace } = piece;
      const { id, type } = message;
      if (typeof id !== 'string' || typeof type !== 'string' || !SAID.has(type)) return [];
      const standing = open.get(keyOf({ namespace, id }));
      if (standing !== undefined) return add(standing, message);
      // It came in pieces before, and now as a whole.
      if (told.has(id)) return [];
      const [one, start] = begin(piece, id);
      const parts = [start, ...add(one, message)];
      return isPiece(message) ? parts : [...parts, ...finishOne(one)];
    },
    finish: (meant = {}) => [...open.values()].filter((one) => isMeant(one, meant)).flatMap(finishOne),
  };
}

const keyOf = ({ namespace, id }: Pick<Open, 'namespace' | 'id'>) => [...namespace, id].join('|');

const isMeant = (one: Open, { namespace = [], speaker = one.speaker, id = one.id }: MessageSelection) =>
  one.id === id && one.speaker === speaker && namespace.every((part, at) => one.namespace[at] === part);

/** LangChain's dicts of pieces have the type of a whole message. */
const isPiece = ({ type, tool_call_chunks: chunks }: Fields) =>
  type === 'AIMessageChunk' || Array.isArray(chunks);

const partOf = ({ namespace, node, speaker }: Open, data: Fields): MessagePart => ({
  namespace,
  ...(node === undefined ? {} : { node }),
  data: speaker === undefined ? data : { ...data, run_id: speaker },
});

function add(one: Open, message: Fields): MessagePart[] {
  if (isFields(message['usage_metadata'])) one.usage = message['usage_metadata'];
  if (isFields(message['response_metadata']))
    one.response = { ...one.response, ...message['response_metadata'] };
  return blocksOf(message).flatMap(([index, block]) => addBlock(one, index, block));
}

function addBlock(one: Open, index: number, block: Fields): MessagePart[] {
  const type = String(block['type']);
  const known = one.blocks.get(index);
  const growing = GROWING[type];
  if (known === undefined) {
    one.blocks.set(index, { type, content: block });
    const start = growing === undefined ? block : { ...block, [growing]: '' };
    return [
      partOf(one, { event: 'content-block-start', index, content: start }),
      ...(growing === undefined || block[growing] === '' ? [] : [delta(one, index, block)]),
    ];
  }
  if (growing === undefined || known.type !== type) return [];
  const piece = block[growing];
  if (typeof piece !== 'string' || piece === '') return [];
  known.content = {
    ...known.content,
    ...definedOf(block),
    [growing]: `${textOf(known.content[growing])}${piece}`,
  };
  if (type !== 'tool_call_chunk') return [delta(one, index, block)];
  return textOf(known.content['args']).length > MAX_REPEATED ? [] : [delta(one, index, known.content)];
}

const GROWING: Readonly<Record<string, string>> = {
  text: 'text',
  reasoning: 'reasoning',
  tool_call_chunk: 'args',
};

/** Up to this many characters, arguments are sent again with each piece; longer ones only whole, at the end. */
const MAX_REPEATED = 16_384;

/** Sends a tool's arguments as all of them so far: clients replace what they have. */
function delta(one: Open, index: number, block: Fields): MessagePart {
  const { type } = block;
  if (type === 'text' || type === 'reasoning')
    return partOf(one, {
      event: 'content-block-delta',
      index,
      delta: { type: `${type}-delta`, [type]: block[type] },
    });
  return partOf(one, { event: 'content-block-delta', index, delta: { type: 'block-delta', fields: block } });
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

const definedOf = (block: Fields) =>
  Object.fromEntries(Object.entries(block).filter(([, value]) => value !== undefined && value !== null));

/** The content blocks and tool calls of a message, each with its index. */
function blocksOf(message: Fields): [number, Fields][] {
  const content = contentOf(message)
    .filter(({ type }) => !CALLS_OF_PROVIDERS.has(String(type)))
    .map((block, at): [number, Fields] => [placeOf(block, at), block]);
  const piece = isPiece(message);
  const calls = piece ? message['tool_call_chunks'] : message['tool_calls'];
  if (!Array.isArray(calls) || content.some(([, { type }]) => String(type).startsWith('tool_call')))
    return content;
  // Tool calls come behind the text, which may still follow; where content comes in blocks, they and the calls share
  // one count.
  const before = Array.isArray(message['content']) && piece ? 0 : 1;
  return [...content, ...calls.filter(isFields).map((call, at) => callBlock(call, { piece, at, before }))];
}

/** Content blocks that repeat tool calls. */
const CALLS_OF_PROVIDERS = new Set(['tool_use', 'input_json_delta']);

function contentOf({ content }: Fields): Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown) => {
    if (typeof block === 'string') return { type: 'text', text: block };
    if (!isFields(block)) return { type: 'non_standard', value: { value: block } };
    return typeof block['type'] === 'string' ? block : { type: 'non_standard', value: block };
  });
}

const placeOf = ({ index }: Fields, at: number) => (typeof index === 'number' ? index : at);

function callBlock(
  call: Fields,
  { piece, at, before }: { readonly piece: boolean; readonly at: number; readonly before: number },
): [number, Fields] {
  const { id, name, args } = call;
  const block = piece
    ? { type: 'tool_call_chunk', id, name, args: textOf(args) }
    : { type: 'tool_call', id, name, args };
  return [before + placeOf(call, at), block];
}

/** Completes a tool call that came in pieces, or marks it as unreadable. */
function finalBlock(block: Fields): Fields {
  if (block['type'] !== 'tool_call_chunk') return block;
  const { args, ...rest } = block;
  try {
    const parsed = JSON.parse(textOf(args) || '{}') as unknown;
    if (isFields(parsed)) return { ...rest, type: 'tool_call', args: parsed };
  } catch {
    // See below.
  }
  return { ...rest, type: 'invalid_tool_call', args, error: 'Malformed args.' };
}
