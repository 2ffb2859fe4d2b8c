import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { dataHome, startPlatform } from '../support/platform.ts';

/** What clients sent with breaks of lines in it that JSON may hold as they are, read back from a real platform. */

const SAID = 'one\u2028two\u2029three\u0085four';
const ESCAPED = String.raw`one\u2028two\u2029three\u0085four`;
const run_id = crypto.randomUUID();
const project = 'breaks';

const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
beforeAll(async () => {
  const now = new Date();
  await ask('POST', '/api/runs', {
    id: run_id,
    trace_id: run_id,
    dotted_order: `${now.toISOString().replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${run_id}`,
    session_name: project,
    name: SAID,
    run_type: 'llm',
    start_time: now.toISOString(),
    end_time: now.toISOString(),
    // A large one is packed, and comes back in pieces.
    inputs: { messages: [{ role: 'user', content: SAID }], large: `${SAID}“é”`.repeat(60_000) },
    outputs: { said: SAID },
    extra: { metadata: { said: SAID, thread_id: 'talk' } },
  });
});
const dataset_id = useFixture(
  async () =>
    (JSON.parse(await ask('POST', '/api/datasets', { name: 'breaks', description: SAID })) as { id: string })
      .id,
);
beforeAll(() =>
  ask('POST', '/api/examples', { dataset_id: dataset_id(), inputs: { said: SAID }, outputs: { said: SAID } }),
);
const session_id = useFixture(
  async () =>
    ((JSON.parse(await ask('GET', `/api/sessions?name=${project}`)) as { id: string }[])[0] ?? { id: '' }).id,
);

async function ask(
  method: string,
  path: string,
  body?: object,
  accept = 'application/json',
): Promise<string> {
  const answer = await fetch(platform().url + path, {
    method,
    headers: { 'content-type': 'application/json', 'x-api-key': platform().key, accept },
    // As it is: no client has to escape it.
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect([answer.ok, answer.ok ? '' : text]).toEqual([true, '']);
  return text;
}

const reads: Readonly<Record<string, () => Promise<string>>> = {
  'a run': async () => ask('GET', `/api/runs/${run_id}`),
  'runs that are asked for': async () => ask('POST', '/api/runs/query', { session: [session_id()] }),
  'runs of version 2': async () =>
    ask('POST', '/v2/runs/query', { project_ids: [session_id()], selects: ['ID', 'INPUTS', 'OUTPUTS'] }),
  'runs of version 2 as events': async () =>
    ask(
      'POST',
      '/v2/runs/query',
      { project_ids: [session_id()], selects: ['ID', 'INPUTS', 'OUTPUTS'] },
      'text/event-stream',
    ),
  'a dataset': async () => ask('GET', `/api/datasets/${dataset_id()}`),
  examples: async () => ask('GET', `/api/examples?dataset=${dataset_id()}`),
  'a dataset as lines of JSON': async () => ask('GET', `/api/datasets/${dataset_id()}/jsonl`),
  'a tool of MCP': async () => {
    const client = new Client({ name: 'test', version: '1' });
    let text = '';
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${platform().url}/mcp`), {
        requestInit: { headers: { 'x-api-key': platform().key } },
        fetch: async (input, init) => {
          const answer = await fetch(input, init);
          text += await answer.clone().text();
          return answer;
        },
      }),
    );
    await client.callTool({ name: 'fetch_runs', arguments: { project_name: project, limit: 1 } });
    await client.close();
    return text;
  },
};

test.each(Object.entries(reads))('when %s holds breaks of lines, then they are escaped', async (_, read) => {
  let text = '';
  await expect.poll(async () => (text = await read()).includes('two')).toBe(true);
  expect(text.replaceAll('\n', ' ').split(/[\u2028\u2029\u0085]/)).toHaveLength(1);
  expect(text.includes(ESCAPED)).toBe(true);
});
