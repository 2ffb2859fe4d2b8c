import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { answerOf, callA2a, dataHome, startPlatform, userMessage } from '../support/platform.ts';
import { deployForeign } from './foreign-agent.ts';

/** Agents of other people's making, deployed by the command line as they would. */

const agents = fileURLToPath(new URL('../agents/', import.meta.url));
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));

test.each(['javascript', 'commonjs'])(
  'when %s is deployed, then it builds, starts and answers',
  async (name) => {
    expect(await deployForeign(platform(), { name })).toMatch(/./);
  },
);

/** Deployed already. */
const STEADY = 'commonjs';

test.each([
  ['broken', 'DEPLOY_FAILED'],
  ['broken-install', 'BUILD_FAILED'],
])(
  'when %s is deployed, then it ends in %s with its reason, and what served goes on',
  async (name, status) => {
    const before = await callSteady('one');
    const failed = await platform().run('deploy', join(agents, name), '--name', STEADY);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain(status);
    expect(await callSteady('two')).toEqual(expect.any(String));
    expect(before).toEqual(expect.any(String));
  },
);

test('when list, logs, key and delete are called, then they do what they say', async () => {
  expect((await platform().run('list')).stdout).toContain('javascript');
  expect(JSON.parse((await platform().run('list', '--json')).stdout)).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'javascript' })]),
  );
  expect((await platform().run('logs', 'javascript', '--build')).stdout).toContain('npm');
  const key = (await platform().run('key', 'create', 'ci', '--scope', 'agents:invoke')).stdout.trim();
  expect((await fetch(`${platform().url}/v2/deployments`, { headers: { 'x-api-key': key } })).status).toBe(
    403,
  );
  expect((await platform().run('delete', 'javascript', '--yes')).stdout).toContain('deleted');
  expect((await platform().run('list')).stdout).not.toMatch(/^javascript /m);
  expect((await platform().run('deploy', join(agents, 'nowhere'))).code).toBe(1);
  const unconfigured = await platform().run('deploy', join(agents, '..'));
  expect(unconfigured.code).toBe(1);
  expect(unconfigured.stderr).toMatch(/There is no langgraph\.json in .* --config/);
  expect((await platform().run('nonsense')).code).toBe(2);
});

test('when a secret is set, then it reaches the agent and nothing else, even if printed', async () => {
  const canary = 'canary-5f3a9c71d2';
  const pem = '-----BEGIN-----\nCANARYLINE1\nCANARYLINE2\n-----END-----';
  const secrets = [`MY_SECRET=${canary}`, `MY_PEM=${pem}`].flatMap((one) => ['--secret', one]);
  const deployed = await platform().run(
    'deploy',
    join(agents, 'secretive'),
    '--name',
    'secretive',
    ...secrets,
  );
  expect(deployed.code).toBe(0);
  const say = (text: string) => callA2a(platform(), 'secretive', 'message/send', userMessage(text));
  const printed = await say('print');
  expect(answerOf(printed.result)).toBe(
    createHash('sha256')
      .update(canary + pem)
      .digest('hex'),
  );
  const thrown = await say('throw');
  expect(thrown.result.status).toMatchObject({
    state: 'failed',
    message: { parts: [{ text: expect.stringMatching(/^The agent failed; .* log, under [\da-f-]{36}\.$/) }] },
  });
  const serverLog = async () => (await platform().run('logs', 'secretive')).stdout;
  await expect.poll(serverLog).toContain('the secret is ********');
  await expect.poll(serverLog).toMatch(/Run [\da-f-]{36} failed: .*\*{8} does not work/);
  const texts = [
    deployed.stdout + deployed.stderr,
    await (await platform().fetch(`${platform().url}/v2/deployments?limit=100`)).text(),
    await (await platform().fetch(`${platform().url}/v2/events?page_size=100`)).text(),
    (await platform().run('logs', 'secretive', '--build')).stdout,
    await serverLog(),
    await readFile(join(platform().folder, 'logs', 'platform.log'), 'utf8'),
  ];
  for (const text of texts) expect(text).not.toMatch(/canary-5f3a9c71d2|CANARYLINE/);
  expect(texts[1]).toContain('MY_SECRET');
});

async function callSteady(text: string): Promise<string> {
  return answerOf((await callA2a(platform(), STEADY, 'message/send', userMessage(text))).result);
}
