import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunningPlatform } from '../support/platform.ts';
import { authorizeApplication } from './authorized-application.ts';
import { Ledger } from './ledger.ts';
import { MeasuredCaller } from './measured-caller.ts';
import { type AcknowledgedWork, PATCHED, SPOKEN, uses, type World } from './users.ts';

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
  for (const [name, agent] of [
    [SPOKEN, 'unhurried'],
    [PATCHED, 'javascript'],
  ] as const) {
    const { code, stderr } = await platform.run('deploy', pathOf(agent), '--name', name);
    if (code !== 0) throw new Error(stderr);
  }
  const listed = await platform.fetch(`${platform.url}/v2/deployments?name=${PATCHED}`);
  const { resources } = (await listed.json()) as { resources: [{ id: string }] };
  const world: World = {
    caller: new MeasuredCaller(platform, ledger),
    ledger,
    acknowledged: {
      messages: [],
      runs: [],
      revisions: [],
      refresh_token: tokens.refresh_token,
      access_tokens: [],
    },
    client_id,
    deployment_id: resources[0].id,
  };
  const going = { value: true };
  const users = Promise.all(
    Object.values(uses).map(async (use) => {
      while (going.value) {
        await use(world);
        await setTimeout(REST_MS);
      }
    }),
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
