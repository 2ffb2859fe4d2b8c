import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { askForTokens, authorization, consent, Person, register } from '@roadstead/testing/oauth';
import type { RunningPlatform } from '../support/platform.ts';
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
  const { client_id, refresh_token } = await authorized(platform);
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
    acknowledged: { messages: [], runs: [], revisions: [], refresh_token, access_tokens: [] },
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

const REDIRECT = 'http://127.0.0.1:53122/callback';

async function authorized({ url, key }: Pick<RunningPlatform, 'url' | 'key'>) {
  const { client_id } = await register(url, { client_name: 'Load', redirect_uris: [REDIRECT] });
  const { address, verifier } = authorization(url, { client_id, redirect_uri: REDIRECT });
  const called = await consent(new Person(), { address, credential: { key } });
  const { body } = await askForTokens(url, {
    grant_type: 'authorization_code',
    client_id,
    redirect_uri: REDIRECT,
    code: called.searchParams.get('code') ?? '',
    code_verifier: verifier,
  });
  return { client_id, refresh_token: body.refresh_token };
}
