/** A message as it is read: some clients send null for the arguments of what takes none, which the protocol has no place for. */
export function withoutNullArguments(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(withoutNullArguments);
  const { params } = (message ?? {}) as { readonly params?: { readonly arguments?: unknown } | null };
  if (params?.arguments !== null) return message;
  const { arguments: _, ...others } = params;
  return { ...(message as object), params: others };
}
