/** The arguments of a tool are the tool’s own: a null in them may have a meaning. */
const ARGUMENTS = 'arguments';

/**
 * A message without the nulls in its `params`. MCP has no use for them, and clients whose language writes an absent
 * member as null send them anywhere: for `params` itself, a cursor, the arguments of a tool without parameters.
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
