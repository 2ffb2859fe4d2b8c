import { useFixture } from '@roadstead/testing';
import { Client } from 'langsmith';
import { uuidv7 } from '@roadstead/kit';
import { beforeAll, expect, it } from 'vitest';
import { multipartInit, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

/** What anyone can read through a link, in both generations of the API, and what they cannot. */

const [root, child, other] = [uuidv7(), uuidv7(), uuidv7()];
const start_time = new Date().toISOString();

const fixture = useFixture(startFixture);
const http = useFixture(() => fixture().listen());
const client = useFixture(() => new Client({ apiUrl: `${http().url}/api`, apiKey: `key-${WORKSPACE}` }));
beforeAll(async () => {
  const more = { run_type: 'chain', start_time, session_name: 'shared' };
  const parts = [
    [
      `post.${root}`,
      JSON.stringify({
        ...more,
        id: root,
        trace_id: root,
        dotted_order: `x${root}`,
        name: 'root',
        extra: { metadata: { thread_id: 'a "thread"' } },
      }),
    ],
    [
      `post.${child}`,
      JSON.stringify({
        ...more,
        id: child,
        trace_id: root,
        parent_run_id: root,
        dotted_order: `x${root}.y${child}`,
        name: 'child',
      }),
    ],
    [`attachment.${child}.picture`, 'pixels', 'Content-Type: image/png'],
    [
      `post.${other}`,
      JSON.stringify({ ...more, id: other, trace_id: other, dotted_order: `x${other}`, name: 'other' }),
    ],
  ] as const;
  await fixture().send('/runs/multipart', multipartInit(parts));
});
const project_id = useFixture(
  async () =>
    (
      await fixture()
        .client()
        .listSessions({ query: { name: 'shared' } })
    )[0]?.id ?? '',
);

/** A request without a key. */
const ask = async (path: string, body?: object) => {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fixture().service.served.fetch(new Request(`http://test${path}`, init), {});
  const text = await answer.text();
  return { status: answer.status, text, json: () => JSON.parse(text) as Record<string, unknown> };
};
const shareRun = async (run_id: string) =>
  (await fixture().client().shareRun({ params: { run_id } })).share_token;

it('when files are shown by a link, then their addresses hold as long as the link', async () => {
  const addressOf = (text: string) => {
    const urls = (JSON.parse(text) as { s3_urls: Record<string, { presigned_url: string }> }).s3_urls;
    return new URL(urls['attachment.picture']?.presigned_url ?? '').pathname;
  };
  const token = await shareRun(root);
  const shown = addressOf((await ask(`/public/${token}/run/${child}`)).text);
  const own = addressOf(await (await fixture().send(`/runs/${child}`)).text());
  expect([(await ask(shown)).text, (await ask(own)).text]).toEqual(['pixels', 'pixels']);
  await fixture()
    .client()
    .unshareRun({ params: { run_id: root } });
  expect([(await ask(shown)).status, (await ask(own)).status]).toEqual([403, 200]);
  await shareRun(root);
  expect((await ask(shown)).status).toBe(403);
  await fixture()
    .client()
    .unshareRun({ params: { run_id: root } });
});

it('when any run of a trace is shared, then the trace is, under one token, until unshared', async () => {
  const token = await shareRun(child);
  expect(await shareRun(root)).toBe(token);
  expect(
    await fixture()
      .client()
      .readRunShare({ params: { run_id: root } }),
  ).toEqual({
    run_id: root,
    share_token: token,
  });
  const run = (await (await fixture().send(`/runs/${child}`)).json()) as { share_token: string };
  expect(run.share_token).toBe(token);
  const told = await client().runs.retrieve(root, { project_id: project_id(), selects: ['SHARE_URL'] });
  expect(told.share_url).toBe(`http://test/public/${token}/r`);
  expect((await ask(`/public/${token}/r`)).json()).toMatchObject({ id: root, name: 'root' });
  await fixture()
    .client()
    .unshareRun({ params: { run_id: child } });
  expect(
    await fixture()
      .client()
      .readRunShare({ params: { run_id: root } }),
  ).toBeNull();
  for (const path of ['r', 'run', `run/${child}`, 'runs', 'feedbacks'])
    expect([path, (await ask(`/public/${token}/${path}`)).status]).toEqual([path, 404]);
});

it('when a trace is shared, then anybody sees its runs and files, and not where they belong', async () => {
  const token = await shareRun(root);
  const shown = (await ask(`/public/${token}/run/${child}`)).json();
  expect(shown).toMatchObject({ id: child, name: 'child', parent_run_id: root });
  for (const name of ['session_id', 'app_path', 'share_token', 'ttl_seconds'])
    expect(shown).not.toHaveProperty(name);
  const urls = shown['s3_urls'] as Record<string, { presigned_url: string }>;
  const file = await ask(new URL(urls['attachment.picture']?.presigned_url ?? '').pathname);
  expect([file.status, file.text]).toEqual([200, 'pixels']);
  expect((await ask(`/public/${token}/run/${other}`)).status).toBe(404);
  expect((await ask(`/public/${uuidv7()}/run`)).status).toBe(404);
  const query = async (body: object) =>
    ((await ask(`/public/${token}/runs/query`, body)).json()['runs'] as { id: string }[]).map(({ id }) => id);
  expect((await query({})).toSorted()).toEqual([root, child].toSorted());
  expect(await query({ id: [child, other] })).toEqual([child]);
  expect(await query({ trace: other, session: [project_id()], is_root: true })).toEqual([root]);
});

it('when a trace is shared, then what was said of its runs is shown, and not by whom', async () => {
  const feedback = { id: uuidv7(), run_id: child, trace_id: root, key: 'good', score: 1, comment: 'Right.' };
  const elsewhere = { ...feedback, id: uuidv7(), run_id: other, trace_id: other };
  for (const one of [feedback, elsewhere])
    await fixture().send('/runs/multipart', multipartInit([[`feedback.${one.id}`, JSON.stringify(one)]]));
  const token = await shareRun(root);
  const listed = JSON.parse((await ask(`/public/${token}/feedbacks?key=good`)).text) as object[];
  expect(listed).toMatchObject([{ id: feedback.id, score: 1, comment: 'Right.', session_id: null }]);
  expect(JSON.parse((await ask(`/public/${token}/feedbacks?run=${other}`)).text)).toEqual([]);
});

it('when a thread is shared, then the runs of all its turns are shown', async () => {
  const params = { thread_id: 'a "thread"' };
  const share = await fixture()
    .client()
    .shareThread({ params, body: { project_id: project_id() } });
  const query = { project_id: project_id() };
  expect(await fixture().client().readThreadShare({ params, query })).toEqual(share);
  const shown = (await ask(`/public/${share.share_token}/runs/query`, {})).json()['runs'] as { id: string }[];
  expect(shown.map(({ id }) => id).toSorted()).toEqual([root, child].toSorted());
  expect((await ask(`/v2/public/${share.share_token}/run/${child}?selects=NAME`)).json()).toEqual({
    name: 'child',
  });
  expect((await ask(`/public/${share.share_token}/run/${other}`)).status).toBe(404);
  await fixture().client().unshareThread({ params, query });
  expect(await fixture().client().readThreadShare({ params, query })).toEqual({});
  expect((await ask(`/public/${share.share_token}/runs`)).status).toBe(404);
});

it('when the official client forgets a question mark, then it is answered all the same', async () => {
  const token = await shareRun(root);
  const runs = await client().listSharedRuns(token, { runIds: [child] });
  expect(runs.map((run) => run.name)).toEqual(['child']);
  const page = await client().public.runs.query(token, { selects: ['ID', 'NAME', 'START_TIME'] });
  expect(page.items?.map((run) => run.name).toSorted()).toEqual(['child', 'root']);
  const one = await client().public.runs.retrieve(child, {
    share_token: token,
    selects: ['NAME'],
    start_time,
  });
  expect(one).toEqual({ name: 'child' });
  expect(await client().runs.share.create(child, { session_id: project_id(), trace_id: root })).toEqual({
    share_token: token,
  });
  await client().runs.share.delete(root, { session_id: project_id() });
  await client().runs.share.delete(root, { session_id: project_id() });
  expect((await ask(`/public/${token}/run`)).status).toBe(404);
});

it('when runs or threads are another workspace’s, then no link of them is made', async () => {
  const workspace_id = uuidv7();
  const paths = [
    ['PUT', `/runs/${root}/share`],
    ['GET', `/runs/${root}/share`],
    ['DELETE', `/runs/${root}/share`],
    ['POST', `/v2/runs/${root}/share`],
    ['POST', '/v2/threads/t/share'],
  ] as const;
  for (const [method, path] of paths) {
    const body = method === 'POST' ? { body: JSON.stringify({ project_id: project_id() }) } : {};
    const answer = await fixture().send(path, { method, workspace_id, ...body });
    expect([path, method, answer.status]).toEqual([path, method, 404]);
  }
});

it('when the operator has not allowed it, then sharing is refused in words', async () => {
  await using closed = await startFixture({ public_sharing: false });
  const id = uuidv7();
  const run = { id, trace_id: id, dotted_order: `x${id}`, name: 'kept', run_type: 'chain', start_time };
  await closed.send('/runs', { method: 'POST', body: JSON.stringify(run) });
  const refused = await closed.send(`/runs/${id}/share`, { method: 'PUT' });
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining('ROADSTEAD_PUBLIC_SHARING'),
  ]);
  expect(await (await closed.send(`/runs/${id}/share`)).json()).toBeNull();
  const read = await closed.service.served.fetch(new Request(`http://test/public/${uuidv7()}/run`), {});
  expect(read.status).toBe(403);
});
