import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import {
  createRequest,
  deployed,
  LISTENER_ID,
  upload,
} from '../../packages/control-plane/src/testing/fixture.ts';
import { startBothServices } from './both-services.ts';
import type { Arguments } from './mcp-fixture.ts';

let refused: number | undefined;
let refused_path = '/';
const CANARY = 'canary-of-a-secret';

/** A deployment whose second revision brought a secret, a command and errors, and whose third could not be built. */
const both = useFixture(() =>
  startBothServices({
    refused: (path) => (path.includes(refused_path) ? refused : undefined),
  }),
);
const listener = useFixture(() => both().control.listener());
const id = useFixture(async () => (await deployed(both().control, 'support', listener())).id);
const client = useFixture(() => both().control.client());
const params = useFixture(() => ({ deployment_id: id() }));
beforeAll(async () => {
  await client().patchDeployment({
    params: params(),
    body: {
      secrets: [{ name: 'OPENAI_API_KEY', value: CANARY }],
      source_revision_config: { source_tarball_path: await upload(both().control, id(), 'newer') },
    },
  });
  await listener().reach(await listener().next(id()));
});
const project = useFixture(async () => {
  const { tracer_session_id } = await client().readDeployment({ params: params() });
  return tracer_session_id ?? '';
});
beforeAll(async () => {
  const [second, first] = (
    await client().listRevisions({ params: params(), query: { status: ['DEPLOYED'] } })
  ).resources;
  await both()
    .traces.client()
    .createSession({ body: { id: project(), name: 'support' } });
  const answered = runOf(first?.id ?? '');
  const runs = [
    answered,
    stepOf(answered, { name: 'look up', error: 'no route to the shop' }),
    ...Array.from({ length: 3 }, () => runOf(first?.id ?? '')),
    ...Array.from({ length: 6 }, (_, at) =>
      runOf(second?.id ?? '', at < 3 ? `order ${at} is unknown` : undefined),
    ),
  ];
  await record(runs);
  await client().patchDeployment({
    params: params(),
    body: {
      source_config: { build_command: 'exit 1' },
      source_revision_config: { source_tarball_path: await upload(both().control, id(), 'newest') },
    },
  });
  const failing = await listener().next(id());
  await listener().log(failing, 'the build says this');
  await listener().reach(failing);
  await listener().client.appendLogs({
    params: { listener_id: LISTENER_ID, deployment_id: id() },
    body: {
      fence: listener().fence,
      revision_id: second?.id ?? '',
      kind: 'server',
      writer: 'test',
      seq: 0,
      lines: Array.from({ length: 500 }, (_, at) => ({
        at: new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString(),
        level: at % 100 === 0 ? ('ERROR' as const) : ('INFO' as const),
        message: `line ${at} ${'x'.repeat(100)}`,
      })),
    },
  });
});

async function record(post: readonly object[]): Promise<void> {
  const { status } = await both().traces.send('/runs/batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ post }),
  });
  expect(status).toBe(202);
}

function runOf(revision_id: string, error?: string) {
  const run_id = uuidv7();
  const at = new Date().toISOString();
  return {
    id: run_id,
    trace_id: run_id,
    dotted_order: `${at.replaceAll(/[-:.Z]/g, '')}000Z${run_id}`,
    name: 'agent',
    run_type: 'chain',
    session_id: project(),
    start_time: at,
    end_time: at,
    inputs: {},
    extra: { metadata: { revision_id } },
    ...(error === undefined ? { outputs: {} } : { error }),
  };
}

function stepOf(parent: ReturnType<typeof runOf>, step: object) {
  const id = uuidv7();
  const dotted_order = `${parent.dotted_order}.${parent.dotted_order.split('Z', 1)[0]}Z${id}`;
  return { ...parent, id, dotted_order, parent_run_id: parent.id, ...step };
}

const content = async (name: string, given: Arguments = {}) => {
  const { isError, structuredContent } = await both().call(name, given);
  expect(JSON.stringify(structuredContent)).not.toContain(CANARY);
  return { isError, ...structuredContent } as Record<string, unknown> & { error?: { code: string } };
};

test('when deployments are listed, then it is said what runs, what is newest, and why it failed', async () => {
  await both()
    .control.client()
    .createDeployment({ body: createRequest('another') });
  expect(await content('list_deployments', { name_contains: 'support' })).toMatchObject({
    deployments: [
      {
        id: id(),
        name: 'support',
        tracing_project_id: project(),
        active_revision: { status: 'DEPLOYED' },
        latest_revision: { status: 'BUILD_FAILED' },
        last_failure: { phase: 'build', code: 'build_failed' },
      },
    ],
  });
  const first = await content('list_deployments', { limit: 1 });
  expect(first).toMatchObject({ deployments: [{ name: 'another' }], next_offset: 1 });
  const last = await content('list_deployments', { limit: 1, offset: 1 });
  expect(last).toMatchObject({ deployments: [{ name: 'support' }] });
  expect(last).not.toHaveProperty('next_offset');
});

test.each([
  ['the latest', {}, { status: 'BUILD_FAILED', is_active: false, is_latest: true }],
  ['by number', { revision: 3 }, { number: 3, status: 'DEPLOYED', is_active: true }],
  ['by number as text', { revision: '#3' }, { number: 3 }],
])('when a revision is asked for, then get_revision reads %s', async (_, given, expected) => {
  const { revision } = (await content('get_revision', { deployment: 'support', ...given })) as {
    revision: { id: string };
  };
  expect(revision).toMatchObject(expected);
  expect(await content('get_revision', { deployment: id(), revision: revision.id })).toMatchObject({
    revision,
  });
});

