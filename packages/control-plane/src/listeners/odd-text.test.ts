import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { deploy, deployed, LISTENER_ID, revisionsOf, startFixture } from '../testing/fixture.ts';

/**
 * The output of a build or a graph may hold characters that PostgreSQL cannot store: they are replaced, and the
 * revision comes to its end.
 */

const fixture = useFixturePerTest(startFixture);

const odd = 'a\0b\uD800c\uDC00d';
const mended = 'a\uFFFDb\uFFFDc\uFFFDd';

test('when a failure’s text holds NUL and lone surrogates, then the revision still ends', async () => {
  const listener = fixture().listener();
  const { id } = await deploy(fixture(), 'odd');
  const news = await listener.next(id);
  const reason = { phase: 'build' as const, code: odd, message: odd, hint: odd, log_tail: ['fine', odd] };
  await listener.observe(news, { phase: 'build', outcome: 'failed', reason });
  expect((await revisionsOf(fixture(), id))[0]).toMatchObject({
    status: 'BUILD_FAILED',
    status_reason: { code: mended, message: mended, hint: mended, log_tail: ['fine', mended] },
  });
});

test('when a graph’s description holds NUL or lone surrogates, then the deployment is reached', async () => {
  const listener = fixture().listener();
  const { id } = await deploy(fixture(), 'odd');
  const news = await listener.next(id);
  const artifact = await listener.build(news);
  const graph = { graph_id: odd, description: odd, channels: [odd], has_messages: true };
  const manifest = { graphs: [graph], langgraph_version: odd };
  await listener.observe(news, { artifact, manifest, url: `http://x/${odd}` });
  expect((await revisionsOf(fixture(), id))[0]).toMatchObject({ status: 'DEPLOYED' });
  const row = await fixture().db.one<{ manifest: unknown }>(
    'select manifest from revisions where manifest is not null',
  );
  expect(row.manifest).toEqual({
    graphs: [{ ...graph, graph_id: mended, description: mended, channels: [mended] }],

    langgraph_version: mended,
  });
});

test('when a line of a log holds NUL and lone surrogates, then it is read with them replaced', async () => {
  const listener = fixture().listener();
  const { id, latest_revision_id } = await deployed(fixture(), 'odd', listener);
  const revision_id = latest_revision_id ?? '';
  await listener.client.appendLogs({
    params: { listener_id: LISTENER_ID, deployment_id: id },
    body: {
      fence: listener.fence,
      revision_id,
      kind: 'build',
      writer: 'w',
      seq: 0,
      lines: [{ at: '2026-01-01T00:00:00Z', level: 'INFO', message: odd }],
    },
  });
  const { logs } = await fixture()
    .client()
    .readRevisionLogs({ params: { deployment_id: id, revision_id }, query: { type: 'build' } });
  expect(logs.map((line) => line.message)).toEqual([mended]);
});
