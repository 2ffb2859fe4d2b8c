/** The messages of a conversation, out of its root runs: one form, each once, in order. */

export interface Turn {
  readonly trace_id: string;
  readonly start_time?: string | undefined;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

export interface ThreadMessage {
  readonly role: string;
  readonly content: string;
  readonly name?: string;
  readonly tool_calls?: unknown;
  readonly run_id: string;
  readonly trace_id: string;
  readonly start_time: string | null;
}

interface Found {
  readonly id: string | undefined;
  readonly message: Pick<ThreadMessage, 'role' | 'content' | 'name' | 'tool_calls'>;
}

/** Turn by turn: a state repeats what came before, so a message counts once, by its id or by its place. */
export function threadMessages(turns: readonly Turn[]): ThreadMessage[] {
  const ids = new Set<string>();
  const messages: ThreadMessage[] = [];
  for (const turn of turns) {
    const of = { run_id: turn.trace_id, trace_id: turn.trace_id, start_time: turn.start_time ?? null };
    const inputs = messagesIn(turn.inputs);
    const outputs = messagesIn(turn.outputs);
    const known = messages.length;
    // A whole state begins with what was said before; what is new of it follows.
    const repeats = prefixLength(messages, outputs);
    for (const found of fresh([...inputs, ...outputs.slice(repeats)], ids, messages.slice(known)))
      messages.push({ ...found.message, ...of });
  }
  return messages;
}

function fresh(found: readonly Found[], ids: Set<string>, _before: readonly ThreadMessage[]): Found[] {
  const seen = new Set<string>();
  return found.filter((one) => {
    const key = keyOf(one);
    if (one.id !== undefined && ids.has(one.id)) return false;
    if (seen.has(key)) return false;
    seen.add(key);
    if (one.id !== undefined) ids.add(one.id);
    return true;
  });
}

/** How many of the messages at the front are the conversation so far. */
function prefixLength(messages: readonly ThreadMessage[], found: readonly Found[]): number {
  if (found.length < messages.length) return 0;
  const same = messages.every(
    (message, at) =>
      message.role === found[at]?.message.role && message.content === found[at].message.content,
  );
  return same ? messages.length : 0;
}

const keyOf = ({ message }: Found) =>
  JSON.stringify([message.role, message.content, message.tool_calls ?? null]);

/** Messages wherever tracers put them: `messages`, `message`, `input`, `output`, chat choices, generations. */
function messagesIn(payload: unknown): Found[] {
  if (payload === null || payload === undefined) return [];
  if (typeof payload === 'string') return [];
  if (Array.isArray(payload))
    return payload.flatMap((one: unknown) => (Array.isArray(one) ? messagesIn(one) : messageOf(one)));
  const fields = payload as Record<string, unknown>;
  if (fields['messages'] !== undefined) return messagesIn(fields['messages']);
  if (fields['message'] !== undefined) return messageOf(fields['message']);
  if (Array.isArray(fields['choices']))
    return fields['choices'].flatMap((choice: unknown) =>
      messageOf((choice as { message?: unknown }).message),
    );
  if (Array.isArray(fields['generations']))
    return (fields['generations'] as unknown[])
      .flat(2)
      .flatMap((one) => messageOf((one as { message?: unknown }).message));
  const inner = fields['output'] ?? fields['input'];
  return inner !== undefined && typeof inner === 'object' ? messagesIn(inner) : messageOf(payload);
}

const roles: Readonly<Record<string, string>> = {
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
  system: 'system',
  developer: 'system',
};

/** A message of LangChain (serialised or plain), OpenAI or Anthropic. */
function messageOf(value: unknown): Found[] {
  if (typeof value !== 'object' || value === null) return [];
  const { lc, id, kwargs, data, ...plain } = value as Record<string, unknown>;
  if (lc !== undefined && Array.isArray(id) && typeof kwargs === 'object' && kwargs !== null) {
    return messageOf({
      ...kwargs,
      type: String(id.at(-1))
        .replace(/Message(Chunk)?$/, '')
        .toLowerCase(),
    });
  }
  if (typeof data === 'object' && data !== null && typeof plain['type'] === 'string')
    return messageOf({ ...data, type: plain['type'] });
  const kind = plain['role'] ?? plain['type'];
  const role = typeof kind === 'string' ? roles[kind.toLowerCase()] : undefined;
  if (role === undefined || plain['content'] === undefined) return [];
  const { name, tool_calls } = plain;
  const calls = Array.isArray(tool_calls) && tool_calls.length > 0 ? { tool_calls } : {};
  return [
    {
      id: typeof id === 'string' ? id : undefined,
      message: {
        role,
        content: contentOf(plain['content']),
        ...(typeof name === 'string' ? { name } : {}),
        ...calls,
      },
    },
  ];
}

function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === null ? '' : JSON.stringify(content);
  return content.map(blockText).join('');
}

function blockText(block: unknown): string {
  if (typeof block === 'string') return block;
  const { text } = (block ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text : '';
}
