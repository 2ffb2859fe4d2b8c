/** What a tool is called with is the tool’s: a null in it may mean something. */
const ARGUMENTS = 'arguments';

/**
 * A message without the nulls in its `params`. MCP has no place for them, and clients whose language writes an absent
 * member as null send them anywhere: for `params` itself, a cursor, the arguments of a tool that takes none.
 */
export function withoutNulls(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(withoutNulls);
  if (!isObject(message) || !('params' in message)) return message;
  const { params, ...others } = message;
  return params === null ? others : { ...others, params: pruned(params) };
}

function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, name === ARGUMENTS ? member : pruned(member)]),
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
