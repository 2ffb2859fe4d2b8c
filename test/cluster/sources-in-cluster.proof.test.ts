import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Deployment, DeploymentCreateRequest } from '@roadstead/contracts/control-plane';
import { isNamed, useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { startHttpsHost } from '../../packages/data-plane/src/testing/git-https-host.ts';
import { TestRepository } from '../../packages/data-plane/src/testing/git-repository.ts';
import { ask, latestSettled, pathOf } from '../images/deployed/image-platform.ts';
import { forward } from './images/image-cluster.ts';
import { pushImage } from './images/push-image.ts';
import { makeServerLayer, serverImage } from './images/server-image.ts';
import { has_cluster, InstalledChart } from './installed-chart.ts';

/** Each source but a folder, deployed by the chart: repositories and templates are built in pods, and images pushed to the registry of the platform run. */

const { ROADSTEAD_TEST_POD_ADDRESS: address = '' } = process.env;
const can_serve =
  has_cluster &&
  isNamed('Repositories and pushed images in a cluster are', { ROADSTEAD_TEST_POD_ADDRESS: address });
const example = fileURLToPath(new URL('../../examples/typescript-starter', import.meta.url));
const CA_FILE = 'git-authorities.pem';

async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
  const texts = paths.map(async (path) => [relative(folder, path), await readFile(path, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

/** A port of this node that leads to a platform: nodes call registries at loopback without a certificate. */
async function openDoor() {
  let target: URL | undefined;
  const server = createServer((from) => {
    const to = connect(Number(target?.port), target?.hostname);
    from.pipe(to).pipe(from);
    for (const one of [from, to]) one.on('error', () => [from, to].forEach((each) => each.destroy()));
  });
  await once(server.listen(0, '0.0.0.0'), 'listening');
  const { port } = server.address() as { port: number };
  return {
    port,
    leadTo: (url: string) => (target = new URL(url)),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
    },
  };
}

/** A chart that is known at the loopback of its node, and a host of repositories that it trusts. */
async function openSources() {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-sources-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const repository = stack.use(await TestRepository.open());
  const host = stack.use(await startHttpsHost(repository.root, address));
  const door = stack.use(await openDoor());
  const env = { ROADSTEAD_ALLOWED_HOSTS: address, GIT_SSL_CAINFO: `/var/lib/roadstead/${CA_FILE}` };
  const url = `http://127.0.0.1:${door.port}`;
  const chart = stack.use(await InstalledChart.install({ url, dataPlane: { env } }));
  await copyFile(host.ca_file, join(chart.data_plane_folder, CA_FILE));
  door.leadTo(chart.url);
  stack.use(await forward(chart, [door.port]));
  const layer = await makeServerLayer(folder);
  const opened = stack.move();
  return { repository, host, chart, layer, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

describe.skipIf(!can_serve)('sources in a cluster (ROADSTEAD_TEST_KUBECONFIG)', () => {
  const sources = useFixture(openSources);
  const chart = () => sources().chart;

  const create = async (body: Omit<DeploymentCreateRequest, 'secrets'>) => {
    const answer = await ask<Deployment>(chart(), ['POST', '/v2/deployments', { secrets: [], ...body }]);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body;
  };
  const serves = async (deployment: Deployment) => {
    const revision = await latestSettled(chart(), deployment);
    expect(revision.status, `${JSON.stringify(revision.status_reason)}\n${await chart().state()}`).toBe(
      'DEPLOYED',
    );
    return revision;
  };
  const say = async (name: string, text: string) => {
    const input = { messages: [{ role: 'user', content: text }] };
    const body = { assistant_id: 'agent', input };
    const answer = await ask<object>(chart(), ['POST', `/agents/${name}/runs/wait`, body]);
    return `${answer.status} ${JSON.stringify(answer.body)}`;
  };

  describe('a repository', () => {
    const name = 'from-git';
    let deployment: Deployment;
    let first: string;
    beforeAll(async () => {
      first = await sources().repository.commit(await filesOf(example));
    });

    test('when it is deployed, then its commit is built in pods, and answers', async () => {
      deployment = await create({
        name,
        source: 'git',
        source_config: { repo_url: sources().host.url },
        source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
      });
      const { source_revision_config, phases } = await serves(deployment);
      expect(source_revision_config.repo_commit_sha).toBe(first);
      expect(phases.map(({ phase }) => phase)).toEqual(expect.arrayContaining(['source', 'install']));
      expect(await say(name, 'hello')).toMatch(/^200 .*hello/);
    });

    test('when it has another commit, then a new revision is that one', async () => {
      const { repository } = sources();
      const second = await repository.commit({ 'NOTES.md': 'more' });
      const path = `${pathOf(deployment)}/revisions`;
      expect((await ask(chart(), ['POST', path, {}])).status).toBeLessThan(300);
      expect((await serves(deployment)).source_revision_config.repo_commit_sha).toBe(second);
      expect(await say(name, 'again')).toMatch(/^200 .*again/);
    });
  });

  test.each(['typescript-starter', 'python-starter'])(
    'when the template %s is deployed by its id, then it answers',
    async (template_id) => {
      const name = `from-${template_id}`;
      const source_config = { template_id };
      await serves(
        await create({ name, source: 'internal_template', source_config, source_revision_config: {} }),
      );
      expect(await say(name, 'hello')).toMatch(/^200 .*hello/);
    },
  );

  test('when an image is pushed to the platform, then its nodes fetch it there, and it answers', async () => {
    const name = 'pushed';
    const deployment = await create({
      name,
      source: 'internal_image',
      source_config: {},
      source_revision_config: {},
    });
    const { body } = await ask<{ token: string; registry_url: string; username: string }>(chart(), [
      'POST',
      `${pathOf(deployment)}/push-token`,
    ]);
    const [, repository = ''] = /^[^/]*\/(.*)$/.exec(body.registry_url) ?? [];
    await pushImage(serverImage(sources().layer, { name }), {
      repository: `${chart().url}/v2/${repository}/agent`,
      authorization: `Basic ${Buffer.from(`${body.username}:${body.token}`).toString('base64')}`,
    });
    const patch = { source_revision_config: { image_uri: `${body.registry_url}/agent:1` } };
    expect((await ask(chart(), ['PATCH', pathOf(deployment), patch])).status).toBe(200);
    await serves(deployment);
    expect((await ask<{ name: string }>(chart(), ['GET', `/agents/${name}/`])).body.name).toBe(name);
  });
});
