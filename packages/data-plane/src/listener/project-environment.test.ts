import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { GraphConfig } from '@roadstead/contracts/langgraph-json';
import { withProjectEnvironment } from './project-environment.ts';

const folder = useFolderPerTest('environment-');

function withEnv(env: GraphConfig['env'], given: Record<string, string> = {}) {
  return withProjectEnvironment(folder(), { config_path: 'langgraph.json', env }, given);
}

test('when a project brings variables, then the deployment’s win; reserved ones are left out', async () => {
  const brought = {
    TOKEN: 'project',
    OTHER: 'project',
    DATABASE_URI: 'x',
    ROADSTEAD_X: 'x',
    LANGSMITH_API_KEY: 'x',
  };
  const given = { TOKEN: 'given', LANGSMITH_API_KEY: 'ours' };
  const wanted = {
    variables: { TOKEN: 'given', OTHER: 'project', LANGSMITH_API_KEY: 'ours' },
    left_out: ['DATABASE_URI', 'LANGSMITH_API_KEY', 'ROADSTEAD_X'],
  };
  expect(await withEnv(brought, given)).toEqual(wanted);
  const lines = Object.entries(brought).map(([name, value]) => `${name}=${value}`);
  await writeFile(join(folder(), '.env'), lines.join('\n'));
  expect(await withEnv('.env', given)).toEqual(wanted);
});

test('when names are required, then they must be set, except for those that are reserved', async () => {
  expect(await withEnv(['TOKEN', 'POSTGRES_URI'], { TOKEN: 'given' })).toEqual({
    variables: { TOKEN: 'given' },
    left_out: ['POSTGRES_URI'],
  });
  await expect(withEnv(['TOKEN', 'POSTGRES_URI'])).rejects.toThrow('not set: TOKEN.');
});

test('when there is no env, or no file of it, then it brings nothing', async () => {
  for (const env of [undefined, '.env', '../.env'])
    expect(await withEnv(env, { TOKEN: 'given' })).toEqual({ variables: { TOKEN: 'given' }, left_out: [] });
});

test('when a variable holds a NUL, then it is refused by name and without the value', async () => {
  const refusal = 'These variables hold a NUL character: TOKEN.';
  await expect(withEnv({ TOKEN: 'canary\0' })).rejects.toThrow(refusal);
  await expect(withEnv(undefined, { TOKEN: 'canary\0' })).rejects.toThrow(refusal);
  await writeFile(join(folder(), '.env'), 'TOKEN=canary\0');
  await expect(withEnv('.env')).rejects.toThrow(refusal);
});

test('when a build put something in place of the file of variables, then it is not waited for', async () => {
  execFileSync('mkfifo', [join(folder(), '.pipe')]);
  expect(await withEnv('.pipe')).toEqual({ variables: {}, left_out: [] });
  const outside = await mkdtemp(join(tmpdir(), 'outside-'));
  await writeFile(join(outside, 'env'), 'TOKEN=of others');
  await symlink(join(outside, 'env'), join(folder(), '.link'));
  expect(await withEnv('.link')).toEqual({ variables: {}, left_out: [] });
  await rm(outside, { recursive: true });
  await writeFile(join(folder(), '.large'), '');
  await truncate(join(folder(), '.large'), 2 ** 21);
  await expect(withEnv('.large')).rejects.toThrow(/variables \.large is larger than/);
});
