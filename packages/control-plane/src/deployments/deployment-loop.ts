import { again, Loop, type PassResult, settled } from '@roadstead/kit';
import { takeClaim } from '../claims/claim-store.ts';
import type { Context } from '../context/context.ts';
import { findFacts } from './deployment-facts-work.ts';
import { planAction } from './deployment-plan.ts';
import { takeAction } from './deployment-actions.ts';
import { listUnsettled } from '../records/deployment-store.ts';

const CLAIMED_ELSEWHERE_MS = 1000;

/**
 * Advances the record of every deployment: its dependencies on other services, and the desired state for its
 * listener.
 */
export function deploymentLoop(context: Context): Loop {
  return new Loop({
    name: 'deployments',
    reconcile: (id, signal) => pass(context, id, signal),
    list: () => listUnsettled(context.db),
    log: context.log,
  });
}

/** Plans first without the claim, since most passes find nothing to do. */
async function pass(context: Context, id: string, signal: AbortSignal): Promise<PassResult> {
  if ((await findPlan(context, id)).action.kind === 'wait') return settled;
  await using claim = await takeClaim(context.db, {
    name: `deployment:${id}`,
    owner: context.instance_id,
  });
  if (claim === undefined) return again(CLAIMED_ELSEWHERE_MS);
  const { facts, action } = await findPlan(context, id);
  return facts === undefined ? settled : await takeAction(context, action, { facts, claim, signal });
}

async function findPlan(context: Context, id: string) {
  const facts = await findFacts(context.db, id);
  const action = facts === undefined ? ({ kind: 'wait' } as const) : planAction(facts.state);
  return { facts, action };
}
