import fc from 'fast-check';
import { expect, test } from 'vitest';
import { infoEndpoints } from '@roadstead/contracts/agent-server';
import { serve } from '@roadstead/http';
import { silentLog, uuidv7 } from '@roadstead/kit';
import type { RunParams, RunResult } from '@roadstead/contracts/host';
import { AgentMetrics } from './agent-metrics.ts';
import { createInfoHandlers } from './info-routes.ts';
import { docsPage } from './docs-page.ts';
import { metricsAsJson, prometheusText } from './metric-rules.ts';
import { Durations } from './tallies.ts';

const figures = {
  unfinished: 3,
  running: 1,
  room: 19,
  hosts: 1,
  pool: { max: 4, size: 2, available: 1, queued: 7, failed: 0 },
};
const attempt = (run_id: string, number = 1) => ({ run_id, attempt: number }) as RunParams;
const success: RunResult = { outcome: 'success', interrupts: [], output: null };

test('when figures are told, then Prometheus reads them', () => {
  const text = prometheusText([
    { name: 'a', type: 'gauge', help: 'What a is.', samples: [{ labels: {}, value: 1.5 }] },
    { name: 'b', type: 'counter', help: 'b', samples: [{ labels: { path: '/"x"\\\n', to: 'y' }, value: 2 }] },
    {
      name: 'c',
      type: 'histogram',
      help: 'c',
      samples: [{ suffix: '_bucket', labels: { le: '5' }, value: 0 }],
    },
  ]);
  expect(text).toBe(
    [
      '# HELP a What a is.',
      '# TYPE a gauge',
      'a 1.5',
      '# HELP b b',
      '# TYPE b counter',
      String.raw`b{path="/\"x\"\\\n",to="y"} 2`,
      '# HELP c c',
      '# TYPE c histogram',
      'c_bucket{le="5"} 0',
      '',
    ].join('\n'),
  );
});

test('when times are counted, then each bucket has those within its bound, and the last all', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 600_000 })), (times) => {
      const durations = new Durations();
      for (const time of times) durations.add(time);
      const buckets = durations.samples.filter(({ suffix }) => suffix === '_bucket');
      for (const { labels, value } of buckets) {
        const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
        expect(value).toBe(times.filter((time) => time <= bound).length);
      }
      expect(buckets.length > 0).toBe(times.length > 0);
      expect(durations.samples.find(({ suffix }) => suffix === '_count')?.value ?? 0).toBe(times.length);
    }),
  );
});

test('when a deployment answers, then it counts its answers, attempts and ends', async () => {
  const metrics = new AgentMetrics();
  metrics.onAnswer('readInfo', 200, 3);
  metrics.onAnswer('readInfo', 200, 30);
  metrics.onAnswer('readOk', 503, 3);
  await metrics.attempt(attempt(uuidv7()), async () => success);
  void metrics.attempt(attempt(uuidv7()), () => new Promise(() => undefined));
  await expect(
    metrics.attempt(attempt(uuidv7(), 2), () => Promise.reject(new Error('lost'))),
  ).rejects.toThrow('lost');
  metrics.ended('success');
  metrics.ended('interrupted');
  metrics.ended('error');
  metrics.ended('timeout');
  const told = metricsAsJson(metrics.read(figures));
  const value = (name: string) => told[`lg_api_${name}`]?.samples.at(-1)?.value;
  expect(told['lg_api_http_requests_total']?.samples).toEqual([
    { labels: { method: 'GET', path: '/info', status: '200' }, value: 2 },
    { labels: { method: 'GET', path: '/ok', status: '503' }, value: 1 },
  ]);
  expect([value('num_running_runs'), value('num_pending_runs')]).toEqual([1, 2]);
  expect([value('workers_max'), value('workers_active'), value('workers_available')]).toEqual([20, 1, 19]);
  expect(value('run_attempt_started_counter')).toBe(3);
  expect(value('run_queue_wait_time_1st_attempt')).toBe(2);
  expect(value('run_queue_wait_time_retry_attempt')).toBe(1);
  expect(value('run_success_counter')).toBe(1);
  expect(value('run_canceled_by_request_counter')).toBe(1);
  expect(value('run_failed_after_retry_counter')).toBe(2);
  expect(value('pg_pool_requests_queued_total')).toBe(7);
  expect(value('run_execution_latency')).toBe(1);
});

test('when the page of an API is read, then it shows each operation, and takes no markup from it', () => {
  const page = docsPage(
    { paths: { '/a/{id}': { get: { summary: 'Reads <b>one</b>' } } } },
    { name: 'my <agent>' },
  );
  expect(page).toContain('<td>GET</td><td><code>/a/{id}</code><br>Reads &lt;b&gt;one&lt;/b&gt;</td>');
  expect(page).toContain('<h1>my &lt;agent&gt;</h1>');
  expect(page).not.toMatch(/<script/);
});

test.for<[boolean, boolean, number, object]>([
  [true, true, 200, { ok: true, services: { database: 'ok', graph_hosts: 'ok' } }],
  [false, true, 503, { ok: false, services: { database: 'failing', graph_hosts: 'ok' } }],
  [true, false, 503, { ok: false, services: { database: 'ok', graph_hosts: 'failing' } }],
])('when the database is well (%s) and hosts are (%s), then the answer is %i and says which', async (row) => {
  const [database, hosts, status, said] = row;
  const handlers = createInfoHandlers({
    name: 'harbour',
    public_url: () => 'http://roadstead.test',
    active: () => undefined,
    checkDatabase: () => (database ? Promise.resolve() : Promise.reject(new Error('no route to password'))),
    areHostsWell: () => hosts,
    metrics: async () => [],
    describeApp: async (document) => document,
  });
  const served = serve(infoEndpoints, handlers, { service: 'test', verify: () => undefined, log: silentLog });
  const ask = (path: string) => served.fetch(new Request(`http://roadstead.test${path}`), {});
  const answer = await ask('/ok?check_db=1');
  const text = await answer.text();
  expect([answer.status, JSON.parse(text)]).toEqual([status, expect.objectContaining(said)]);
  expect(text).not.toContain('password');
  expect(await (await ask('/ok')).json()).toEqual({ ok: true });
});
