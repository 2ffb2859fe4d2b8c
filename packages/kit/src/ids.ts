import { createHash, randomBytes, randomFillSync } from 'node:crypto';

/** A UUID of version 7 (RFC 9562): sorts by time of making. */
export function uuidv7(now = Date.now()): string {
  const bytes = randomFillSync(Buffer.alloc(16));
  bytes.writeUIntBE(now, 0, 6);
  return uuidOf(bytes, 7);
}

/** A UUID of version 5: the same name in the same namespace gives the same id. */
export function uuidv5(name: string, namespace: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  return uuidOf(bytes.subarray(0, 16), 5);
}

/** The namespace of assistant ids (reference/agent-server.md D1). */
const ASSISTANT_NAMESPACE = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';

export function assistantIdOf(graph_id: string): string {
  return uuidv5(graph_id, ASSISTANT_NAMESPACE);
}

/** Random text of letters and digits; `bytes` of entropy. */
export function randomToken(bytes = 24): string {
  return randomBytes(bytes).toString('base64url').replaceAll(/[-_]/g, 'x');
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

function uuidOf(bytes: Buffer, version: number): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
