import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import type { Deployment, Revision } from '@roadstead/contracts/control-plane';
import { startHttpsHost } from '../../packages/data-plane/src/testing/git-https-host.ts';
import { TestRepository } from '../../packages/data-plane/src/testing/git-repository.ts';
import { has_python } from '../support/languages.ts';
import { processesOf } from '../support/process-tree.ts';
import { callA2a, dataHome, type RunningPlatform, startPlatform, userMessage } from '../support/platform.ts';

/** kill -9 while a deployment of each source is built: each is reached all the same, once. */

const agent = fileURLToPath(new URL('../../examples/typescript-starter', import.meta.url));

const stack = useFixture(() => new AsyncDisposableStack());
let start: (port?: number) => Promise<RunningPlatform>;
let platform: RunningPlatform;
let repo_url: string;
let commit_sha: string;
beforeAll(async () => {
  const repository = stack().use(await TestRepository.open());
  const host = stack().use(await startHttpsHost(repository.root));
  commit_sha = await repository.commit(await filesIn(agent));
  repo_url = host.url;
  const home = stack().use(await dataHome());
  const env = { ROADSTEAD_ALLOWED_HOSTS: 'localhost', GIT_SSL_CAINFO: host.ca_file };
  start = (port) => startPlatform(home.path, { env, ...(port === undefined ? {} : { port }) });
  platform = await start();
  stack().defer(() => platform[Symbol.asyncDispose]());
});

async function filesIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
  const texts = paths.map(async (path) => [relative(folder, path), await readFile(path, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
  const headers = { 'x-api-key': platform.key, 'content-type': 'application/json' };
  const answer = await fetch(platform.url + path, { ...init, headers });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
};

const create = (body: object) =>
  ask<Deployment>('/v2/deployments', { method: 'POST', body: JSON.stringify({ secrets: [], ...body }) });

const createFrom = (template_id: string, name: string) =>
  create({
    name,
    source: 'internal_template',
    source_config: { template_id },
    source_revision_config: {},
  });

const sources: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  internal_source: async (name) => {
    // Another command, so that what was built for another name does not serve.
    const built = ['--build-command', `echo ${name}`];
    const { code, stderr } = await platform.run('deploy', agent, '--name', name, '--no-wait', ...built);
    expect(code, stderr).toBe(0);
  },
  internal_template: (name) => createFrom('typescript-starter', name),
  ...(has_python ? { python_template: (name: string) => createFrom('python-starter', name) } : {}),
  git: (name) =>
    create({
      name,
      source: 'git',
      source_config: { repo_url, build_command: `echo ${name}` },
      source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
    }),
};

const victims: Readonly<Record<string, () => Promise<void>>> = {
  'the data plane': async () => {
    const [pid] = await processesOf(platform.pid, /data-plane\/src\/main/);
    process.kill(pid ?? 0, 'SIGKILL');
  },
  'the platform': async () => {
    const port = Number(new URL(platform.url).port);
    await platform.kill();
    platform = await start(port);
  },
};

const latestOf = async (name: string): Promise<Revision | undefined> => {
  const { resources } = await ask<{ resources: Deployment[] }>(`/v2/deployments?name=${name}`);
  const revisions = await ask<{ resources: Revision[] }>(`/v2/deployments/${resources[0]?.id}/revisions`);
  return revisions.resources[0];
};

test.each(Object.keys(victims))(
  'when deployments of each source are built and kill -9 hits %s, then all are deployed',
  async (victim) => {
    const begun = await Promise.all(
      Object.keys(sources).map(async (source) => {
        const name = `${source}-${victim}`.replaceAll(/[ _]/g, '-');
        await sources[source]?.(name);
        // A template is built already for the second victim: then it is begun and reached at once.
        const began = async () => (await latestOf(name))?.status;
        await expect.poll(began, { timeout: 60_000, interval: 5 }).toMatch(/BUILDING|DEPLOYING|DEPLOYED/);
        return { source, name, revision: await latestOf(name) };
      }),
    );
    await victims[victim]?.();
    for (const { source, name, revision } of begun) {
      const status = async () => (await latestOf(name).catch(() => undefined))?.status;
      await expect.poll(status, { timeout: 180_000, interval: 200 }).toBe('DEPLOYED');
      const reached = await latestOf(name);
      expect(reached?.id).toBe(revision?.id);
      expect(reached?.repo_commit_sha).toBe(source === 'git' ? commit_sha : null);
      const said = await callA2a(platform, name, 'message/send', userMessage('hello'));
      expect(said.result.status.state).toBe('completed');
    }
  },
  300_000,
);
