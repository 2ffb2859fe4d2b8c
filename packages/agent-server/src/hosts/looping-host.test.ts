import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { defaultSettings, type ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import { openFence } from '@roadstead/fence';
import { assistantIdOf, silentLog } from '@roadstead/kit';
import { migrate, openDatabase } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { ENGINE_SCHEMA, engineMigrations } from '../database/engine-migrations.ts';
import { openTestEngine, type TestEngine } from '../testing/test-engine.ts';
import { checkedManifest } from './checked-manifest.ts';
import { javascriptHost } from './javascript/javascript-host.ts';
import { launchFenced } from './fenced-launcher.ts';
import { HostProcess } from './host-process.ts';
import { RevisionHosts } from './revision-hosts.ts';

const checkout = fileURLToPath(new URL('../../../../', import.meta.url));
const hostMain = createRequire(import.meta.url).resolve('@roadstead/graph-host/main');
const owner = { principal: 'workspace:w', assistant_id: assistantIdOf('agent') };
const never = new AbortController().signal;

/** Loops, waits for a file, or answers at once; a mark says that a node has begun. */
const graph = `
import { existsSync, writeFileSync } from 'node:fs';
import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('work', async ({ messages }) => {
    const { text } = messages.at(-1);
    writeFileSync('began-' + text, '');
    if (text === 'loop') for (;;);
    while (text === 'wait' && !existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5));
    return { messages: [new AIMessage('did ' + text)] };
  })
  .addEdge(START, 'work')
  .addEdge('work', END)
  .compile();
`;

/** Below the checkout's packages, so that the graph finds LangGraph. */
async function projectFolder() {
  await mkdir(join(checkout, 'node_modules/.cache'), { recursive: true });
  const folder = await mkdtemp(join(checkout, 'node_modules/.cache/looping-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'graph.js'), graph);
  const graphs: ProjectGraphs = {
    config_path: 'langgraph.json',
    graphs: { agent: { path: './graph.js:graph', description: null } },
    ...defaultSettings,
  };
  return { folder, graphs, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

test('when a node loops forever, then it fails with a sentence, and other runs succeed', async () => {
  await using project = await projectFolder();
  const { folder } = project;
  await using database = await freshDatabase();
  await using db = openDatabase({ url: database.url, max: 4, name: 'looping', schema: ENGINE_SCHEMA });
  await migrate(db, { schema: ENGINE_SCHEMA, migrations: engineMigrations });
  const { fence } = await openFence({ isolation: 'none', data_folder: folder, sockets: [] });
  const notices: string[] = [];
  await using hosts = new RevisionHosts({
    spawn: (handlers) =>
      new HostProcess({
        launched: launchFenced(fence, {
          kind: javascriptHost,
          program: {
            command: [process.execPath, hostMain],
            cwd: folder,
            environment: {
              PATH: '/usr/bin:/bin',
              ROADSTEAD_MODULE_ROOT: checkout,
              ROADSTEAD_PROJECT: JSON.stringify(project.graphs),
            },
            reads: [],
            writes: [folder],
            home: folder,
          },
        }),
        handlers,
        mask: (text) => text,
        onLine: () => undefined,
      }),
    sink: {
      ask: (question, beside) => engine.sink.ask(question, beside),
      tell: (told, blobs) => {
        if (told.method === 'done') hosts.settle(told.params, told.params);
        else engine.sink.tell(told, blobs);
      },
    },
    jobs_per_host: 10,
    max_hosts: 2,
    memory_mb: 1024,
    onTrouble: () => undefined,
    min_hosts: 0,
    idle_ms: 60_000,
    start_ms: 60_000,
    unresponsive_ms: 2500,
    pulse: { ping_ms: 50, silent_ms: 600 },
    onHosts: () => undefined,
    onNotice: (level, message) => notices.push(`${level} ${message}`),
    log: silentLog,
  });
  await using engine: TestEngine = await openTestEngine(db, (params) => hosts.run(params, 'caller'));
  const send = async (text: string) => {
    const { id } = await engine.begin(owner, {
      context_id: undefined,
      digest: text,
      message: { message_id: text, role: 'user', parts: [{ kind: 'text', text }] },
      input: { messages: [{ role: 'user', content: text }] },
      stream: false,
      tracing_thread_id: undefined,
      metadata: {},
    });
    return engine.settled(id, never);
  };
  engine.activate('11111111-1111-4111-8111-111111111111', checkedManifest(await hosts.describe(never)));
  const waits = send('wait');
  await expect.poll(() => existsSync(join(folder, 'began-wait'))).toBe(true);
  const loops = send('loop');
  await expect.poll(() => notices.length).toBeGreaterThan(0);
  expect((await send('hello')).artifacts).toMatchObject([{ parts: [{ text: 'did hello' }] }]);
  const failed = await loops;
  await writeFile(join(folder, 'go'), '');
  expect(failed.status).toMatchObject({
    state: 'failed',
    message: {
      parts: [
        {
          text: 'The agent failed: Its process did not answer for 2.5 s and was ended (an endless loop?).',
        },
      ],
    },
  });
  expect((await waits).artifacts).toMatchObject([{ parts: [{ text: 'did wait' }] }]);
  // Three attempts, and more hosts where the loop began before the host could say that it took the run.
  expect(notices.filter((notice) => notice.startsWith('ERROR')).length).toBeGreaterThanOrEqual(3);
});
