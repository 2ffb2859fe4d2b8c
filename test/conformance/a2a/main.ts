import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOptions, endForUse } from '@roadstead/testing/processes';
import { dataHome, startPlatform } from '../../support/platform.ts';
import { runKit } from './kit-run.ts';
import { type Addresses, type Kit, kits, type TestResult } from './kits.ts';
import { pageOf, scoreOf } from './page.ts';

const usage = `npm run conformance:a2a -- --kits DIR [options]

  --kits DIR         a clone of the repository of the A2A compatibility kits (a2aproject/a2a-tck), with both branches
  --version NUMBER   only the kit of 0.3 or 1.0
  --tests PATTERN    only tests whose name fits (pytest's -k)
  --folder DIR       where kits are laid out and packages installed (default: a folder of the system's temporary files)
  --write            write docs/conformance-a2a.md
`;

const { values } = commandOptions(usage, {
  options: {
    kits: { type: 'string' },
    version: { type: 'string' },
    tests: { type: 'string' },
    folder: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
if (values.kits === undefined) endForUse('--kits DIR is missing.', usage);
const folder = values.folder ?? join(tmpdir(), 'roadstead-conformance-a2a');
await mkdir(folder, { recursive: true });
await using agent = await startAgent();
const results: TestResult[] = [];
for (const kit of kits.filter(({ version }) => (values.version ?? version) === version))
  results.push(...(await resultsOf(kit)));
if (values.write)
  await writeFile(
    fileURLToPath(new URL('../../../docs/conformance-a2a.md', import.meta.url)),
    pageOf(results),
  );
const { passed, ran, missed } = scoreOf(results);
for (const { version, test, message, verdict } of missed)
  process.stdout.write(`${version} ${test}: ${verdict?.sentence ?? `NO VERDICT: ${message}`}\n`);
process.stdout.write(`${passed} of ${ran} tests that ran pass\n`);
if (missed.some(({ verdict }) => verdict === undefined)) process.exitCode = 1;

async function resultsOf(kit: Kit): Promise<readonly TestResult[]> {
  return runKit(kit, {
    repository: resolve(values.kits ?? ''),
    folder,
    key: agent.key,
    addresses: agent.addressesOf(kit.graph),
    pattern: values.tests,
  });
}

interface AgentUnderTest extends AsyncDisposable {
  readonly key: string;
  addressesOf(graph: string): Addresses;
}

/** A platform as `npm start` starts it, with the agent that does what the kits' scenarios ask for. */
async function startAgent(): Promise<AgentUnderTest> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await dataHome());
  // Where the kits listen for push notifications.
  const env = { ROADSTEAD_ALLOWED_HOSTS: 'localhost,127.0.0.1,[::1]' };
  const platform = stack.use(await startPlatform(home.path, { env }));
  const project = fileURLToPath(new URL('../../agents/tck/', import.meta.url));
  const { code, stderr } = await platform.run('deploy', project, '--name', 'tck');
  if (code !== 0) throw new Error(stderr);
  const base = `${platform.url}/agents/tck`;
  const opened = stack.move();
  return {
    key: platform.key,
    addressesOf: (graph) => ({ base, rpc: `${base}/a2a/${graph}` }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
