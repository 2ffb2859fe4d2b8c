import { again, Loop, type Outcome, settled } from '@roadstead/kit';
import { releaseClaim, takeClaim } from '../claims/claim-store.ts';
import type { Context } from '../context.ts';
import { findFacts } from './deployment-facts-work.ts';
import { planStep } from './deployment-plan.ts';
import { takeStep } from './deployment-steps.ts';
import { listRestless } from './deployment-store.ts';

const CLAIMED_ELSEWHERE_MS = 1000;

/** Brings every deployment's record forward: what it needs of other services, and what its listener is to reach. */
export function deploymentLoop(context: Context): Loop {
  return new Loop({
    name: 'deployments',
    reconcile: (id, signal) => pass(context, id, signal),
    list: () => listRestless(context.db),
    log: context.log,
  });
}

/** Plans once without the claim, since most passes find nothing to do. */
async function pass(context: Context, id: string, signal: AbortSignal): Promise<Outcome> {
  if ((await findPlan(context, id)).step.kind === 'wait') return settled;
  const claim = await takeClaim(context.db, { name: `deployment:${id}`, owner: context.instance_id });
  if (claim === undefined) return again(CLAIMED_ELSEWHERE_MS);
  try {
    const { facts, step } = await findPlan(context, id);
    return facts === undefined ? settled : await takeStep(context, step, { facts, claim, signal });
  } finally {
    await releaseClaim(context.db, claim);
  }
}

async function findPlan(context: Context, id: string) {
  const facts = await findFacts(context.db, id);
  const step = facts === undefined ? ({ kind: 'wait' } as const) : planStep(facts.state);
  return { facts, step };
}
