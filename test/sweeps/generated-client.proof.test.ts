import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { services } from '@roadstead/contracts/services';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { dataHome, startPlatform } from '../support/platform.ts';

/** The served OpenAPI documents, held against what the generator and the compiler of others make of them. */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));

test('when a public generator makes a typed client of the documents, then it compiles and works', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'generated-client-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    for (const name of Object.keys(services)) {
      const document = await fetch(`${platform().url}/openapi/${name}.json`);
      await writeFile(join(folder, `${name}.json`), await document.text());
      await run(join(root, 'node_modules/.bin/oazapfts'), [`${name}.json`, `${name}.ts`], { cwd: folder });
    }
    await writeFile(join(folder, 'caller.ts'), CALLER);
    await run(
      join(root, 'node_modules/.bin/tsc'),
      ['--noEmit', ...COMPILER, ...Object.keys(services).map((name) => `${name}.ts`), 'caller.ts'],
      { cwd: folder },
    );
    const env = { ...process.env, ROADSTEAD_URL: platform().url, ROADSTEAD_API_KEY: platform().key };
    const { stdout } = await run(process.execPath, ['caller.ts'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual({
      created: ['generated', 'CREATING'],
      listed: ['generated'],
      taken: 409,
      project: 'from-a-generated-client',
      runs: [],
      workspaces: 1,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const COMPILER =
  '--strict --skipLibCheck --allowImportingTsExtensions --module nodenext --target es2024 --types node'.split(
    ' ',
  );

/** What a user of the generated client writes; every call and every field is checked by the compiler. */
const CALLER = `
import * as control from './control-plane.ts';
import * as identity from './identity.ts';
import * as traces from './observability.ts';

for (const { defaults } of [control, identity, traces]) {
  defaults.baseUrl = process.env['ROADSTEAD_URL'] ?? '';
  defaults.headers = { 'X-Api-Key': process.env['ROADSTEAD_API_KEY'] };
}
function sure<T extends { status: number }, S extends T['status']>(answer: T, status: S): Extract<T, { status: S }> {
  if (answer.status !== status) throw new Error(JSON.stringify(answer));
  return answer as Extract<T, { status: S }>;
}
const wanted = {
  name: 'generated',
  source: 'internal_source' as const,
  source_config: {},
  source_revision_config: { langgraph_config_path: 'langgraph.json' },
  secrets: [],
};
const created = sure(await control.createDeployment(wanted), 201).data;
const revisions = sure(await control.listRevisions(created.id), 200).data.resources;
const listed = sure(await control.listDeployments({ name: 'generated' }), 200).data.resources;
const taken = await control.createDeployment(wanted);
const project = sure(await traces.createSession({ name: 'from-a-generated-client' }), 200).data;
const found = sure(await traces.queryRuns({ session: [project.id] }), 200).data;
const workspaces = sure(await identity.listWorkspaces(), 200).data.items;
console.log(
  JSON.stringify({
    created: [created.name, revisions[0]?.status],
    listed: listed.map((one) => one.name),
    taken: taken.status,
    project: project.name,
    runs: found.runs,
    workspaces: workspaces.length,
  }),
);
`;
