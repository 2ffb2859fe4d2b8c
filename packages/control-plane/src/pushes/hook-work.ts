import type { PushReceipt } from '@roadstead/contracts/control-plane';
import { readGitAddress } from '@roadstead/contracts/git';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { lockDeployment } from '../records/deployment-store.ts';
import { insertEvent } from '../events/event-store.ts';
import type { IntegrationRow } from '../integrations/integration-store.ts';
import { branchOf, repositoryOf } from '../git-hosts/remote-rules.ts';
import { refGone } from './head-work.ts';
import { listPushed, markPushed, type PushedDeployment, recordDelivery, wasDelivered } from './hook-store.ts';
import type { PushPayload } from './payload-rules.ts';
import { applyPush, notePushProblem } from './push-work.ts';

type Entry = PushReceipt['deployments'][number];

interface Delivery {
  readonly integration: IntegrationRow;
  readonly payload: PushPayload;
  readonly digest: Buffer;
}

/**
 * Applies a push: each deployment of the workspace that watches this branch gets a revision of the commit, each in a
 * transaction of its own. The delivery is recorded last, so that an interrupted one is applied again, and finds what
 * it has done.
 */
export async function applyDelivery(context: Context, delivery: Delivery): Promise<PushReceipt> {
  const { integration, payload, digest } = delivery;
  const { db } = context;
  const received = { integration_id: integration.id, digest };
  if (await wasDelivered(db, received)) return { repeated: true, deployments: [] };
  const entries: Entry[] = [];
  const { workspace_id } = integration;
  const pushed = await listPushed(db, { workspace_id, repositories: repositoriesOf(payload) });
  for (const one of pushed) {
    const entry = await db.transaction((tx) => applyToDeployment(tx, context, { ...delivery, one }));
    if (entry?.outcome === 'started') context.wake(one.id);
    if (entry !== undefined) entries.push(entry);
  }
  await db.transaction(async (tx) => {
    // A copy that came at the same time is recorded only once.
    if (!(await recordDelivery(tx, received))) return;
    await insertEvent(tx, {
      workspace_id,
      kind: 'integration.pushed',
      actor: actorOf(integration),
      detail: {
        integration_id: integration.id,
        ref: payload.ref,
        commit_sha: payload.after,
        deployments: entries.map(({ id, outcome }) => ({ id, outcome })),
      },
    });
  });
  return { repeated: false, deployments: entries };
}

function repositoriesOf({ repo_urls }: PushPayload): string[] {
  const read = repo_urls.map((url) => readGitAddress(httpsOf(url)));
  return [...new Set(read.flatMap((one) => (one.kind === 'read' ? repositoryOf(one.address) : [])))];
}

/** A host behind a proxy may give its own address with http. */
const httpsOf = (url: string) => url.replace(/^http:\/\//i, 'https://');

const actorOf = ({ id }: Pick<IntegrationRow, 'id'>) => `integration:${id}`;

/** Undefined when the deployment is gone, or has another ref. */
async function applyToDeployment(
  transaction: Transaction,
  context: Context,
  { integration, payload, one }: Delivery & { readonly one: PushedDeployment },
): Promise<Entry | undefined> {
  const held = await lockDeployment(transaction, one.id);
  if (held === undefined || !['AWAITING_DATABASE', 'READY'].includes(held.deployment.status))
    return undefined;
  await markPushed(held.tx, one.id);
  const matchesRef =
    one.repo_ref === payload.ref || branchOf(one.repo_ref, payload.default_branch) === payload.ref;
  if (!matchesRef) return undefined;
  const { id, name } = one;
  const actor = actorOf(integration);
  if (payload.after === null) {
    await notePushProblem(held.tx, held.deployment, { ...refGone(one.repo_ref), actor });
    return { id, name, outcome: 'gone', revision_id: null };
  }
  const heard = { commit_sha: payload.after, by: 'webhook', before: payload.before, actor } as const;
  const { verdict, revision } = await applyPush(held, context, heard);
  const outcome = verdict === 'build' ? 'started' : verdict === 'undecided' ? 'awaited' : verdict;
  return { id, name, outcome, revision_id: revision?.id ?? null };
}
