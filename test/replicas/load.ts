import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunningPlatform } from '../support/platform.ts';
import { authorizeApplication } from './authorized-application.ts';
import { Ledger } from './ledger.ts';
import { MeasuredCaller } from './measured-caller.ts';
import { type AcknowledgedWork, agents, PATCHED, uses, type World } from './users.ts';

/** A light load of everything that users do, for as long as it is open. */
export interface Load extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly acknowledged: AcknowledgedWork;
  readonly world: World;
  /** Ends once each user has done what it began. @throws what a user could not do */
  readonly end: () => Promise<void>;
}

const pathOf = (agent: string) => fileURLToPath(new URL(`../agents/${agent}`, import.meta.url));
/** A user rests between two calls. */
const REST_MS = 150;

export async function startLoad(platform: RunningPlatform): Promise<Load> {
  const ledger = new Ledger();
  const { client_id, tokens } = await authorizeApplication(platform);
  for (const [name, agent] of Object.entries(agents)) {
    const { code, stderr } = await platform.run('deploy', pathOf(agent), '--name', name);
    if (code !== 0) throw new Error(stderr);
  }
  const list = async (path: string) => {
    const answer = await platform.fetch(platform.url + path);
    return ((await answer.json()) as { resources: { id: string }[] }).resources;
  };
  const deployment_id = (await list(`/v2/deployments?name=${PATCHED}`))[0]?.id ?? '';
  const first_revisions = (await list(`/v2/deployments/${deployment_id}/revisions`)).length;
  const world: World = {
    caller: new MeasuredCaller(platform, ledger),
    ledger,
    acknowledged: {
      threads: [],
      runs: [],
      revisions: [],
      refresh_token: tokens.refresh_token,
      access_tokens: [],
    },
    client_id,
    deployment_id,
    first_revisions,
  };
  const going = { value: true };
  const users = Promise.all(
    uses.flatMap(([use, count]) =>
      Array.from({ length: count }, async () => {
        while (going.value) {
          await use(world);
          await setTimeout(REST_MS);
        }
      }),
    ),
  );
  // Whoever waits for the end is told.
  users.catch(() => undefined);
  const end = async () => {
    going.value = false;
    await users;
  };
  return {
    ledger,
    acknowledged: world.acknowledged,
    world,
    end,
    [Symbol.asyncDispose]: () => end().catch(() => undefined),
  };
}
