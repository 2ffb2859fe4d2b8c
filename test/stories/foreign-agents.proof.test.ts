import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { needsLanguage } from '../support/languages.ts';
import { answerOf, callA2a, dataHome, startPlatform, userMessage } from '../support/platform.ts';
import { deployForeign } from './foreign-agent.ts';
import { leaksOf } from './kept-secrets.ts';

/** Agents of other people's making, deployed by the command line as they would. Their kinds have tests of their own. */

const agents = fileURLToPath(new URL('../agents/', import.meta.url));
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));

test.each([
  ['javascript', []],
  ['commonjs', []],
  ['builder', []],
  ['factory', []],
  ['typescript', []],
  ['subfolder', ['--config', 'app/langgraph.json']],
  ['two-graphs', []],
])('when %s is deployed, then it builds, starts and answers', async (name, options) => {
  expect(await deployForeign(platform(), { name, options })).toMatch(/./);
});

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

test('when an agent in Python has a secret, then it reaches nothing else, even if printed', async (context) => {
  needsLanguage('python', context);
  const what = [join(agents, 'python'), '--config', 'secretive.json'];
  expect(await leaksOf(platform(), { name: 'secretive-python', what })).toEqual([]);
});

async function callSteady(text: string): Promise<string> {
  return answerOf((await callA2a(platform(), STEADY, 'message/send', userMessage(text))).result);
}
