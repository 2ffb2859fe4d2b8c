import { gzipSync, zstdCompressSync } from 'node:zlib';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { type Attributes, context, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  BatchSpanProcessor,
  SimpleSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { useFixture } from '@roadstead/testing';
import { LangSmithOTLPTraceExporter } from 'langsmith/experimental/otel/exporter';
import { describe, expect, it, vi } from 'vitest';
import { ingestions, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { runIdOf } from './span-placement-rules.ts';

describe.each(ingestions)('when spans are taken in %s', (_where, where) => {
  const fixture = useFixture(() => startFixture(where));
  const server = useFixture(() => fixture().listen());

  type Free = Readonly<Record<string, unknown>>;
  const headers = { 'x-api-key': `key-${WORKSPACE}`, 'Langsmith-Project': 'otel' };
  const read = async (span_id: string) => {
    const answer = await fixture().send(`/runs/${runIdOf(span_id)}`);
    return (await answer.json()) as Free & { extra: { metadata: Free; invocation_params?: Free } };
  };

  const exporters = {
    'protocol buffers': (compression: 'none' | 'gzip') =>
      new ProtobufExporter({
        url: `${server().url}/v1/traces`,
        headers,
        compression: compression as never,
      }),
    JSON: (compression: 'none' | 'gzip') =>
      new JsonExporter({
        url: `${server().url}/api/v1/otel/v1/traces`,
        headers,
        compression: compression as never,
      }),
  } as const;

  /** A tree of spans as instrumentations make it; children end before their parents, and are sent before them. */
  async function traced(
    exporter: SpanExporter,
    processor: typeof SimpleSpanProcessor | typeof BatchSpanProcessor,
  ) {
    const provider = new TracerProvider({ spanProcessors: [new processor({ exporter })] });
    const tracer = provider.getTracer('test');
    const root = tracer.startSpan('agent', {
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'input.value': '{"question":"how much","n":12345678901234567890}',
        'service.metadata.thread_id': 'thread-of-otel',
        'app.customer': 'acme',
      },
    });
    const below = (parent: ReturnType<typeof tracer.startSpan>, name: string, attributes: Attributes) =>
      tracer.startSpan(name, { attributes }, trace.setSpan(context.active(), parent));
    const call = below(root, 'chat example-model', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'example',
      'gen_ai.request.model': 'example-model',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'how much',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': '42',
    });
    const tool = below(call, 'execute_tool', { 'openinference.span.kind': 'TOOL', 'tool.name': 'prices' });
    tool.recordException(new Error('no such price'));
    tool.setStatus({ code: SpanStatusCode.ERROR, message: 'failed' });
    tool.end();
    call.end();
    root.end();
    await provider.forceFlush();
    await provider.shutdown();
    return { root: root.spanContext(), call: call.spanContext(), tool: tool.spanContext() };
  }

  describe.each(['protocol buffers', 'JSON'] as const)('when spans come as %s', (form) => {
    it.each([
      ['at once', BatchSpanProcessor, 'gzip'],
      ['one by one, children first', SimpleSpanProcessor, 'none'],
    ] as const)(
      'when an agent sends its spans %s, then its tree is read back',
      async (_how, processor, packing) => {
        const { root, call, tool } = await traced(exporters[form](packing), processor);
        await expect.poll(async () => (await read(root.spanId))['child_run_ids']).toHaveLength(2);
        const agent = await read(root.spanId);
        expect(agent).toMatchObject({
          id: runIdOf(root.spanId),
          trace_id: runIdOf(root.spanId),
          parent_run_id: null,
          name: 'agent',
          run_type: 'chain',
          thread_id: 'thread-of-otel',
          status: 'success',
          total_tokens: 17,
          extra: {
            metadata: {
              OTEL_TRACE_ID: root.traceId,
              OTEL_SPAN_ID: root.spanId,
              'otel.span.app.customer': 'acme',
              thread_id: 'thread-of-otel',
              'otel.resource.service.name': expect.anything() as unknown,
            },
          },
        });
        const verbatim = await (await fixture().send(`/runs/${runIdOf(root.spanId)}`)).text();
        expect(verbatim).toContain('"n":12345678901234567890');
        expect(await read(call.spanId)).toMatchObject({
          run_type: 'llm',
          parent_run_id: runIdOf(root.spanId),
          trace_id: runIdOf(root.spanId),
          thread_id: 'thread-of-otel',
          inputs: { messages: [{ role: 'user', content: 'how much' }] },
          outputs: { messages: [{ role: 'assistant', content: '42' }] },
          prompt_tokens: 12,
          completion_tokens: 5,
          extra: {
            metadata: { ls_provider: 'example', ls_model_name: 'example-model' },
            invocation_params: { model: 'example-model', temperature: 0.5 },
          },
        });
        const failed = await read(tool.spanId);
        expect(failed).toMatchObject({ run_type: 'tool', name: 'prices', status: 'error' });
        expect(failed['error']).toMatch(/^no such price\n\nError: no such price\n/);
        expect(failed['parent_run_ids']).toEqual([runIdOf(root.spanId), runIdOf(call.spanId)]);
        const project = await fixture()
          .client()
          .readSession({ params: { session_id: String(failed['session_id']) } });
        expect(project.name).toBe('otel');
      },
    );
  });

  it('when LangSmith’s own exporter sends spans of the AI SDK, then they are taken', async () => {
    const exporter = new LangSmithOTLPTraceExporter({
      url: `${server().url}/otel/v1/traces`,
      headers,
      projectName: 'otel-of-langsmith',
    });
    vi.stubEnv('LANGSMITH_TRACING', 'true');
    const provider = new TracerProvider({
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    });
    const span = provider.getTracer('ai').startSpan('ai.generateText.doGenerate', {
      attributes: {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.prompt.messages': '[{"role":"user","content":"hello"}]',
        'ai.response.text': 'good morning',
        'ai.usage.promptTokens': 3,
        'ai.usage.completionTokens': 2,
        'ai.telemetry.metadata.ls_run_name': 'greeting',
        'ai.telemetry.metadata.tier': 'gold',
      },
    });
    span.end();
    await provider.forceFlush();
    await provider.shutdown();
    vi.unstubAllEnvs();
    const run = await read(span.spanContext().spanId);
    expect(run).toMatchObject({
      name: 'greeting',
      run_type: 'llm',
      inputs: { input: [{ role: 'user', content: 'hello' }] },
      outputs: { output: 'good morning' },
      extra: { metadata: { tier: 'gold' } },
    });
    const project = await fixture()
      .client()
      .readSession({ params: { session_id: String(run['session_id']) } });
    expect(project.name).toBe('otel-of-langsmith');
  });

  const spanOf = (ids: Free, attributes: Free = {}) => ({
    name: 'span',
    startTimeUnixNano: '1767603600000001000',
    endTimeUnixNano: '1767603601000000000',
    ...ids,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
  });
  const requestOf = (...spans: readonly object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const post = (body: NonNullable<RequestInit['body']>, more: Record<string, string> = {}) =>
    fixture().send('/v1/traces', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...more },
    });

  it('when LangSmith’s attributes name places, then these are kept before those of the spans', async () => {
    const id = crypto.randomUUID();
    const trace_id = crypto.randomUUID();
    const dotted_order = `20260105T090000000000Z${trace_id}.20260105T090001000000Z${id}`;
    const body = requestOf(
      spanOf(
        { traceId: 'a'.repeat(32), spanId: 'c'.repeat(16), parentSpanId: 'd'.repeat(16) },
        {
          'langsmith.span.id': id,
          'langsmith.trace.id': trace_id,
          'langsmith.span.parent_id': trace_id,
          'langsmith.span.dotted_order': dotted_order,
          'langsmith.span.tags': 'blue, green',
          'langsmith.usage_metadata':
            '{"input_tokens":7,"output_tokens":1,"input_token_details":{"cache_read":5}}',
          'langsmith.span.kind': 'llm',
          'langsmith.attachments': '[{"name":"note","content":"aGVsbG8=","mime_type":"text/plain"}]',
        },
      ),
    );
    expect((await post(JSON.stringify(body))).status).toBe(200);
    expect(await (await fixture().send(`/runs/${id}`)).json()).toMatchObject({
      trace_id,
      dotted_order,
      parent_run_id: trace_id,
      tags: ['blue', 'green'],
      prompt_tokens: 7,
      prompt_token_details: { cache_read: 5 },
    });
    const file = await fixture().fresh.db.one<{ digest: string }>(
      'select digest from traces.attachments where run_id = $1',
      [id],
    );
    const blob = await fixture().blobs.get(file.digest);
    expect(await new Response(blob?.stream).text()).toBe('hello');
  });

  it('when spans are left out, then the answer says how many, and why', async () => {
    const good = spanOf({ traceId: 'b'.repeat(32), spanId: 'ab'.repeat(8) });
    const bad = spanOf({ traceId: 'b'.repeat(32), spanId: '0'.repeat(16) });
    const answer = await post(JSON.stringify(requestOf(good, bad, bad)));
    expect(answer.status).toBe(200);
    const { partialSuccess } = (await answer.json()) as { partialSuccess: Free };
    expect(partialSuccess).toMatchObject({ rejectedSpans: '2' });
    expect(partialSuccess['errorMessage']).toContain('no valid ids');
    expect(await read('ab'.repeat(8))).toMatchObject({
      name: 'span',
      start_time: '2026-01-05T09:00:00.000001',
    });
    expect(await (await post(JSON.stringify(requestOf(good)))).json()).toEqual({});
  });

  it.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const)(
    'when a body is packed as %s, then it is taken, and refused where it is cut off',
    async (encoding, pack) => {
      const spanId = encoding === 'gzip' ? 'ac'.repeat(8) : 'ad'.repeat(8);
      const packed = pack(
        Buffer.from(JSON.stringify(requestOf(spanOf({ traceId: 'b'.repeat(32), spanId })))),
      );
      expect((await post(new Uint8Array(packed), { 'content-encoding': encoding })).status).toBe(200);
      expect(
        (await post(new Uint8Array(packed.subarray(0, -9)), { 'content-encoding': encoding })).status,
      ).toBe(400);
    },
  );

  it('when a body is in neither form, or its protocol buffers are cut off, then it is refused', async () => {
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await post('[]')).status).toBe(422);
    const cut = new Uint8Array([0x0a, 0x7f, 0x12]);
    expect((await post(cut, { 'content-type': 'application/x-protobuf' })).status).toBe(400);
    const none = await post(new Uint8Array(), { 'content-type': 'application/x-protobuf' });
    expect([none.status, (await none.bytes()).length]).toEqual([200, 0]);
  });

  it('when protocol buffers are sent, then the answer is protocol buffers', async () => {
    // A span without ids: request 1, resource spans 2, scope spans 2, name 5.
    const span = new Uint8Array([0x0a, 0x08, 0x12, 0x06, 0x12, 0x04, 0x2a, 0x02, 0x68, 0x69]);
    const other = Buffer.from(
      `0a2512231221 2a036f6e65 0a10${'ee'.repeat(16)} 1208${'ee'.repeat(8)}`.replaceAll(' ', ''),
      'hex',
    );
    const answer = await post(new Uint8Array([...span, ...other]), {
      'content-type': 'application/x-protobuf',
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-protobuf']);
    const outer = new BinaryReader(await answer.bytes());
    expect(outer.tag()[0]).toBe(1);
    const partial = new BinaryReader(outer.bytes());
    expect([partial.tag()[0], Number(partial.int64())]).toEqual([1, 1]);
    expect([partial.tag()[0], partial.string()]).toEqual([2, expect.stringContaining('no valid ids')]);
    expect(await read('ee'.repeat(8))).toMatchObject({ name: 'one' });
  });
});
