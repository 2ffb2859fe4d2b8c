import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { useFixture, useFolder } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { startHttpsHost } from '../../packages/data-plane/src/testing/git-https-host.ts';
import { TestRepository } from '../../packages/data-plane/src/testing/git-repository.ts';
import { dataHome, startPlatform } from '../support/platform.ts';
import { useConsole } from './support/console.ts';

/** A deployment that is made in the browser, until it serves: from a repository of git, and from an archive. */

const { blankPage } = useConsole();
const folder = fileURLToPath(new URL('../agents/gate', import.meta.url));
const files = readdirSync(folder).filter((name) => /\.(js|json)$/.test(name));

const repository = useFixture(() => TestRepository.open());
const host = useFixture(() => startHttpsHost(repository().root));
const home = useFixture(dataHome);
/** It trusts the certificate of the host beside it. */
const platform = useFixture(() =>
  startPlatform(home().path, {
    env: {
      ROADSTEAD_CONSOLE: 'true',
      ROADSTEAD_ALLOWED_HOSTS: 'localhost',
      GIT_SSL_CAINFO: host().ca_file,
    },
  }),
);
const packed = useFolder('archive-');

async function api<T>(path: string, body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const post = body && { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await platform().fetch(platform().url + path, post);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as T;
}

async function newDeployment(from: string): Promise<Page> {
  const { url } = await api<{ url: string }>('/v2/sign-in-links', {});
  const page = await blankPage();
  await page.goto(url);
  await page.getByRole('navigation', { name: 'Menu' }).waitFor();
  await page.goto(`${platform().url}/console/deployments/new?from=${from}`);
  return page;
}

interface Deployment {
  readonly id: string;
  readonly source: string;
}

/** Deploys what the form says, and waits until the agent answers. */
async function served(page: Page, name: string): Promise<Deployment | undefined> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page
    .getByRole('listitem', { name: /^Revision/ })
    .getByText('serves', { exact: true })
    .waitFor({ timeout: 60_000 });
  const input = { messages: [{ role: 'user', content: 'tell truth' }] };
  const said = await api(`/agents/${name}/runs/wait`, { assistant_id: 'agent', input });
  expect(JSON.stringify(said)).toContain('tell truth');
  return (await api<{ resources: Deployment[] }>(`/v2/deployments?name=${name}`)).resources[0];
}

test('when a repository of git is named, then its commit is deployed, and the agent answers', async () => {
  const commit = await repository().commit(
    Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
  );
  const page = await newDeployment('git');
  await page.getByLabel('Repository').fill(host().url);
  await page.getByLabel('Branch, tag or commit').fill('main');
  await page.getByLabel('Deploy when the branch is pushed to').check();
  const made = await served(page, 'from-git');
  expect(made).toMatchObject({
    source: 'git',
    source_config: { repo_url: host().url, build_on_push: true },
  });
  const { resources } = await api<{ resources: object[] }>(`/v2/deployments/${made?.id}/revisions`);
  expect(resources).toMatchObject([{ repo_commit_sha: commit, repo_ref: 'main' }]);
});

test('when an archive is dropped, then it is uploaded and deployed, and the agent answers', async () => {
  for (const name of files) cpSync(join(folder, name), join(packed(), 'agent', name));
  const archive = join(packed(), 'agent.tar.gz');
  execFileSync('tar', ['-czf', archive, '-C', join(packed(), 'agent'), '.']);
  const page = await newDeployment('upload');
  const source = page.getByRole('group', { name: 'Source' });
  await source.waitFor();
  const bytes = readFileSync(archive).toString('base64');
  const dropped = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob('${bytes}'), (one) => one.charCodeAt(0));
    data.items.add(new File([bytes], 'agent.tar.gz', { type: 'application/gzip' }));
    return data;
  })()`);
  await source.dispatchEvent('dragover', { dataTransfer: dropped });
  await source.dispatchEvent('drop', { dataTransfer: dropped });
  await source.getByText(/agent\.tar\.gz, \d/).waitFor();
  expect(await served(page, 'from-archive')).toMatchObject({ source: 'internal_source' });
});
