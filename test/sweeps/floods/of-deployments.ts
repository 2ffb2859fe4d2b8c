import type { Assignment } from '@roadstead/contracts/control-plane';
import { Problem, silentLog } from '@roadstead/kit';
import { HeadWatch } from '../../../packages/data-plane/src/listener/head-watch.ts';
import { startFixture } from '../../../packages/data-plane/src/testing/data-plane-fixture.ts';
import { sourceArchive } from '../../../packages/data-plane/src/testing/projects.ts';
import { type Gate, type Name, type OpenScene, workspaces } from './gate.ts';
import { scene } from './of-agents.ts';

/** More than half of all steps. */
const DEPLOYMENTS = 40;

/** A data plane whose builds, or the openings of whose deployments, go through the gate. */
const plane =
  (held: 'source' | 'opening'): OpenScene =>
  async (gate) => {
    await using stack = new AsyncDisposableStack();
    const ofDigest = new Map<string, Name>();
    const ofDeployment = new Map<string, Name>();
    const fixture = stack.use(
      await startFixture({
        archives: async ({ digest }) => {
          if (held === 'source') await gate.pass(ofDigest.get(digest) ?? 'other');
          throw new Problem('invalid', 'There is no source.');
        },
      }),
    );
    fixture.runtime.onOpening = async (id) => {
      if (held === 'opening') await gate.pass(ofDeployment.get(id) ?? 'other');
    };
    return scene(stack.move(), async (name, { pieces }) => {
      const archive = await sourceArchive('works', name);
      for (let at = 0; at < Math.min(pieces, DEPLOYMENTS); at += 1) {
        const revision = fixture.control.revisionOf(archive);
        ofDigest.set(revision.source_digest, name);
        const id = fixture.control.desire(`${name}-${at}`, { revision, workspace_id: workspaces[name] });
        ofDeployment.set(id, name);
      }
    });
  };

const looks: OpenScene = async (gate: Gate) => {
  await using stack = new AsyncDisposableStack();
  const heads = stack.use(
    new HeadWatch({
      log: silentLog,
      link: { sourceCredentials: async () => null, reportHead: async () => undefined },
      findHead: async ({ ref }) => {
        await gate.pass(ref as Name);
        return { kind: 'gone' };
      },
    }),
  );
  return scene(stack.move(), (name, { pieces }) => {
    const watch = { repo_url: 'https://git.test/r', ref: name, interval_s: 3600, has_credentials: false };
    for (let at = 0; at < pieces; at += 1)
      heads.assign({
        workspace_id: workspaces[name],
        deployment_id: crypto.randomUUID(),
        watch,
        removed: false,
      } as Assignment);
  });
};

export const ofDeployments: Readonly<Record<string, OpenScene>> = {
  builds: plane('source'),
  'steps of deployments': plane('opening'),
  'looks at git refs': looks,
};
