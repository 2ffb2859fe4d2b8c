import { randomBytes } from 'node:crypto';
import { context, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { observability } from '@roadstead/contracts/observability';
import { useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import { ingestions, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { runIdOf } from './span-placement-rules.ts';
import { MAX_EVENTS } from './span.ts';

/** Logs and metrics beside traces: messages of spans are kept, the rest is accepted and dropped. */

const PROTOBUF = 'application/x-protobuf';
type Free = Readonly<Record<string, unknown>>;

/** A message of one field, or of several. */
const message = (write: (writer: BinaryWriter) => BinaryWriter) => write(new BinaryWriter()).finish();
const field = (writer: BinaryWriter, number: number, bytes: Uint8Array) =>
  writer.tag(number, WireType.LengthDelimited).bytes(bytes);
const text = (writer: BinaryWriter, number: number, value: string) =>
  writer.tag(number, WireType.LengthDelimited).string(value);
const nested =
  (...numbers: readonly number[]) =>
  (inner: Uint8Array) =>
    numbers.toReversed().reduce((bytes, number) => message((writer) => field(writer, number, bytes)), inner);
const ofRequest = nested(1, 2, 2);
const textValue = (value: string) => message((writer) => text(writer, 1, value));
const attribute = (name: string, value: string) =>
  message((writer) => field(text(writer, 1, name), 2, textValue(value)));

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
function logOf(said: {
  readonly trace: string;
  readonly span: string;
  readonly event: string;
  readonly content: string;
}) {
  return message((writer) => {
    writer.tag(1, WireType.Bit64).fixed64(1_767_603_600_000_000_000n);
    field(writer, 5, nested(6, 1)(attribute('content', said.content)));
    field(writer, 9, bytesOf(said.trace));
    field(writer, 10, bytesOf(said.span));
    return text(writer, 12, said.event);
  });
}
const spanMessage = message((writer) => {
  field(field(writer, 1, bytesOf('ab'.repeat(16))), 2, bytesOf('ab'.repeat(8)));
  text(writer, 5, 'span');
  return writer.tag(7, WireType.Bit64).fixed64(1_767_603_600_000_000_000n);
});
/** A sum with one number. */
const metricMessage = message((writer) =>
  field(
    text(writer, 1, 'requests'),
    7,
    nested(1)(message((point) => point.tag(6, WireType.Bit64).sfixed64(1n))),
  ),
);
const { ingestSpans, ingestLogs, ingestMetrics } = observability;
const exampleOf = ({ example }: { readonly example?: { readonly body?: unknown } }) =>
  JSON.stringify(example?.body);
const bodies = {
  traces: { json: exampleOf(ingestSpans), protobuf: ofRequest(spanMessage) },
  logs: {
    json: exampleOf(ingestLogs),
    protobuf: ofRequest(
      logOf({ trace: 'ab'.repeat(16), span: 'ab'.repeat(8), event: 'gen_ai.user.message', content: 'hello' }),
    ),
  },
  metrics: { json: exampleOf(ingestMetrics), protobuf: ofRequest(metricMessage) },
} as const;
type Signal = keyof typeof bodies;
const names = Object.keys(bodies) as Signal[];

const answered: string[] = [];
const onAnswer = (operation: string, status: number) => void answered.push(`${operation} ${status}`);

describe.each(ingestions)('when signals are taken in %s', (_where, where) => {
  const fixture = useFixture(() => startFixture({ ...where, onAnswer }));

  const post = (path: string, body: string | Uint8Array) =>
    fixture().send(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : body.slice(),
      headers: { 'content-type': typeof body === 'string' ? 'application/json' : PROTOBUF },
    });
  const read = async (span_id: string) =>
    (await (await fixture().send(`/runs/${runIdOf(span_id)}`)).json()) as Free;
  const logs = (...records: readonly Free[]) =>
    JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] });
  const valueOf = (value: unknown): Free =>
    typeof value === 'string'
      ? { stringValue: value }
      : Array.isArray(value)
        ? { arrayValue: { values: value.map(valueOf) } }
        : { kvlistValue: { values: keyValues(value as Free) } };
  const keyValues = (said: Free) =>
    Object.entries(said).map(([key, value]) => ({ key, value: valueOf(value) }));
  const recordOf = (span: string, eventName: string, more: Free) => ({
    traceId: 'cd'.repeat(16),
    spanId: span,
    timeUnixNano: '1767603600000000000',
    eventName,
    ...more,
  });

  it('when a signal comes to any of its addresses in either form, then it is taken', async () => {
    for (const [signal, { mounts, path }] of [
      ['traces', ingestSpans],
      ['logs', ingestLogs],
      ['metrics', ingestMetrics],
    ] as const) {
      expect(mounts).toEqual(['', '/otel', '/api/otel', '/api/v1/otel']);
      for (const mount of mounts) {
        const asJson = await post(mount + path, bodies[signal].json);
        expect([mount, asJson.status, await asJson.json()]).toEqual([mount, 200, {}]);
        const asProtobuf = await post(mount + path, bodies[signal].protobuf);
        expect([asProtobuf.status, (await asProtobuf.bytes()).length]).toEqual([200, 0]);
        expect(asProtobuf.headers.get('content-type')).toBe(PROTOBUF);
      }
    }
  });

  it('when metrics are dropped, then they are counted', async () => {
    answered.length = 0;
    await post('/v1/metrics', bodies.metrics.protobuf);
    await post('/v1/metrics', bodies.metrics.json);
    expect(answered).toEqual(['ingestMetrics 200', 'ingestMetrics 200']);
  });

  it.each(names.flatMap((at) => names.filter((sent) => sent !== at).map((sent) => [sent, at] as const)))(
    'when an export of %s comes to the address of %s, then it is refused in both forms',
    async (sent, at) => {
      for (const body of [bodies[sent].json, bodies[sent].protobuf])
        expect((await post(`/v1/${at}`, body)).status).toBe(400);
    },
  );

  it('when a body is in neither form or cut off, then it is refused', async () => {
    for (const signal of names) {
      expect((await post(`/v1/${signal}`, new Uint8Array([0x0a, 0x7f, 0x12]))).status).toBe(400);
      const plain = { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } };
      expect((await fixture().send(`/v1/${signal}`, plain)).status).toBe(400);
      expect((await post(`/v1/${signal}`, new Uint8Array())).status).toBe(200);
      expect((await post(`/v1/${signal}`, '{}')).status).toBe(200);
    }
  });

  it.each([
    ['before the span', true],
    ['after the span', false],
  ])('when messages in log records come %s, then they become its messages', async (_when, is_before) => {
    await using server = await fixture().listen();
    const exporter = new OTLPTraceExporter({
      url: `${server.url}/v1/traces`,
      headers: { 'x-api-key': `key-${WORKSPACE}` },
    });
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    const tracer = provider.getTracer('test');
    const root = tracer.startSpan('agent');
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 3,
      'app.note': 'kept',
    };
    const call = tracer.startSpan('chat', { attributes }, trace.setSpan(context.active(), root));
    const { traceId, spanId } = call.spanContext();
    const place = { traceId, spanId };
    const tell = async () => {
      const told = logs(
        {
          ...recordOf(spanId, 'gen_ai.system.message', { body: valueOf({ content: 'Be brief.' }) }),
          ...place,
        },
        { ...recordOf(spanId, 'gen_ai.user.message', { body: valueOf({ content: 'hello' }) }), ...place },
      );
      expect((await post('/v1/logs', told)).status).toBe(200);
      const choice = { message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' };
      const answered = { attributes: keyValues({ 'event.name': 'gen_ai.choice' }), body: valueOf(choice) };
      expect((await post('/v1/logs', logs({ ...recordOf(spanId, '', answered), ...place }))).status).toBe(
        200,
      );
    };
    if (is_before) await tell();
    call.end();
    root.end();
    await provider.forceFlush();
    await provider.shutdown();
    if (!is_before) await tell();
    await expect
      .poll(() => read(spanId))
      .toMatchObject({ parent_run_id: runIdOf(root.spanContext().spanId) });
    expect(await read(spanId)).toMatchObject({
      name: 'chat',
      run_type: 'llm',
      prompt_tokens: 3,
      inputs: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hello' },
        ],
      },
      outputs: { messages: [{ role: 'assistant', content: 'hi', finish_reason: 'stop' }] },
      inputs_preview: 'hello',
      extra: { metadata: { 'otel.span.app.note': 'kept' } },
    });
  });

  it('when a log record holds the details of a call, then they are the call’s messages', async () => {
    const span = 'e1'.repeat(8);
    const asked = [{ role: 'user', parts: [{ type: 'text', content: 'hello' }] }];
    const given = [{ role: 'assistant', parts: [{ type: 'text', content: 'hi' }] }];
    const said = {
      'gen_ai.provider.name': 'example',
      'gen_ai.input.messages': asked,
      'gen_ai.output.messages': given,
      'gen_ai.system_instructions': 'Be brief.',
    };
    const record = recordOf(span, 'gen_ai.client.inference.operation.details', {
      attributes: keyValues(said),
    });
    expect((await post('/v1/logs', logs(record))).status).toBe(200);
    expect(await read(span)).toMatchObject({
      inputs: { messages: [{ role: 'system', content: 'Be brief.' }, ...asked] },
      outputs: { messages: given },
      extra: { metadata: { ls_provider: 'example', OTEL_SPAN_ID: span } },
    });
  });

  it('when messages come in several requests, then each stands as often as one request says', async () => {
    const span = 'e3'.repeat(8);
    const record = (content: string) => recordOf(span, 'gen_ai.user.message', { body: valueOf({ content }) });
    for (const some of [[record('one'), record('one')], [record('two')], [record('two')]])
      expect((await post('/v1/logs', logs(...some))).status).toBe(200);
    const told = ['one', 'one', 'two'].map((content) => ({ role: 'user', content }));
    expect(await read(span)).toMatchObject({ inputs: { messages: told } });
    await Promise.all(['three', 'four'].map((content) => post('/v1/logs', logs(record(content)))));
    const { inputs } = (await read(span)) as { inputs: { messages: readonly Free[] } };
    const contents = inputs.messages.map(({ content }) => content);
    expect(contents).toHaveLength(5);
    expect(new Set(contents)).toEqual(new Set(['one', 'two', 'three', 'four']));
  });

  const contentsOf = async (span: string) => {
    const { inputs } = (await read(span)) as { inputs: { messages: readonly Free[] } };
    return inputs.messages.map(({ content }) => content);
  };
  /** Text that does not pack well. */
  const longText = (chars: number) => randomBytes(chars / 2).toString('hex');

  it.each([
    ['a side beyond what is read at once', 'f1', [200_000, 5]],
    ['a message beyond a megabyte', 'f2', [5, 1_200_000, 5]],
    ['a first message beyond a megabyte', 'f3', [1_200_000, 5]],
  ])('when there is %s, then every message that comes is kept', async (_what, id, sizes) => {
    const span = id.repeat(8);
    const told = sizes.map(longText);
    for (const content of told) {
      const record = recordOf(span, 'gen_ai.user.message', { body: valueOf({ content }) });
      const answer = await post('/v1/logs', logs(record));
      expect([answer.status, await answer.json()]).toEqual([200, {}]);
    }
    expect(await contentsOf(span)).toEqual(told);
  });

  it('when a message would make a side too large, then it is named, and the side stays', async () => {
    const span = 'f4'.repeat(8);
    const told = [longText(12_000_000), longText(12_000_000)];
    const answers = [];
    for (const content of told) {
      const record = recordOf(span, 'gen_ai.user.message', { body: valueOf({ content }) });
      answers.push(await (await post('/v1/logs', logs(record))).json());
    }
    const errorMessage: unknown = expect.stringContaining('inputs would exceed the limit of one field');
    expect(answers).toEqual([{}, { partialSuccess: { rejectedLogRecords: '0', errorMessage } }]);
    expect((await contentsOf(span)).map((content) => String(content).length)).toEqual([12_000_000]);
  });

  it('when a record says something beside messages, then that is kept, too', async () => {
    const span = 'f5'.repeat(8);
    const user = recordOf(span, 'gen_ai.user.message', { body: valueOf({ content: 'one' }) });
    const prompt = { 'gen_ai.prompt': '{"question":"how much"}' };
    const content = recordOf(span, 'gen_ai.content.prompt', { attributes: keyValues(prompt) });
    for (const record of [user, content]) await post('/v1/logs', logs(record));
    expect(await read(span)).toMatchObject({
      inputs: { question: 'how much', messages: [{ content: 'one' }] },
    });
  });

  it('when a span comes together with further messages, then those before stay', async () => {
    const spanId = 'f6'.repeat(8);
    const own = { key: 'input.value', value: { stringValue: '{"question":"how much"}' } };
    const span = { traceId: 'cd'.repeat(16), spanId, name: 'call', attributes: [own] };
    const spans = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    const said = (content: string) =>
      logs(recordOf(spanId, 'gen_ai.user.message', { body: valueOf({ content }) }));
    await post('/v1/logs', said('one'));
    await Promise.all([post('/v1/traces', spans), post('/v1/logs', said('two'))]);
    await post('/v1/logs', said('three'));
    expect(await contentsOf(spanId)).toEqual(['one', 'two', 'three']);
  });

  it('when a message is told again at another time, then it is another message', async () => {
    const span = 'f7'.repeat(8);
    const record = (content: string, second: number) => ({
      ...recordOf(span, 'gen_ai.user.message', { body: valueOf({ content }) }),
      timeUnixNano: `176760360${second}000000000`,
    });
    const [first, again] = [record('yes', 1), record('yes', 2)];
    for (const some of [[first], [again, record('no', 3)], [again], [first, again]])
      expect((await post('/v1/logs', logs(...some))).status).toBe(200);
    expect(await contentsOf(span)).toEqual(['yes', 'yes', 'no']);
  });

  it('when a history of one time repeats itself, then all of it is kept, and a resend adds none', async () => {
    const span = 'f9'.repeat(8);
    const told = [0, 1].flatMap(() => [
      recordOf(span, 'gen_ai.user.message', { body: valueOf({ content: 'yes' }) }),
      recordOf(span, 'gen_ai.assistant.message', { body: valueOf({ content: 'ok' }) }),
    ]);
    const last = recordOf(span, 'gen_ai.user.message', { body: valueOf({ content: 'so?' }) });
    const later = { ...last, timeUnixNano: '1767603601000000000' };
    const counted = async () => {
      const { inputs, outputs } = (await read(span)) as Readonly<
        Record<string, { readonly messages: readonly Free[] } | undefined>
      >;
      const all = [...(inputs?.messages ?? []), ...(outputs?.messages ?? [])];
      return ['yes', 'ok', 'so?'].map((one) => all.filter(({ content }) => content === one).length);
    };
    for (let times = 0; times < 2; times += 1) {
      expect((await post('/v1/logs', logs(...told))).status).toBe(200);
      expect(await counted()).toEqual([2, 2, 0]);
    }
    for (const some of [[later], told, told]) {
      expect((await post('/v1/logs', logs(...some))).status).toBe(200);
      expect(await counted()).toEqual([2, 2, 1]);
    }
  });

  const deep = '['.repeat(6000) + ']'.repeat(6000);
  it.each([
    ['text that is nested 6,000 times', 'a1', deep],
    ['blocks that are nested 6,000 times', 'a2', `[{"type":"text","text":${deep}}]`],
  ])('when a message is %s, then it is kept as a text', async (_what, id, content) => {
    const span = id.repeat(8);
    const said = { body: valueOf({ content }), attributes: keyValues({ 'gen_ai.prompt': content }) };
    const record = recordOf(span, 'gen_ai.user.message', said);
    const answer = await post('/v1/logs', logs(record));
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    expect(await contentsOf(span)).toEqual([content]);
    const attributes = keyValues({ 'input.value': content });
    const one = {
      traceId: 'cd'.repeat(16),
      spanId: id.repeat(8).replace('a', 'b'),
      name: 'call',
      attributes,
    };
    const spans = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [one] }] }] });
    expect((await post('/v1/traces', spans)).status).toBe(200);
    expect(await read(one.spanId)).toMatchObject({ inputs: { input: content } });
  });

  it('when a record holds too much, then it is named and left out, and the others are kept', async () => {
    const span = 'a4'.repeat(8);
    const many = Object.fromEntries(Array.from({ length: 100_001 }, (_, at) => [`k${at}`, 'x']));
    const told = ['one', many, 'two'].map((content, at) => ({
      ...recordOf(span, 'gen_ai.user.message', { body: valueOf({ content }) }),
      timeUnixNano: `176760360${at}000000000`,
    }));
    const answer = await post('/v1/logs', logs(...told));
    const errorMessage: unknown = expect.stringContaining(
      `logs.${span}.1767603601000000000 is nested too deeply or holds too many values, and is left out`,
    );
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { partialSuccess: { rejectedLogRecords: '1', errorMessage } },
    ]);
    expect(await contentsOf(span)).toEqual(['one', 'two']);
  });

  it('when a span has more records than it may have messages, then the rest is counted', async () => {
    const span = 'a5'.repeat(8);
    const told = Array.from({ length: MAX_EVENTS + 3 }, (_, at) =>
      recordOf(span, 'gen_ai.user.message', { body: valueOf({ content: `${at}` }) }),
    );
    const answer = await post('/v1/logs', logs(...told));
    const errorMessage: unknown = expect.stringContaining('3 records are left out');
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { partialSuccess: { rejectedLogRecords: '3', errorMessage } },
    ]);
    expect(await contentsOf(span)).toHaveLength(MAX_EVENTS);
  });

  it('when both the span and a record tell a message, then it is told once', async () => {
    const spanId = 'f8'.repeat(8);
    const own = { key: 'gen_ai.input.messages', value: { stringValue: '[{"role":"user","content":"yes"}]' } };
    const span = { traceId: 'cd'.repeat(16), spanId, name: 'call', attributes: [own] };
    await post('/v1/traces', JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
    const record = recordOf(spanId, 'gen_ai.user.message', { body: valueOf({ content: 'yes' }) });
    for (let times = 0; times < 2; times += 1) await post('/v1/logs', logs(record));
    expect(await contentsOf(spanId)).toEqual(['yes']);
  });

  it('when a span says something itself, then that stays beside the messages that come', async () => {
    const own = { key: 'input.value', value: { stringValue: '{"question":"how much"}' } };
    const span = { traceId: 'cd'.repeat(16), spanId: 'e4'.repeat(8), name: 'call', attributes: [own] };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    expect((await post('/v1/traces', body)).status).toBe(200);
    const record = recordOf(span.spanId, 'gen_ai.user.message', { body: valueOf({ content: 'hello' }) });
    expect((await post('/v1/logs', logs(record))).status).toBe(200);
    expect(await read(span.spanId)).toMatchObject({
      inputs: { question: 'how much', messages: [{ role: 'user', content: 'hello' }] },
    });
  });

  it('when log records are no messages or name no span, then they are dropped', async () => {
    const span = 'e2'.repeat(8);
    const body = valueOf({ content: 'hello' });
    const answer = await post(
      '/v1/logs',
      logs(
        recordOf(span, 'app.started', { body }),
        recordOf(span, '', { body }),
        recordOf('', 'gen_ai.user.message', { body }),
        recordOf('0'.repeat(16), 'gen_ai.user.message', { body }),
        { eventName: 'gen_ai.user.message', body },
      ),
    );
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    expect((await fixture().send(`/runs/${runIdOf(span)}`)).status).toBe(404);
  });
});
