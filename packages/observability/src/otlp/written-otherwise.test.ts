import { randomBytes } from 'node:crypto';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';
import { runIdOf } from './span-placement-rules.ts';

/** Requests that deviate from the letter of the protocol, and values that are empty or too large. */

const fixture = useFixture(startFixture);

type Free = Readonly<Record<string, unknown>>;
const newIds = () => ({ traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') });
const times = { startTimeUnixNano: '1767603600000000000', endTimeUnixNano: '1767603601000000000' };
const requestOf = (span: Free) => ({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
const textOf = (key: string, value: string) => ({ key, value: { stringValue: value } });

async function post(path: string, body: unknown) {
  const answer = await fixture().send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  return [answer.status, await answer.json()] as const;
}
const read = async (spanId: string) =>
  (await (await fixture().send(`/runs/${runIdOf(spanId)}`)).json()) as Free;

/** The members under their names in protocol buffers. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    snakeCased(inner),
  ]);
  return Object.fromEntries(entries) as unknown;
}
const inBase64 = (id: string) => Buffer.from(id, 'hex').toString('base64');

describe('spans', () => {
  const full = (ids: ReturnType<typeof newIds>) => ({
    ...ids,
    ...times,
    parentSpanId: '',
    name: 'call',
    attributes: [
      textOf('input.value', 'hello'),
      { key: 'gen_ai.usage.input_tokens', value: { intValue: '3' } },
      { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
      { key: 'app.list', value: { arrayValue: { values: [{ boolValue: true }, { doubleValue: 0.5 }] } } },
      { key: 'app.object', value: { kvlistValue: { values: [textOf('a', 'b')] } } },
    ],
    events: [{ timeUnixNano: times.startTimeUnixNano, name: 'note', attributes: [textOf('said', 'so')] }],
  });
  it.each<[string, (ids: ReturnType<typeof newIds>) => unknown]>([
    ['the protocol’s letter', (ids) => requestOf(full(ids))],
    ['names with underscores', (ids) => snakeCased(requestOf(full(ids)))],
    [
      'ids in capital letters',
      ({ traceId, spanId }) =>
        requestOf(full({ traceId: traceId.toUpperCase(), spanId: spanId.toUpperCase() })),
    ],
    [
      'ids in base64',
      ({ traceId, spanId }) => requestOf(full({ traceId: inBase64(traceId), spanId: inBase64(spanId) })),
    ],
  ])('when they come by %s, then they are read', async (_what, bodyOf) => {
    const ids = newIds();
    expect(await post('/v1/traces', bodyOf(ids))).toEqual([200, {}]);
    expect(await read(ids.spanId)).toMatchObject({
      name: 'call',
      run_type: 'llm',
      start_time: '2026-01-05T09:00:00.000000',
      end_time: '2026-01-05T09:00:01.000000',
      inputs: { input: 'hello' },
      prompt_tokens: 3,
      events: [{ name: 'note', kwargs: { said: 'so' } }],
      extra: {
        metadata: {
          OTEL_TRACE_ID: ids.traceId,
          'otel.span.app.list': [true, 0.5],
          'otel.span.app.object': { a: 'b' },
        },
      },
    });
  });

  it('when log records come with names with underscores, then they are read', async () => {
    const ids = newIds();
    const record = {
      ...ids,
      observedTimeUnixNano: times.startTimeUnixNano,
      eventName: 'gen_ai.user.message',
      body: { kvlistValue: { values: [textOf('content', 'hello')] } },
    };
    const body = snakeCased({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
    expect(await post('/v1/logs', body)).toEqual([200, {}]);
    expect(await read(ids.spanId)).toMatchObject({ inputs: { messages: [{ content: 'hello' }] } });
    expect((await post('/v1/traces', body))[0]).toBe(400);
  });

  it.each([
    [2, 'error'],
    ['2', 'error'],
    ['STATUS_CODE_ERROR', 'error'],
    ['ERROR', 'error'],
    ['Error', 'error'],
    [1, 'success'],
    ['Ok', 'success'],
    ['unset', 'success'],
    [null, 'success'],
    [{}, 'success'],
  ])('when a status has the code %j, then its run ends with %s', async (code, status) => {
    const ids = newIds();
    await post('/v1/traces', requestOf({ ...ids, ...times, name: 'call', status: { code } }));
    expect(await read(ids.spanId)).toMatchObject({ status });
  });

  it.each([[{ resourceSpans: { scopeSpans: [] } }], [{ resourceSpans: 'all' }], [{ resource_spans: 1 }]])(
    'when no list stands where spans do, then it is refused: %j',
    async (body) => {
      const [status, answer] = await post('/v1/traces', body);
      expect(status).toBe(422);
      expect(JSON.stringify(answer)).toContain('is not a list');
    },
  );
});

describe('values', () => {
  const told = async (attributes: readonly Free[], more: Free = {}) => {
    const ids = newIds();
    expect(
      await post('/v1/traces', requestOf({ ...ids, ...times, name: 'call', attributes, ...more })),
    ).toEqual([200, {}]);
    return read(ids.spanId);
  };

  it.each(['[]', '{}', 'null', '""', ' ', 'null '])(
    'when one form of a side says %j, then another that says something is shown',
    async (nothing) => {
      const run = await told([
        textOf('gen_ai.input.messages', nothing),
        textOf('input.value', 'hello'),
        textOf('output.value', nothing),
        textOf('gen_ai.completion', 'hi'),
      ]);
      expect(run).toMatchObject({ inputs: { input: 'hello' }, outputs: { output: 'hi' } });
    },
  );

  it('when a side says nothing in its only form, then that is shown', async () => {
    expect(await told([textOf('gen_ai.input.messages', '[]'), textOf('output.value', '{}')])).toMatchObject({
      inputs: { messages: [] },
      outputs: {},
    });
  });

  it('when a message has its contents spread over attributes, then it is read as a message', async () => {
    const message = 'llm.input_messages.0.message';
    const run = await told([
      textOf(`${message}.role`, 'user'),
      textOf(`${message}.contents.0.message_content.type`, 'text'),
      textOf(`${message}.contents.0.message_content.text`, 'hello'),
      textOf(`${message}.contents.1.message_content.type`, 'image'),
    ]);
    expect(run).toMatchObject({
      inputs: { messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }, { type: 'image' }] }] },
      inputs_preview: 'hello',
    });
  });

  it('when an attribute is named as what all objects have, then it is kept', async () => {
    const attributes = ['__proto__', 'toString', 'constructor'].map((name) => textOf(name, `the ${name}`));
    const run = await told(attributes, {
      events: [{ name: 'gen_ai.user.message', attributes: [textOf('content', 'hello'), ...attributes] }],
    });
    const text = JSON.stringify([run['inputs'], run['extra']]);
    for (const name of ['__proto__', 'toString', 'constructor'])
      expect(text.split(`the ${name}`)).toHaveLength(3);
  });

  it.each([NaN, Infinity, -Infinity])(
    'when protocol buffers hold %d, then it is kept as a text',
    async (number) => {
      const ids = newIds();
      const message = (write: (writer: BinaryWriter) => BinaryWriter) => write(new BinaryWriter()).finish();
      const field = (writer: BinaryWriter, at: number, bytes: Uint8Array) =>
        writer.tag(at, WireType.LengthDelimited).bytes(bytes);
      const value = message((writer) => writer.tag(4, WireType.Bit64).double(number));
      const attribute = message((writer) =>
        field(writer.tag(1, WireType.LengthDelimited).string('x'), 2, value),
      );
      const span = message((writer) => {
        field(writer, 1, new Uint8Array(Buffer.from(ids.traceId, 'hex')));
        field(writer, 2, new Uint8Array(Buffer.from(ids.spanId, 'hex')));
        return field(writer, 9, attribute);
      });
      const body = [2, 2, 1].reduce((inner, at) => message((writer) => field(writer, at, inner)), span);
      const headers = { 'content-type': 'application/x-protobuf' };
      expect(
        (await fixture().send('/v1/traces', { method: 'POST', body: body.slice(), headers })).status,
      ).toBe(200);
      expect(await read(ids.spanId)).toMatchObject({
        extra: { metadata: { 'otel.span.x': String(number) } },
      });
    },
  );
});
