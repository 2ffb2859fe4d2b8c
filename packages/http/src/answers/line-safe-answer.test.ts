import { expect, test } from 'vitest';
import { z } from 'zod';
import { endpoint } from '@roadstead/contracts';
import { eventFrame, eventStream } from './event-stream.ts';
import { silentLog, Problem } from '@roadstead/kit';
import { serve } from '../serving/serve.ts';

const SIGNS = ['\u2028', '\u2029', '\u0085'];
const SAID = `one${SIGNS.join('two')}“three” €Â`;
const json = JSON.stringify({ said: SAID });
/** The line ends of Python's `str.splitlines`; JSON never holds the others that it knows. */
const BREAKS = ['\n', '\r', '\v', '\f', '\u001c', '\u001d', '\u001e', ...SIGNS];
const isOnOneLine = (text: string) => !BREAKS.some((sign) => text.includes(sign));
const bytes = Buffer.from(json);
const everyByte = async function* () {
  for (const byte of bytes) yield Buffer.from([byte]);
};
const streamed = (media_type: string, headers = {}) =>
  new Response(ReadableStream.from(everyByte()), { headers: { 'content-type': media_type, ...headers } });
const events = (...frames: readonly (string | readonly Buffer[])[]) =>
  eventStream(
    (async function* () {
      yield* frames;
    })(),
    { heartbeat_ms: 60_000, onCancel: () => undefined },
  );

const answers: Readonly<Record<string, () => unknown>> = {
  'a value': () => ({ said: SAID }),
  'JSON by the platform': () => Response.json({ said: SAID }),
  'JSON as text': () =>
    new Response(json, { headers: { 'content-type': 'application/json; charset=utf-8' } }),
  'JSON byte by byte': () => streamed('application/json'),
  'JSON of another name': () => streamed('application/a2a+json'),
  'lines of JSON': () => streamed('application/x-ndjson'),
  'more lines of JSON': () => streamed('application/jsonl'),
  'events of others': () => streamed('text/event-stream'),
  events: () => events(eventFrame(json, 1)),
  'events in pieces': () => events(eventFrame([bytes.subarray(0, 13), bytes.subarray(13)], 1)),
  'a problem': () => {
    throw new Problem('invalid', `It is ${SAID}.`);
  },
  'a broken stream': () =>
    eventStream(
      // oxlint-disable-next-line require-yield -- it breaks off before
      (async function* () {
        throw new Problem('unavailable', `It is ${SAID}.`);
      })(),
      { heartbeat_ms: 60_000, onCancel: () => undefined },
    ),
};
const asTheyAre: typeof answers = {
  'a file': () => streamed('application/json', { 'content-length': `${bytes.length}` }),
  'plain text': () => streamed('text/plain'),
};
const contract = {
  say: endpoint({
    method: 'GET',
    path: '/{kind}',
    summary: 'Says it',
    params: z.object({ kind: z.string() }),
    auth: 'public',
  }),
};
const handlers = {
  say: async ({ params }: { readonly params: { readonly kind: string } }) =>
    ({ ...answers, ...asTheyAre })[params.kind]?.() as Response,
};
const served = serve(contract, handlers as never, {
  service: 'test',
  verify: () => undefined,
  log: silentLog,
});
const read = async (kind: string) => {
  const { body } = await served.fetch(new Request(`http://test/${encodeURIComponent(kind)}`));
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of body ?? []) pieces.push(piece);
  } catch {
    // It broke off, after its last bytes.
  }
  return Buffer.concat(pieces).toString();
};

test.each(Object.keys(answers))(
  'when a service answers %s, then no reader of lines cuts it',
  async (kind) => {
    const text = await read(kind);
    expect(text).toContain(
      String.raw`\u2028two\u2029two\u0085“three” €Â`.slice(kind === 'a broken stream' ? 18 : 0),
    );
    expect(text.split('\n').every(isOnOneLine)).toBe(true);
  },
);

test.each(Object.keys(asTheyAre))(
  'when a service answers %s, then its bytes stay as they are',
  async (kind) => {
    expect(await read(kind)).toBe(json);
  },
);
