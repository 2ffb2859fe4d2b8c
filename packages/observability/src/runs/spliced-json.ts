/**
 * A JSON text put together from values and from bytes that are JSON already, so that what a client sent comes back as
 * it was sent.
 */

const COMMA = Buffer.from(',');

export type SplicedValue = { readonly json: Buffer } | { readonly value: unknown };

export function splicedObject(members: readonly (readonly [name: string, value: SplicedValue])[]): Buffer {
  const written = members.map(([name, member]) => {
    const json = 'json' in member ? member.json : Buffer.from(JSON.stringify(member.value ?? null));
    return Buffer.concat([Buffer.from(`${JSON.stringify(name)}:`), json]);
  });
  return Buffer.concat([Buffer.from('{'), joined(written), Buffer.from('}')]);
}

export function splicedList(items: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('['), joined(items), Buffer.from(']')]);
}

export function jsonResponse(body: Buffer): Response {
  // A view of what may be a shared pool; `Response` copies what the view shows.
  const bytes = new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength);
  return new Response(bytes, { headers: { 'content-type': 'application/json' } });
}

function joined(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part])));
}
