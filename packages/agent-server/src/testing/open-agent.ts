import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import { openFence } from '@roadstead/fence';
import { createGuardedFetch } from '@roadstead/outbound';
import { createSigner, createSigningKey, createVerifier } from '@roadstead/http';
import { createSecretBox, silentLog } from '@roadstead/kit';
import { openAgentServer } from '../agent-server.ts';
import { fencedLauncher } from '../hosts/fenced-launcher.ts';
import type { AgentLogLine, AgentServer, RevisionSpec } from '../agent-server-options.ts';
import type { Trouble } from '../hosts/crash-rules.ts';
import { freshDatabase } from '@roadstead/testing';
import { engineSchema } from './engine-database.ts';

const checkout = fileURLToPath(new URL('../../../../', import.meta.url));
const fixtures = fileURLToPath(new URL('../../../graph-host/fixtures/', import.meta.url));

export interface OpenAgent extends AsyncDisposable {
  readonly server: AgentServer;
  readonly lines: AgentLogLine[];
  readonly troubles: (Trouble | undefined)[];
  /** Begins to serve the graphs of the fixtures on real hosts. */
  serve(revision_id: string, fixture?: string): Promise<void>;
  /** The edge's assertion about a caller with a key of the workspace `w`. */
  readonly assertion: () => string;
  /** Calls A2A in the name of the workspace `w`; the request is made here, so that no client shares the event loop. */
  call(graph_id: string, body: string | Buffer): Promise<Response>;
  /** Rows of its database. */
  rows(sql: string, values: readonly unknown[]): Promise<readonly object[]>;
  /** The tables in which something of a thread is left. */
  left(thread_id: string): Promise<string[]>;
  /** A request in that workspace's name; `of` is what its key is bound to. */
  fetch(request: Request, of?: { readonly subject?: string }): Promise<Response>;
  /** Asks below the deployment's address, in the name of the workspace `w` or of nobody. */
  ask(path: string, init?: RequestInit & { readonly by?: 'nobody' | 'workspace' }): Promise<Response>;
}

/** A revision that holds the graphs of a folder of the fixtures. */
export function fixtureRevision(revision_id: string, fixture = 'agents'): RevisionSpec {
  const folder = join(fixtures, fixture);
  const read = readLangGraphJson(readFileSync(join(folder, 'langgraph.json'), 'utf8'), 'langgraph.json');
  if (read.kind === 'refused') throw new Error(read.message);
  return { revision_id, folder, project: read.config, environment: { ROADSTEAD_MODULE_ROOT: checkout } };
}

/** A real agent server on a database of its own; for tests. */
export async function openAgent(
  config: {
    readonly min_hosts?: number;
    readonly expose_errors?: boolean;
    readonly host_memory_mb?: number;
    readonly jobs_per_host?: number;
    readonly max_hosts?: number;
  } = {},
): Promise<OpenAgent> {
  await using stack = new AsyncDisposableStack();
  const scratch = await mkdtemp(join(tmpdir(), 'agent-server-'));
  stack.defer(() => rm(scratch, { recursive: true, force: true }));
  const database = stack.use(await freshDatabase('test', [engineSchema]));
  const { fence } = await openFence({ isolation: 'auto', data_folder: scratch, sockets: [] });
  const signer = createSigner(createSigningKey());
  const lines: AgentLogLine[] = [];
  const troubles: (Trouble | undefined)[] = [];
  const server = stack.use(
    await openAgentServer({
      deployment_id: 'd',
      workspace_id: 'w',
      name: 'agent',
      database_url: database.url,
      verify: createVerifier(signer.public_keys, { audience: 'agent-server' }),
      public_url: () => 'http://roadstead.test/agents/agent',
      log: silentLog,
      onLog: (line) => lines.push(line),
      onHosts: () => undefined,
      onTrouble: (trouble) => troubles.push(trouble),
      config: {
        jobs_per_host: 1,
        idle_s: 900,
        start_s: 60,
        unresponsive_s: 60,
        min_hosts: 0,
        max_hosts: 2,
        host_memory_mb: 1024,
        host_cpus: undefined,
        a2a_body_bytes: 26_214_400,
        expose_errors: false,
        ...config,
      },
      launcher: fencedLauncher(fence),
      outbound: createGuardedFetch({ allowed_hosts: ['127.0.0.1'] }),
      secret_box: createSecretBox(['key']),
      writable_folder: scratch,
    }),
  );
  const principal = { workspace_id: 'w', actor: 'key:test', scopes: ['agents:invoke' as const] };
  const assertion = () => signer.sign(principal, 'agent-server');
  const kept = stack.move();
  return {
    server,
    lines,
    troubles,
    assertion,
    serve: async (revision_id, fixture) => {
      await server.prepare(fixtureRevision(revision_id, fixture), new AbortController().signal);
      await server.activate(revision_id, new AbortController().signal);
    },
    call: (graph_id, body) => {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      const request = new Request(`http://roadstead.test/a2a/${graph_id}`, {
        method: 'POST',
        headers: { 'content-length': `${bytes.length}` },
        body: streamOf(bytes),
        duplex: 'half',
      });
      return server.fetch(request, { assertion: assertion() });
    },
    rows: (sql, values) => database.db.query(sql, values),
    left: async (thread_id) => {
      const left: string[] = [];
      for (const [table, condition] of ofThread)
        if (
          (await database.db.query(`select from agent.${table} where ${condition} limit 1`, [thread_id]))
            .length > 0
        )
          left.push(table);
      return left;
    },
    fetch: (request, of) =>
      server.fetch(request, { assertion: signer.sign({ ...principal, ...of }, 'agent-server') }),
    ask: (path, { by = 'workspace', ...init } = {}) => {
      const request = new Request(`http://roadstead.test${path}`, init);
      const inward = { path: new URL(request.url).pathname };
      const assertion = signer.sign(principal, 'agent-server');
      return server.fetch(request, by === 'nobody' ? inward : { ...inward, assertion });
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const byThread = 'thread_id::text = $1';
/**
 * The tables in which threads leave rows, and the condition that finds them. Events are found only by their run or
 * task.
 */
const ofThread: readonly (readonly [table: string, condition: string])[] = [
  ...['threads', 'contexts', 'runs', 'tasks', 'checkpoints', 'checkpoint_blobs', 'checkpoint_writes'].map(
    (table) => [table, byThread] as const,
  ),
  [
    'run_events',
    '$1 <> all (select run_id::text from agent.runs) and run_id not in (select run_id from agent.runs)',
  ],
  [
    'task_events',
    '$1 <> all (select task_id::text from agent.tasks) and task_id not in (select task_id from agent.tasks)',
  ],
];

/** In chunks, as a server gets them. */
function streamOf(bytes: Buffer): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + 65_536));
      at += 65_536;
    },
  });
}
