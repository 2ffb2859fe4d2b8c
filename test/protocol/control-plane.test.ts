import { describe } from 'vitest';
import { createClient } from '@roadstead/contracts';
import { controlPlane } from '@roadstead/contracts/control-plane';
import { FakeListener } from '../../packages/control-plane/src/testing/fake-listener.ts';
import { deploy, push, startFixture } from '../../packages/control-plane/src/testing/fixture.ts';
import { gitRequest } from '../../packages/control-plane/src/testing/git.ts';
import { FakeControlPlane } from '../../packages/data-plane/src/testing/fake-control-plane.ts';
import { controlPlaneSuite, type DesiredRevision, type OpenedControlPlane } from './control-plane-suite.ts';

describe('the control plane', () => {
  controlPlaneSuite(openReal);
});
describe('the control plane that data planes are tested with', () => {
  controlPlaneSuite(openFake);
});

async function openReal(): Promise<OpenedControlPlane> {
  const fixture = await startFixture();
  const ids = new Map<string, string>();
  return {
    listener: () => fixture.listener(),
    desire: async (name, content): Promise<DesiredRevision> => {
      const known = ids.get(name);
      const made =
        known === undefined ? await deploy(fixture, name, content) : await push(fixture, known, content);
      ids.set(name, made.id);
      return { deployment_id: made.id, revision_id: made.latest_revision_id ?? '' };
    },
    desireGit: async (name) => {
      const body = gitRequest(name, { build_on_push: true });
      const made = await fixture.client().createDeployment({ body });
      return { deployment_id: made.id, revision_id: made.latest_revision_id ?? '' };
    },
    remove: (deployment_id) =>
      fixture
        .client()
        .deleteDeployment({ params: { deployment_id } })
        .then(() => undefined),
    activeOf: async (deployment_id) =>
      (await fixture.client().readDeployment({ params: { deployment_id } })).active_revision_id,
    fetch: fixture.fetch,
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

async function openFake(): Promise<OpenedControlPlane> {
  const control = await FakeControlPlane.start();
  const client = createClient(controlPlane, {
    base_url: control.url,
    headers: { 'x-api-key': control.listener_key },
  });
  const names = new Map<string, string>();
  return {
    listener: () => new FakeListener({ client, listener_id: control.listener_id, fetch }),
    desire: async (name, content) => {
      const revision = control.revisionOf(Buffer.from(content));
      const deployment_id = control.desire(name, { revision });
      names.set(deployment_id, name);
      return { deployment_id, revision_id: revision.id };
    },
    desireGit: async (name) => {
      const at = { repo_url: 'https://git.test/o/r', ref: 'main', has_credentials: false };
      const revision = control.revisionOf(at);
      const deployment_id = control.desire(name, { revision, watch: { ...at, interval_s: 60 } });
      return { deployment_id, revision_id: revision.id };
    },
    remove: async (deployment_id) => {
      control.desire(names.get(deployment_id) ?? '', { removed: true });
    },
    activeOf: async (deployment_id) => control.activeOf(deployment_id) ?? null,
    fetch,
    [Symbol.asyncDispose]: () => control[Symbol.asyncDispose](),
  };
}
