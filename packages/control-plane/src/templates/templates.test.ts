import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackSource } from '@roadstead/archives';
import { useFixture, useFolder } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { createRequest, startFixture } from '../testing/fixture.ts';
import { bundledTemplates, openTemplates } from './template-folder.ts';

const folder = useFolder('templates-');
beforeAll(async () => {
  await cp(bundledTemplates(), folder(), {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  await mkdir(join(folder(), 'no-template'));
});
const fixture = useFixture(() => startFixture({ templates_folder: folder() }));
const client = () => fixture().client();

const ids = [
  'approval-agent',
  'python-approval-agent',
  'python-deep-agent',
  'python-retrieval-agent',
  'python-starter',
  'python-supervisor-agent',
  'python-tool-calling-agent',
  'retrieval-agent',
  'supervisor-agent',
  'support-agent',
  'tool-calling-agent',
  'typescript-starter',
];
const requestOf = (name: string, template_id: string | null) => ({
  ...createRequest(name),
  source: 'internal_template' as const,
  source_config: { template_id },
  source_revision_config: {},
});

async function archiveOf(digest: string): Promise<Buffer> {
  const found = await fixture().blobs.get(digest);
  return Buffer.concat(await Array.fromAsync(found?.stream ?? []));
}

test('when templates are listed, then those that come with Roadstead are, page by page', async () => {
  expect((await openTemplates(bundledTemplates()).list()).map(({ id }) => id)).toEqual(ids);
  const first = await client().listTemplates({ query: { page_size: 4 } });
  const rest = await client().listTemplates({ query: { cursor: first.next_cursor ?? '' } });
  expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(ids);
  expect(rest.next_cursor).toBeNull();
  expect(rest.items.find(({ id }) => id === 'tool-calling-agent')?.variables[0]).toMatchObject({
    name: 'OPENAI_API_KEY',
    required: false,
  });
  const odd = await fixture().send('/v2/templates?cursor=%21%21');
  expect(odd.status).toBe(400);
});

test.each([
  ['none', null],
  ['one that is not there', 'no-template'],
  ['a way out of the folder', '../support-agent'],
])(
  'when the template is %s, then it is refused, and the known ones are named',
  async (_what, template_id) => {
    const creation = client().createDeployment({ body: requestOf('refused', template_id) });
    await expect(creation).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(ids.join(', ')),
    });
  },
);

test('when a template is deployed, then that is done at once, by its id alone', async () => {
  const listener = fixture().listener();
  await listener.poll();
  const created = await client().createDeployment({ body: requestOf('starter', 'typescript-starter') });
  expect(created).toMatchObject({
    source: 'internal_template',
    source_config: { template_id: 'typescript-starter' },
    source_revision_config: { langgraph_config_path: null, source_tarball_path: null },
  });
  const news = await listener.next(created.id, ({ revision }) => revision !== null);
  const source = news.revision?.source;
  if (source?.kind !== 'archive') throw new Error('The listener was given no archive.');
  const archive = join(folder(), 'received.tgz');
  await writeFile(archive, await archiveOf(source.digest));
  const into = join(folder(), 'received');
  await mkdir(into);
  await unpackSource(archive, into);
  for (const file of ['langgraph.json', 'package-lock.json', 'src/agent.ts'])
    expect(await readFile(join(into, file))).toEqual(
      await readFile(join(bundledTemplates(), 'typescript-starter', file)),
    );
  await rm(into, { recursive: true });
});

test('when a request has what a template is never made of, then it is refused', async () => {
  for (const source_revision_config of [{ langgraph_config_path: 'langgraph.json' }, { image_uri: 'a/b' }]) {
    const body = { ...requestOf('refused', 'support-agent'), source_revision_config };
    await expect(client().createDeployment({ body })).rejects.toMatchObject({ status: 400 });
  }
  const body = { ...createRequest('refused'), source_config: { template_id: 'support-agent' } };
  await expect(client().createDeployment({ body })).rejects.toMatchObject({ status: 400 });
});

test('when a template changes, then a deployment keeps what it was until it is taken again', async () => {
  const client = fixture().client();
  const listener = fixture().listener();
  await listener.poll();
  const { id } = await client.createDeployment({ body: requestOf('kept', 'support-agent') });
  const params = { deployment_id: id };
  const digestOf = async () => {
    const news = await listener.next(id, ({ revision }) => revision?.source != null);
    return news.revision?.source?.kind === 'archive' ? news.revision.source.digest : undefined;
  };
  const digest = await digestOf();
  await writeFile(join(folder(), 'support-agent', 'README.md'), 'Another version of it.');
  await client.patchDeployment({ params, body: { secrets: [{ name: 'GREETING', value: 'Ahoy' }] } });
  expect(await digestOf()).toBe(digest);

  await client.createRevision({ params, body: {} });
  expect(await digestOf()).not.toBe(digest);

  const patch = (template_id: string) =>
    client.patchDeployment({ params, body: { source_config: { template_id } } });
  await expect(patch('approval-agent')).rejects.toMatchObject({ status: 400 });
  expect(await patch('support-agent')).toMatchObject({ source_config: { template_id: 'support-agent' } });
});