test('when get_revision is called, then it says why it failed, how long it took, what changed', async () => {
  expect(await content('get_revision', { deployment: 'support' })).toMatchObject({
    revision: {
      status_reason: { phase: 'build', code: 'build_failed', message: 'The build failed.' },
      phases: expect.arrayContaining([
        expect.objectContaining({ phase: 'queue', seconds: expect.any(Number) as number }),
      ]) as object,
      trigger: { kind: 'patch' },
      secret_names: ['OPENAI_API_KEY'],
      changes: { from_revision: 3, changed: { build_command: { to: 'exit 1' } } },
    },
  });
  expect(await content('get_revision', { deployment: 'support', revision: 3 })).toMatchObject({
    revision: { changes: { secrets: { added: ['OPENAI_API_KEY'], removed: [] } } },
  });
});

test('when compare_revisions is called, then it compares the active one with the one before', async () => {
  expect(await content('compare_revisions', { deployment: 'support' })).toMatchObject({
    changes: {
      changed: {
        source_tarball_path: { from: expect.any(String) as string, to: expect.any(String) as string },
        artifact: { from: expect.any(String) as string, to: expect.any(String) as string },
      },
      secrets: { added: ['OPENAI_API_KEY'], removed: [], set_anew: false },
    },
    before: {
      number: 2,
      traces: {
        found_by: 'revision_id',
        run_count: 4,
        error_rate: 0,
        errors: [],
        step_errors: [{ message: 'no route to the shop', count: 1 }],
      },
    },
    after: {
      number: 3,
      active_from: expect.any(String) as string,
      traces: {
        run_count: 6,
        error_rate: 0.5,
        errors: [{ message: expect.stringMatching(/^order \d is unknown$/) as string, count: 3 }],
      },
    },
    note: expect.stringContaining('Revision 4 is newer: BUILD_FAILED') as string,
  });
});

test('when no trace names the revision, then compare_revisions counts by time', async () => {
  const { control, traces } = both();
  const deployment = await deployed(control, 'older', control.listener());
  await traces.client().createSession({ body: { id: deployment.tracer_session_id ?? '', name: 'older' } });
  await record([{ ...runOf(''), session_id: deployment.tracer_session_id, extra: {} }]);
  expect(await content('compare_revisions', { deployment: 'older' })).toMatchObject({
    before: { number: 1, traces: { run_count: 0, found_by: 'revision_id' } },
    after: { number: 2, traces: { run_count: 1, found_by: 'time' } },
  });
});

test('when the key may not read something, then that is left out in words', async () => {
  [refused, refused_path] = [403, '/runs/'];
  try {
    const compared = await content('compare_revisions', { deployment: 'support' });
    expect(compared['note']).toContain('lacks traces:read');
    expect(compared['changes']).toBeDefined();
  } finally {
    refused = undefined;
  }
});

test('when get_deployment_logs pages in either order, then it reads every line once', async () => {
  for (const newest_first of [true, false]) {
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const page = await content('get_deployment_logs', {
        deployment: 'support',
        newest_first,
        max_chars: 5000,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(JSON.stringify(page).length).toBeLessThan(5100);
      seen.push(...(page['lines'] as string[]));
      cursor = page['has_more'] === true ? page['next_cursor'] : undefined;
    } while (cursor !== undefined);
    const numbers = seen.map((line) => Number(/line (\d+)/.exec(line)?.[1]));
    expect(newest_first ? numbers.toReversed() : numbers).toEqual(Array.from({ length: 500 }, (_, at) => at));
  }
});

test.each([
  [{ level: 'error' }, 5],
  [{ search: 'LINE 7 ' }, 1],
  [{ since: '2026-01-01T00:08:00', until: '2026-01-01T00:08:05Z' }, 5],
  [{ type: 'build', revision: 4 }, 1],
  [{ revision: 2 }, 0],
])('when get_deployment_logs gets %j, then it finds %i lines', async (given, count) => {
  const { lines } = await content('get_deployment_logs', { deployment: 'support', ...given });
  expect(lines).toHaveLength(count);
});

test.each([
  ['get_revision', { deployment: 'nobody' }, 'not_found'],
  ['get_revision', { deployment: uuidv7() }, 'not_found'],
  ['get_revision', { deployment: 'support', revision: 99 }, 'not_found'],
  ['get_revision', { deployment: 'support', revision: 'first' }, 'not_found'],
  ['get_deployment_logs', { deployment: 'support', cursor: 'made up' }, 'invalid_input'],
  ['compare_revisions', { deployment: 'support', revision: 1 }, 'not_found'],
  ['compare_revisions', {}, 'invalid_input'],
])('when %s gets %j, then it answers %s', async (name, given, code) => {
  expect(await content(name, given)).toMatchObject({ isError: true, error: { code } });
});

test.each(['list_deployments', 'get_revision', 'get_deployment_logs', 'compare_revisions'])(
  'when the endpoint has no control plane, then %s says so',
  async (name) => {
    [refused, refused_path] = [404, '/api-host/'];
    try {
      const given = name === 'list_deployments' ? {} : { deployment: 'support' };
      expect(await content(name, given)).toMatchObject({
        isError: true,
        error: { code: 'no_control_plane' },
      });
    } finally {
      refused = undefined;
    }
  },
);
