import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useFixture } from '@roadstead/testing';
import { Client, RunTree } from 'langsmith';
import { describe, expect, it } from 'vitest';
import { ingestions, OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

/** Requests of the real SDK, recorded on the wire and sent again byte for byte. */

describe.each(ingestions)('when requests of the SDK are taken in %s', (_where, where) => {
  const fixture = useFixture(() => startFixture(where));

  interface RecordedRequest {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: Uint8Array<ArrayBuffer>;
  }

  /** Answers like the service, and keeps the bytes that it received. */
  async function recorder() {
    const info = await (await fixture().send('/info')).text();
    const recorded: RecordedRequest[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        const { method = '', url = '', headers } = request;
        const isInfo = url.endsWith('/info');
        if (!isInfo)
          recorded.push({ method, path: url, headers, body: Uint8Array.from(Buffer.concat(chunks)) });
        response.writeHead(isInfo ? 200 : 202, { 'content-type': 'application/json' });
        response.end(isInfo ? info : '{}');
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}`,
      recorded,
      [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
    };
  }

  const ODD = { nul: 'a\u0000b', half: '\ud800', ü: 'ü😀', large: 1e21, date: new Date(0), nothing: null };

  async function record(): Promise<{
    readonly ids: readonly string[];
    readonly requests: readonly RecordedRequest[];
  }> {
    await using server = await recorder();
    const client = new Client({ apiUrl: server.url, apiKey: 'unused', autoBatchTracing: true });
    const root = new RunTree({
      name: 'agent',
      inputs: { question: 'why', ...ODD },
      project_name: 'recorded',
      client,
      tags: ['blue'],
      metadata: { thread_id: 'thread-1', tenant: 'acme' },
      attachments: { photo: { mimeType: 'image/png', data: new Uint8Array([0, 13, 10, 255]) } },
    });
    await root.postRun();
    const call = root.createChild({
      name: 'model',
      run_type: 'llm',
      inputs: { messages: [['human', 'why']] },
      extra: { metadata: { ls_model_name: 'example-model', ls_provider: 'example' } },
    });
    await call.postRun();
    await call.end({ usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } });
    await call.patchRun();
    const tool = root.createChild({ name: 'tool', run_type: 'tool', inputs: {} });
    await tool.postRun();
    // The first half is on its way before the rest is known.
    await client.awaitPendingTraceBatches();
    await tool.end(undefined, 'it broke');
    await tool.patchRun();
    await root.end({ answer: 'because', ...ODD });
    await root.patchRun();
    await client.awaitPendingTraceBatches();
    return { ids: [root.id, call.id, tool.id], requests: server.recorded };
  }

  async function replay(requests: readonly RecordedRequest[], workspace_id: string): Promise<void> {
    for (const { method, path, headers, body } of requests) {
      const sent = Object.entries(headers).filter(([name]) => name.startsWith('content-'));
      const init = {
        method,
        body,
        headers: Object.fromEntries(sent) as Record<string, string>,
        workspace_id,
      };
      const answer = await fixture().send(path, init);
      expect([answer.status, await answer.text()]).toEqual([202, '{"message":"Stored."}']);
    }
  }

  async function recordsOf(ids: readonly string[], workspace_id: string): Promise<unknown> {
    const runs: unknown[] = [];
    for (const id of ids) {
      const run = (await (await fixture().send(`/runs/${id}`, { workspace_id })).json()) as Record<
        string,
        unknown
      >;
      const { session_id, app_path: _1, last_queued_at: _2, trace_first_received_at: _3, ...kept } = run;
      const text = JSON.stringify(kept).replaceAll(String(session_id), '<session>');
      // Their addresses differ each time.
      runs.push(JSON.parse(text.replaceAll(/"presigned_url":"[^"]*"/g, '"presigned_url":"<address>"')));
    }
    return runs;
  }

  it('when requests of the SDK come twice or in the other order, then the record is the same', async () => {
    const { ids, requests } = await record();
    expect(requests.length).toBeGreaterThan(1);
    expect(requests.every(({ path }) => path === '/runs/multipart')).toBe(true);
    expect(requests.map(({ headers }) => headers['content-encoding'])).toContain('zstd');
    await replay(requests, WORKSPACE);
    const once = await recordsOf(ids, WORKSPACE);
    expect(once).toMatchObject([
      {
        name: 'agent',
        inputs: { question: 'why', nul: 'a\u0000b', ü: 'ü😀', large: 1e21, nothing: null },
        outputs: { answer: 'because', nul: 'a\u0000b' },
        tags: ['blue'],
        thread_id: 'thread-1',
        status: 'success',
        total_tokens: 7,
        parent_run_id: null,
      },
      { name: 'model', run_type: 'llm', prompt_tokens: 3, completion_tokens: 4, thread_id: 'thread-1' },
      { name: 'tool', status: 'error', error: 'it broke', thread_id: 'thread-1' },
    ]);
    await replay(requests, WORKSPACE);
    expect(await recordsOf(ids, WORKSPACE)).toEqual(once);
    await replay(requests.toReversed(), OTHER_WORKSPACE);
    expect(await recordsOf(ids, OTHER_WORKSPACE)).toEqual(
      JSON.parse(JSON.stringify(once).replaceAll(WORKSPACE, OTHER_WORKSPACE)),
    );
  });
});
