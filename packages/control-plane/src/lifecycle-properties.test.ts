import { useFixture } from '@roadstead/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError, type Client, isTerminal, mayFollow } from '@roadstead/contracts';
import {
  type ControlPlaneContract,
  type Deployment,
  type Event,
  type Revision,
  revisionFlow,
  type RevisionStatus,
} from '@roadstead/contracts/control-plane';
import type { FakeListener } from './testing/fake-listener.ts';
import { createRequest, startFixture, until, upload, WORKSPACE } from './testing/fixture.ts';

/**
 * Callers, listeners and kills act in any order, with two control planes on one database: everything comes to an end,
 * and the record of it is consistent.
 */

const fixture = useFixture(startFixture);
const client = () => fixture().client();
const clients = useFixture(async (): Promise<readonly Client<ControlPlaneContract>[]> => {
  const another = await fixture().startAnother();
  const toAnother = async (request: Request) =>
    another.served.fetch(request, await fixture().identity.edge.inward(request.headers, 'control-plane'));
  return [fixture().client(), fixture().clientWith(`rs_admin_${WORKSPACE}`, toAnother)];
});

interface World {
  readonly id: string;
  readonly listener: FakeListener;
  /** The client of one of the two control planes. */
  readonly client: Client<ControlPlaneContract>;
  /** A number to choose with. */
  readonly pick: number;
}

/** Possible steps. A step that a rule refuses has not happened. */
const happenings = {
  push: async ({ id, client, pick }) => {
    const source_tarball_path = await upload(fixture(), id, `content ${pick}`);
    const build_command = pick % 3 === 0 ? 'exit 1' : 'true';
    const body = { source_revision_config: { source_tarball_path }, source_config: { build_command } };
    await client.patchDeployment({ params: { deployment_id: id }, body });
  },
  secret: async ({ id, client, pick }) => {
    const body = { secrets: [{ name: 'CHANGED', value: String(pick) }] };
    await client.patchDeployment({ params: { deployment_id: id }, body });
  },
  rollback: async ({ id, client, pick }) => {
    const revisions = await allRevisions(id);
    const revision_id = revisions[pick % revisions.length]?.id ?? '';
    await client.redeployRevision({ params: { deployment_id: id, revision_id } });
  },
  interrupt: async ({ id, client }) => {
    const [latest] = await allRevisions(id);
    await client.interruptRevision({ params: { deployment_id: id, revision_id: latest?.id ?? '' } });
  },
  remove: ({ id, client }) => client.deleteDeployment({ params: { deployment_id: id } }),
  restore: ({ id, client }) => client.restoreDeployment({ params: { deployment_id: id } }),
  listen: async ({ id, listener }) => {
    await listener.poll();
    const news = listener.desired.get(id);
    if (news !== undefined) await listener.reach(news);
  },
  listenHalfway: async ({ id, listener, pick }) => {
    await listener.poll();
    const news = listener.desired.get(id);
    const phase = (['source', 'build', 'start', 'health'] as const)[pick % 4] ?? 'source';
    if (news?.revision != null) await listener.observe(news, { phase, outcome: 'running' });
    listener.beginAnew();
  },
  restart: () => fixture().restart(),
} satisfies Record<string, (world: World) => Promise<unknown>>;

const steps = fc.array(
  fc.record({
    what: fc.constantFrom(...(Object.keys(happenings) as (keyof typeof happenings)[])),
    where: fc.nat(1),
    pick: fc.nat(11),
  }),
  { minLength: 3, maxLength: 14 },
);

let count = 0;

test(
  'when any steps happen in any order, then a deployment settles, and its record agrees',
  { timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        count += 1;
        const listener = fixture().listener();
        const { id } = await client().createDeployment({ body: createRequest(`one-${count}`) });
        for (const { what, where, pick } of sequence) {
          const client = clients()[where] ?? fixture().client();
          await happenings[what]({ id, listener, client, pick }).catch(unlessRefused);
        }
        // The control planes may still be working on the last step.
        await client()
          .restoreDeployment({ params: { deployment_id: id } })
          .catch(unlessRefused);
        await quiet(id, listener);
        expect(faultsIn(await recordOf(id))).toEqual([]);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  },
);

