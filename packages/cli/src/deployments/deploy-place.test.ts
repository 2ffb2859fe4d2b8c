import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceKind } from '@roadstead/contracts/control-plane';
import { useFolder } from '@roadstead/testing';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Target } from '../target/target.ts';
import { deployGit } from './deploy-git.ts';
import { deployImage, deployPushedImage } from './deploy-image.ts';
import { deploySource } from './deploy-source.ts';
import { deployTemplate } from './deploy-template.ts';

const folder = useFolder('deploy-place-');
beforeAll(async () => {
  await mkdir(join(folder(), 'agent'));
  await writeFile(join(folder(), 'agent', 'langgraph.json'), '{}');
});

const place = { listener_id: 'here', listener_config: { cluster_namespace: 'agents' } };
const fields = {
  source_config: { resource_spec: { cpu: 1 } },
  references: { secret_references: [{ name: 'A', secret_name: 'b', secret_key: 'c' }] },
};
const given = { name: 'agent', secrets: [], place };
const commands = { install_command: undefined, build_command: undefined };
const options = { signal: new AbortController().signal, onProgress: () => undefined };
const repo_url = 'https://git.test/agent';

const deploys: Readonly<Record<SourceKind, (target: Target) => Promise<unknown>>> = {
  git: (target) =>
    deployGit(
      target,
      {
        ...given,
        ...commands,
        repo_url,
        ref: 'main',
        integration_id: undefined,
        build_on_push: false,
        config_path: 'l',
      },
      options,
    ),
  external_image: (target) => deployImage(target, { ...given, image_uri: 'a:1', fields }, options),
  internal_image: (target) => deployPushedImage(target, { ...given, image_uri: 'a:1', fields }, options),
  internal_source: (target) =>
    deploySource(
      target,
      { ...given, ...commands, folder: join(folder(), 'agent'), config_path: 'langgraph.json' },
      options,
    ),
  internal_template: (target) => deployTemplate(target, { ...given, template_id: 't' }, options),
};

class Enough extends Error {}

/** A control plane that has these deployments, and takes no more than the first change. */
function targetOf(resources: readonly object[]): { target: Target; change: ReturnType<typeof vi.fn> } {
  const change = vi.fn().mockRejectedValue(new Enough());
  const control = {
    listDeployments: () => Promise.resolve({ resources }),
    createDeployment: change,
    patchDeployment: change,
    createRevision: change,
  };
  return { target: { control, url: 'http://platform.test' } as unknown as Target, change };
}

test.each(SourceKind.options)('when %s is deployed first, then the request says where', async (source) => {
  const { target, change } = targetOf([]);
  await expect(deploys[source](target)).rejects.toThrow(Enough);
  expect(change).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({
      body: expect.objectContaining({
        source,
        source_config: expect.objectContaining(place) as unknown,
      }) as unknown,
    }),
  );
});

test.each(['git', 'external_image', 'internal_template'] as const)(
  'when %s is deployed again, then the change says where, too',
  async (source) => {
    const source_config = { repo_url, template_id: 't' };
    const { target, change } = targetOf([
      { id: 'd', name: 'agent', source, source_config, source_revision_config: {}, secrets: [] },
    ]);
    await expect(deploys[source](target)).rejects.toThrow(Enough);
    expect(change).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        body: expect.objectContaining({
          source_config: expect.objectContaining(place) as unknown,
        }) as unknown,
      }),
    );
  },
);

test('when an image is deployed with its resources and references, then both are sent', async () => {
  const { target, change } = targetOf([]);
  await expect(deploys.external_image(target)).rejects.toThrow(Enough);
  expect(change.mock.lastCall?.[0]).toMatchObject({
    body: { source_config: { resource_spec: { cpu: 1 } }, ...fields.references },
  });
});
