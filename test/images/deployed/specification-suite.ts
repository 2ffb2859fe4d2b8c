import type { Deployment, Revision } from '@roadstead/contracts/control-plane';
import { eventually } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { docker } from '../engine.ts';
import { contract_fields, effects, patchOf, resource_effects, rowsOf } from './field-table.ts';
import {
  ask,
  change,
  containersOf,
  deploy,
  type ImagePlatform,
  latestSettled,
  pathOf,
  secretsOf,
} from './image-platform.ts';
import { idOf, type TestImages } from './images.ts';

/** The specification's table with an image: create, poll, change each field, roll back, delete. */
export function specificationSuite(platform: () => ImagePlatform, images: () => TestImages): void {
  describe('the fields of a deployment of an image', () => {
    const running = () => platform().running;
    const NAME = 'table';
    const tags: string[] = [];
    let [first, second] = ['', ''];
    let deployment: Deployment;
    let created: Revision;
    beforeAll(async () => {
      tags.push(await images().server('first'), await images().server('second'));
      [first = '', second = ''] = tags.map(idOf);
    });

    /** What the server says of itself. */
    const said = async () =>
      (await ask<{ name: string; secret?: string }>(running(), ['GET', `/agents/${NAME}/`])).body;
    const patched = (patch: object) =>
      ask<{ detail: string }>(running(), ['PATCH', pathOf(deployment), patch]);
    const latest = async () =>
      (await ask<Deployment>(running(), ['GET', pathOf(deployment)])).body.latest_revision_id;
    const revisions = async () =>
      (await ask<{ resources: Revision[] }>(running(), ['GET', `${pathOf(deployment)}/revisions`])).body
        .resources;

    test('when the contract has a field, then the tables have it', () => {
      expect(Object.keys(effects).toSorted()).toEqual(contract_fields.deployment.toSorted());
      expect(Object.keys(resource_effects).toSorted()).toEqual(contract_fields.resources.toSorted());
      const triggering = rowsOf(effects).flatMap(([field, effect]) => ('revision' in effect ? [field] : []));
      expect(triggering.toSorted()).toEqual([
        'secrets',
        'source_config.resource_spec',
        'source_revision_config.image_uri',
      ]);
    });

    test('when it is created, then its first revision comes to serve, by the digest of the image', async () => {
      const secrets = { SECRET: 'one' };
      ({ deployment, revision: created } = await deploy(running(), {
        name: NAME,
        image_uri: tags[0] ?? '',
        secrets,
      }));
      expect(deployment).toMatchObject({ source: 'external_image', latest_revision_id: created.id });
      expect(created).toMatchObject({
        artifact_image: first,
        secret_names: ['SECRET'],
        environment_version: 1,
      });
      expect(await said()).toMatchObject({ name: 'first', secret: 'one' });
    });

    test('when a field is of no image or no single machine, then it is refused by its name', async () => {
      const refused = [
        ...rowsOf(effects),
        ...rowsOf(resource_effects).map(
          ([name, row]) => [`source_config.resource_spec.${name}`, row] as const,
        ),
      ].flatMap(([path, row]) => ('refused' in row ? [[path, row.refused] as const] : []));
      const answers = await Promise.all(
        refused.map(async ([path, value]) => ({ path, ...(await patched(patchOf(path, value))) })),
      );
      expect(answers.length).toBeGreaterThan(30);
      for (const { path, status, body } of answers)
        expect([status, body.detail], path).toEqual([
          400,
          expect.stringContaining(path.split('.').at(-1) ?? ''),
        ]);
      expect(await latest()).toBe(created.id);
    });

    test('when a field makes no revision, then it is changed, and what serves stays', async () => {
      const kept = rowsOf(effects).flatMap(([path, row]) => ('kept' in row ? [patchOf(path, row.kept)] : []));
      for (const patch of kept) {
        expect((await patched(patch)).status).toBe(200);
        expect((await ask<Deployment>(running(), ['GET', pathOf(deployment)])).body).toMatchObject(patch);
      }
      expect(await latest()).toBe(created.id);
    });

    test('when its secrets change, then a new revision of the same image serves with them', async () => {
      const revision = await change(running(), {
        deployment,
        patch: { secrets: secretsOf({ SECRET: 'two' }) },
      });
      expect(revision).toMatchObject({ status: 'DEPLOYED', artifact_image: first, environment_version: 2 });
      expect(await said()).toMatchObject({ name: 'first', secret: 'two' });
    });

    test('when its resources change, then each has its effect, or the log of the build says none', async () => {
      const set = rowsOf(resource_effects).flatMap(([name, row]) =>
        'set' in row ? [[name, row] as const] : [],
      );
      const spec = Object.fromEntries(set.map(([name, { set: value }]) => [name, value]));
      const revision = await change(running(), {
        deployment,
        patch: { source_config: { resource_spec: spec } },
      });
      expect(revision).toMatchObject({ status: 'DEPLOYED', resource_spec: spec });
      // One is kept before anybody calls, and that of the revision before ends.
      const container = await eventually(() => {
        const [one, ...others] = containersOf(first);
        expect(others).toEqual([]);
        if (one === undefined) throw new Error('There is no container.');
        return one;
      });
      const shown = set.flatMap(([name, row]) =>
        'shows' in row && row.shows !== undefined ? [{ name, ...row }] : [],
      );
      for (const { name, shows, as } of shown) expect(shows?.(container), name).toBe(as);
      const path = `${pathOf(deployment)}/revisions/${revision.id}/logs?type=build&limit=1000`;
      const { body } = await ask<unknown>(running(), ['GET', path]);
      const log = JSON.stringify(body);
      const without = set.filter(([, row]) => 'without_effect' in row);
      for (const [name] of without) expect(log).toContain(name);
      expect(await said()).toMatchObject({ name: 'first', secret: 'two' });
    });

    test('when its image changes, then a new revision serves that one', async () => {
      const revision = await change(running(), {
        deployment,
        patch: { source_revision_config: { image_uri: tags[1] } },
      });
      expect(revision).toMatchObject({ status: 'DEPLOYED', artifact_image: second, image_uri: tags[1] });
      expect(await said()).toMatchObject({ name: 'second', secret: 'two' });
    });

    test('when it is rolled back, then the old digest serves, whatever its tag is; nothing is built', async () => {
      docker('tag', tags[1] ?? '', tags[0] ?? '');
      const { status } = await ask(running(), [
        'POST',
        `${pathOf(deployment)}/revisions/${created.id}/redeploy`,
      ]);
      expect(status).toBeLessThan(300);
      const revision = await latestSettled(running(), deployment);
      expect(revision).toMatchObject({
        status: 'DEPLOYED',
        artifact_image: first,
        rollback_of: created.id,
        environment_version: 1,
      });
      const phases = revision.phases.map(({ phase }) => phase);
      expect(phases.filter((phase) => ['source', 'install', 'build'].includes(phase))).toEqual([]);
      expect(await said()).toMatchObject({ name: 'first', secret: 'one' });
      expect(await revisions()).toHaveLength(5);
    });

    test('when it is deleted, then it is gone, and its containers with it', async () => {
      expect(await ask(running(), ['DELETE', pathOf(deployment)])).toEqual({ status: 204, body: undefined });
      await eventually(async () => {
        expect((await ask(running(), ['GET', pathOf(deployment)])).status).toBe(404);
        expect((await ask(running(), ['GET', `/agents/${NAME}/`])).status).toBe(404);
        expect(containersOf(first, second)).toEqual([]);
      });
    });
  });
}