/** A caller's mistake, and no fault of ours. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ApiError) || ![400, 404, 409].includes(error.status)) throw error;
}

/** A listener that does everything it is asked to, until nothing is under way any more. */
async function quiet(id: string, listener: FakeListener): Promise<void> {
  listener.beginAnew();
  const stop = new AbortController();
  const following = listener.follow(stop.signal);
  try {
    await until(async () => {
      // In the bin it rests; what is being removed goes there first.
      await client()
        .restoreDeployment({ params: { deployment_id: id } })
        .catch(unlessRefused);
      const read = await readUnlessGone(id);
      if (read === undefined) return false;
      const { deployment, revisions } = read;
      const open = revisions.filter(({ status }) => !isTerminal(revisionFlow, status));
      // The latest may wait for its source forever.
      const [latest] = open;
      const waits =
        latest?.id === deployment.latest_revision_id && latest.status_reason?.code === 'awaiting_source';
      return open.length === (waits ? 1 : 0) && deployment.status !== 'AWAITING_DELETE';
    }, `the end of ${id}`);
  } finally {
    stop.abort();
    await following;
  }
}

/**
 * Undefined when it is gone, perhaps between the two calls: a deployment that is being removed reaches the bin at any
 * moment.
 */
async function readUnlessGone(
  id: string,
): Promise<{ deployment: Deployment; revisions: readonly Revision[] } | undefined> {
  try {
    const deployment = await client().readDeployment({ params: { deployment_id: id } });
    return { deployment, revisions: await allRevisions(id) };
  } catch (error) {
    unlessRefused(error);
    return undefined;
  }
}

interface DeploymentRecord {
  readonly revisions: readonly Revision[];
  readonly active_revision_id: string | null;
  /** Oldest first. */
  readonly events: readonly Event[];
}

async function recordOf(id: string): Promise<DeploymentRecord> {
  const client = fixture().client();
  const { active_revision_id } = await client.readDeployment({ params: { deployment_id: id } });
  const events: Event[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { deployment_id: id, page_size: 100, ...(cursor === undefined ? {} : { cursor }) };
    const page = await client.listEvents({ query });
    events.push(...page.items);
    cursor = page.next_cursor;
  }
  return { revisions: await allRevisions(id), active_revision_id, events: events.toReversed() };
}

async function allRevisions(deployment_id: string): Promise<Revision[]> {
  const query = { limit: 100 };
  return (await client().listRevisions({ params: { deployment_id }, query })).resources;
}

/** The contradictions found, in words. */
function faultsIn({ revisions, active_revision_id, events }: DeploymentRecord): string[] {
  const faults: string[] = [];
  const hold = (holds: boolean, what: string) => void (holds || faults.push(what));
  revisions
    .toReversed()
    .forEach(({ number }, at) => hold(number === at + 1, `the ${at + 1}. revision has the number ${number}`));
  const moves = events.filter(({ kind }) => kind === 'revision.status');
  for (const { id, number, status, status_reason, superseded_by, phases } of revisions) {
    let at: RevisionStatus = 'CREATING';
    for (const { from, to } of moves.filter(({ revision_id }) => revision_id === id)) {
      hold(
        from === at && mayFollow(revisionFlow, at, to as RevisionStatus),
        `${number} went from ${at} to ${to}`,
      );
      at = to as RevisionStatus;
    }
    hold(status === at, `${number} is ${status}, and its events end with ${at}`);
    const by = revisions.find((one) => one.id === superseded_by)?.number ?? 0;
    hold(status_reason?.code !== 'superseded' || by > number, `${number} was superseded by ${by}`);
    for (const { phase, started_at, ended_at } of phases)
      hold((ended_at ?? started_at) >= started_at, `${phase} of ${number} ended before it began`);
  }
  // Only a revision that was reported to serve is active: the last such one.
  const deployed = moves.findLast(({ to }) => to === 'DEPLOYED')?.revision_id ?? null;
  hold(active_revision_id === deployed, `${active_revision_id} is active, and ${deployed} was deployed last`);
  return faults;
}
