import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { has_python } from '../support/languages.ts';
import { dataHome, type RunningPlatform, startPlatform } from '../support/platform.ts';
import { killProcessesOf } from '../support/process-tree.ts';
import { type Blow, outlive } from './agent-users.ts';
import { InsistingCaller } from './insisting-caller.ts';
import { agentFolder, HOST } from './victims.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/**
 * kill -9 of data plane, graph hosts and platform in turn while runs are cancelled, streams are taken up again, a cron comes
 * each second, and webhooks and push notifications go out. Each run and task reaches one end, and everybody is told of it.
 */

/** The same agent in each language that can be had here. */
const agents: readonly (readonly [name: string, folder: string, ...options: string[]])[] = [
  ['unhurried', agentFolder('unhurried')],
  ...(has_python
    ? ([['unhurried-python', agentFolder('python'), '--config', 'unhurried.json']] as const)
    : []),
];
const callers = agents.map(([name]) => new InsistingCaller(() => platform, name));

const stack = useFixture(() => new AsyncDisposableStack());
let platform: RunningPlatform;
let hooks: WebhookReceiver;
let restart: () => Promise<RunningPlatform>;
beforeAll(async () => {
  hooks = stack().use(await WebhookReceiver.open());
  const home = stack().use(await dataHome());
  const env = { ROADSTEAD_ALLOWED_HOSTS: '127.0.0.1' };
  platform = await startPlatform(home.path, { env });
  stack().defer(() => platform[Symbol.asyncDispose]());
  const port = Number(new URL(platform.url).port);
  restart = () => startPlatform(home.path, { env, port });
  await Promise.all(
    agents.map(async ([name, ...what]) => {
      const { code, stderr } = await platform.run('deploy', ...what, '--name', name);
      if (code !== 0) throw new Error(stderr);
    }),
  );
});

const byName = (pattern: RegExp) => async () => killProcessesOf(platform.pid, pattern);
const blows: readonly Blow[] = [
  byName(HOST),
  byName(/data-plane\/src\/main/),
  async () => {
    await platform.kill();
    platform = await restart();
  },
];

test('when anything is killed, then each run and task ends once, and each caller learns it', async () => {
  const { tasks, runs } = await outlive({ callers, hooks }, blows);
  expect(Math.min(tasks, runs)).toBeGreaterThanOrEqual(blows.length);
}, 240_000);
