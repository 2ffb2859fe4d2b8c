import { expect, test } from 'vitest';
import type { Assignment } from '@roadstead/contracts/control-plane';
import type { FakeListener } from '../../packages/control-plane/src/testing/fake-listener.ts';

/** A control plane with one listener, as the suite of the protocol needs it. */
export interface OpenedControlPlane extends AsyncDisposable {
  /** A new life of the listener, over the transport of this control plane. */
  readonly listener: () => FakeListener;
  /** Wants a new revision of a deployment, made from a source of this content; answers their ids. */
  readonly desire: (name: string, content: string) => Promise<DesiredRevision>;
  /** Wants a deployment of the branch `main` of a repository, which is watched. */
  readonly desireGit: (name: string) => Promise<DesiredRevision>;
  readonly remove: (deployment_id: string) => Promise<void>;
  readonly activeOf: (deployment_id: string) => Promise<string | null>;
  /** Reads a signed address. */
  readonly fetch: (request: Request) => Promise<Response>;
}

export interface DesiredRevision {
  readonly deployment_id: string;
  readonly revision_id: string;
}

const NOBODY = '77777777-7777-4777-8777-777777777777';

/** What every control plane does for its listeners. Each test opens one of its own. */
export function controlPlaneSuite(open: () => Promise<OpenedControlPlane>): void {
  test('when a poll has no fence, then it takes the lease over, and the earlier fence is refused', async () => {
    await using control = await open();
    const old = control.listener();
    const { deployment_id, revision_id } = await control.desire('taken', 'one');
    const news = await old.next(deployment_id, wants(revision_id));
    const young = control.listener();
    const again = (await young.poll()).find((one) => one.deployment_id === deployment_id);
    expect(young.fence).toBeGreaterThan(old.fence);
    expect(again).toMatchObject({ generation: news.generation, revision: { id: revision_id } });
    const conflict = { status: 409 };
    await expect(old.poll()).rejects.toMatchObject(conflict);
    await expect(old.observe(news)).rejects.toMatchObject(conflict);
    await expect(old.environment(deployment_id, revision_id)).rejects.toMatchObject(conflict);
    await expect(old.log(news, 'late')).rejects.toMatchObject(conflict);
    await expect(young.environment(deployment_id, revision_id)).resolves.toBeDefined();
    expect(await control.activeOf(deployment_id)).toBeNull();
  });

  test('when a poll comes, then what is new answers it, or it waits; nothing is sent twice', async () => {
    await using control = await open();
    const listener = control.listener();
    await listener.poll();
    const poll = listener.poll(20);
    const { deployment_id } = await control.desire('waited', 'one');
    expect((await poll).map((one) => one.deployment_id)).toEqual([deployment_id]);
    expect(await listener.poll()).toEqual([]);
  });

  test('when a poll has an unknown generation, then it begins again', async () => {
    await using control = await open();
    const listener = control.listener();
    await listener.poll();
    const poll = (query: object) =>
      listener.client.readAssignments({ params: { listener_id: listener.listener_id }, query });
    await expect(poll({ since: 9999, fence: listener.fence })).rejects.toMatchObject({ status: 409 });
    await expect(poll({ since: 1 })).rejects.toMatchObject({ status: 409 });
    const { lease_expires_at, fence } = await poll({ since: 0, fence: listener.fence });
    expect(fence).toBe(listener.fence);
    expect(Date.parse(lease_expires_at)).toBeGreaterThan(Date.now());
  });

  test('when an artifact was sent and reported, then it travels in place of the source’s archive', async () => {
    await using control = await open();
    const listener = control.listener();
    const { deployment_id, revision_id } = await control.desire('built', 'one');
    const news = await listener.next(deployment_id, wants(revision_id));
    expect(news.revision).toMatchObject({ source: { kind: 'archive' }, artifact: null });
    expect(news).toMatchObject({ active: null, removed: false, purge: false });
    const artifact = await listener.build(news);
    const young = control.listener();
    const again = (await young.poll()).find((one) => one.deployment_id === deployment_id);
    expect(again?.revision).toMatchObject({ id: revision_id, source: null, artifact });
    const assigned = again?.revision?.artifact;
    const bytes = assigned?.kind === 'folder' ? await control.fetch(new Request(assigned.url)) : undefined;
    expect(await bytes?.text()).toMatch(/^built:/);
  });

  test('when an artifact was never sent, then it is refused and changes nothing', async () => {
    await using control = await open();
    const listener = control.listener();
    const { deployment_id, revision_id } = await control.desire('made-up', 'one');
    const news = await listener.next(deployment_id, wants(revision_id));
    const artifact = { kind: 'folder' as const, digest: `sha256:${'0'.repeat(64)}` };
    await expect(listener.observe(news, { artifact })).rejects.toMatchObject({ status: 400 });
    expect(await control.activeOf(deployment_id)).toBeNull();
  });

  test('when the end of the desired revision is reported, then it is active, also after a restart', async () => {
    await using control = await open();
    const listener = control.listener();
    const { deployment_id, revision_id } = await control.desire('reached', 'one');
    const news = await listener.next(deployment_id, wants(revision_id));
    const artifact = await listener.build(news);
    await listener.observe(news, { phase: 'health', outcome: 'running', artifact });
    await listener.observe(news, { revision_id: NOBODY, artifact: null });
    expect(await control.activeOf(deployment_id)).toBeNull();
    expect(await listener.observe(news, { artifact })).toBe(news.generation);
    expect(await control.activeOf(deployment_id)).toBe(revision_id);
    const young = control.listener();
    const back = (await young.poll()).find((one) => one.deployment_id === deployment_id);
    expect(back).toMatchObject({ revision: null, active: { id: revision_id, artifact } });
  });

  test('when a revision fails, then it ends, and what served stays active', async () => {
    await using control = await open();
    const listener = control.listener();
    const first = await control.desire('failing', 'one');
    await listener.reach(await listener.next(first.deployment_id, wants(first.revision_id)));
    const second = await control.desire('failing', 'two');
    const news = await listener.next(second.deployment_id, wants(second.revision_id));
    expect(news.active).toMatchObject({ id: first.revision_id });
    const reason = { phase: 'build' as const, code: 'no', message: 'It \0 failed \uD800.' };
    await listener.observe(news, { phase: 'build', outcome: 'failed', reason });
    expect(await control.activeOf(first.deployment_id)).toBe(first.revision_id);
    // An end is an end.
    await listener.observe(news, { phase: 'switch', outcome: 'done' });
    expect(await control.activeOf(first.deployment_id)).toBe(first.revision_id);
  });

  test('when an observation is of another generation, then it changes nothing or is refused', async () => {
    await using control = await open();
    const listener = control.listener();
    const first = await control.desire('late', 'one');
    const early = await listener.next(first.deployment_id, wants(first.revision_id));
    await listener.reach(early);
    const second = await control.desire('late', 'two');
    const news = await listener.next(second.deployment_id, wants(second.revision_id));
    expect(await listener.observe(early, { phase: 'health', outcome: 'failed' })).toBe(news.generation);
    expect(await control.activeOf(first.deployment_id)).toBe(first.revision_id);
    await expect(listener.observe({ ...news, generation: 9999 })).rejects.toMatchObject({ status: 400 });
    await expect(listener.observe({ ...news, deployment_id: NOBODY })).rejects.toMatchObject({ status: 404 });
    await expect(listener.log({ ...news, deployment_id: NOBODY }, 'x')).rejects.toMatchObject({
      status: 404,
    });
    await expect(listener.environment(first.deployment_id, NOBODY)).rejects.toMatchObject({ status: 404 });
  });

  test('when a commit is reported for a git source, then it stays and travels from then on', async () => {
    await using control = await open();
    const listener = control.listener();
    await listener.poll(0, ['archive', 'git']);
    const { deployment_id, revision_id } = await control.desireGit('followed');
    const news = await listener.next(deployment_id, wants(revision_id));
    expect(news).toMatchObject({
      revision: { source: { kind: 'git', ref: 'main', commit_sha: null, has_credentials: false } },
      watch: { ref: 'main', has_credentials: false },
    });
    const [first, second] = ['1'.repeat(40), '2'.repeat(40)];
    const seen = { phase: 'source', outcome: 'running' } as const;
    for (const commit_sha of [first, second, first]) await listener.observe(news, { ...seen, commit_sha });
    const again = (await control.listener().poll()).find((one) => one.deployment_id === deployment_id);
    expect(again?.revision?.source).toMatchObject({ kind: 'git', ref: 'main', commit_sha: first });
  });

  test('when a listener lost its lease, then credentials and heads are refused to it', async () => {
    await using control = await open();
    const old = control.listener();
    await old.poll(0, ['archive', 'git']);
    const { deployment_id, revision_id } = await control.desireGit('watched');
    const news = await old.next(deployment_id, wants(revision_id));
    const commit_sha = '1'.repeat(40);
    await old.observe(news, { phase: 'source', outcome: 'running', commit_sha });
    const params = { listener_id: old.listener_id, deployment_id };
    const credentials = (fence: number) =>
      old.client.readSourceCredentials({ params, query: { revision_id, fence } });
    const head = (fence: number) =>
      old.client.reportHead({ params, body: { fence, ref: 'main', commit_sha, problem: null } });
    expect(await credentials(old.fence)).toEqual({ credentials: null });
    await head(old.fence);
    await head(old.fence);
    await control.listener().poll();
    await expect(credentials(old.fence)).rejects.toMatchObject({ status: 409 });
    await expect(head(old.fence)).rejects.toMatchObject({ status: 409 });
  });

  test('when a removal is desired, then it is sent until it is reported, and not after a restart', async () => {
    await using control = await open();
    const listener = control.listener();
    const { deployment_id, revision_id } = await control.desire('removed', 'one');
    await listener.reach(await listener.next(deployment_id, wants(revision_id)));
    await control.remove(deployment_id);
    const news = await listener.next(deployment_id, (one) => one.removed);
    expect(news).toMatchObject({ revision: null, active: null, removed: true });
    const young = control.listener();
    expect((await young.poll()).map((one) => one.removed)).toEqual([true]);
    await young.observe(news, { revision_id: null });
    expect(await control.listener().poll()).toEqual([]);
  });
}

const wants =
  (revision_id: string) =>
  ({ revision }: Assignment) =>
    revision?.id === revision_id;
