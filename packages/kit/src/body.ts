import { malformed, Problem } from './problem.ts';

/** Readers of request bodies that never hold more than they may. */

export const DEFAULT_BODY_BYTES = 26_214_400;

export async function readBytes(request: Request, max_bytes: number): Promise<Buffer> {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > max_bytes) throw tooLarge(max_bytes);
  // With a length, the server's own parser has capped what can come.
  if (Number.isFinite(announced)) return Buffer.from(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  for await (const chunk of capped(request.body, max_bytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function readJson(request: Request, max_bytes: number): Promise<unknown> {
  const bytes = await readBytes(request, max_bytes);
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw malformed(
      ['body'],
      bytes.length === 0 ? 'a JSON body is required' : 'the body is not valid JSON',
      'json_invalid',
    );
  }
}

/** The body's chunks; throws once more than `max_bytes` have come. */
export async function* capped(
  body: ReadableStream<Uint8Array> | null,
  max_bytes: number,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of body ?? []) {
    total += chunk.length;
    if (total > max_bytes) throw tooLarge(max_bytes);
    yield chunk;
  }
}

function tooLarge(max_bytes: number): Problem {
  return new Problem('too_large', `The body is larger than the ${max_bytes} bytes that are allowed here.`);
}
