import { realpathSync } from 'node:fs';
import type { EngineCalls, EngineQuestion, HostTells, RunResult, RunParams } from '@roadstead/contracts/host';
import {
  checksOfEngine,
  corkedTransport,
  FRAME_LIMITS,
  HOST_WINDOW,
  type JsonBytes,
  noSharedVersion,
  NoSharedVersion,
  PROTOCOL_VERSIONS,
  sharedVersion,
} from '@roadstead/contracts/host-peer';
import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import { openConnection } from './channel/connections.ts';
import type { LoadedAuth } from './project/auth.ts';
import { createEmitter, type Emitter } from './runs/emitter.ts';
import { createGraphAnswers, findGraph } from './graph-answers.ts';
import { provideLoopback } from './http/loopback.ts';
import { serveApp } from './http/serve-app.ts';
import { type HeldRuns, traceLean, type Tracer } from './tracing/lean-tracer.ts';
import { nameBubbleUps } from './tracing/traced-errors.ts';
import { loadProject, type LoadedProject } from './project/load.ts';
import { LoadReports } from './runs/load-reports.ts';
import { quickenEnvironment } from './tracing/quick-environment.ts';
import { poolRandomValues } from './tracing/random-pool.ts';
import { RunStopped } from './runs/run-stopped.ts';
import { checkRunnable, runGraph } from './runs/run.ts';
import type { HostPeer } from './checkpoints/saver.ts';
import { provideSdkLogger } from './project/sdk-logger.ts';
import { type TracingClient, TraceUploads } from './tracing/trace-uploads.ts';
import { CheckedPeer, checkedResult, doneBytes, hostErrorOf } from './values/checked-peer.ts';
import { turnOfFew } from './values/turns.ts';
import { importAsUser } from './modules/user-modules.ts';

/**
 * The graph host: the only process that runs user code. Its parent speaks to it over file descriptor 3; when that
 * ends, so does the host. The current folder is the deployed revision.
 */

interface BlockingPipe {
  setBlocking?(on: boolean): void;
}

const root = realpathSync(process.cwd());
const fence = process.env['ROADSTEAD_MODULE_ROOT'] ?? root;
/** The parts that its `langgraph.json` names, which the engine has read. */
const named = JSON.parse(process.env['ROADSTEAD_PROJECT'] ?? '{}') as ProjectGraphs;
// A pipe of Node's is a socket: what stands in it would be lost when user code ends the process.
for (const { _handle: pipe } of [process.stdout, process.stderr] as { _handle?: BlockingPipe }[])
  pipe?.setBlocking?.(true);

const channel = openConnection('channel');
const running = new Map<string, AbortController>();
let project: Promise<LoadedProject> | undefined;
const uploads = new TraceUploads(process.env['LANGSMITH_ENDPOINT']);
const held: HeldRuns[] = [];

const peer: HostPeer = new CheckedPeer(corkedTransport(channel), {
  checks: checksOfEngine,
  malformed: 'answer',
  ask: async (question) => ({ result: await answered(question) }),
  tell: () => undefined,
  window: HOST_WINDOW,
  limits: FRAME_LIMITS,
});

const load_reports = new LoadReports({ runs: () => running.size, tell: (load) => peer.tell('load', load) });

poolRandomValues();
quickenEnvironment();
provideSdkLogger((line) => peer.tell('log', line));
provideLoopback();

type Answers = {
  readonly [M in keyof EngineCalls]: (
    params: EngineCalls[M]['params'],
  ) => Promise<EngineCalls[M]['result'] | JsonBytes>;
};

const answers: Answers = {
  ...createGraphAnswers(load, peer),
  describe: async ({ protocol_versions: engine }) => {
    if (sharedVersion(PROTOCOL_VERSIONS, engine) === undefined)
      throw new NoSharedVersion(noSharedVersion(PROTOCOL_VERSIONS, engine ?? []));
    return { ...(await load()).manifest, protocol_versions: PROTOCOL_VERSIONS };
  },
  run: async (params) => {
    void run(params, await turnOf(params));
    return { accepted: true };
  },
  cancel: async ({ run_id, attempt, reason, why }) => {
    const controller = running.get(keyOf(run_id, attempt));
    controller?.abort(new RunStopped(reason, why));
    return { found: controller !== undefined };
  },
  authenticate: async (head) => (await loadedAuth()).authenticate(head),
  authorize: async (attempt) => (await loadedAuth()).authorize(attempt),
  embed: async ({ texts }) => {
    const { embed } = await load();
    if (embed === undefined)
      throw new Error('This revision has no embedder: langgraph.json names no store.index.');
    return { vectors: await embed(texts) };
  },
  ping: async () => ({ runs: running.size, heap_bytes: process.memoryUsage().heapUsed }),
  stop: async ({ grace_ms }) => {
    await Promise.race([flushTraces(), new Promise((resolve) => setTimeout(resolve, grace_ms))]);
    setImmediate(() => process.exit(0));
    return {};
  },
};

/** An error that can't be read is answered, too. */
async function answered<M extends keyof EngineCalls>(question: EngineQuestion<M>): Promise<JsonBytes> {
  try {
    return checkedResult(question.method, await answer(question));
  } catch (error) {
    const told = hostErrorOf(error);
    throw Object.assign(new Error(told.message), { stack: undefined, ...told });
  }
}

function answer<M extends keyof EngineCalls>({
  method,
  params,
}: EngineQuestion<M>): Promise<EngineCalls[M]['result'] | JsonBytes> {
  const work: Answers[M] = answers[method];
  return work(params);
}

function load(): Promise<LoadedProject> {
  project ??= loadProject({ root, fence: realpathSync(fence), ...named }).then(async (loaded) => {
    for (const graph of loaded.graphs.values()) checkRunnable(graph, peer);
    if (loaded.app !== undefined) await serveApp(loaded.app, complain);
    for (const { Tracer: Kind } of await tracingOf(loaded)) adoptTracer(Kind);
    return loaded;
  });
  return project;
}

function adoptTracer(Kind: TracingModules['Tracer']): void {
  try {
    uploads.adopt(new Kind().client);
    held.push(traceLean(Kind));
    nameBubbleUps(Kind);
  } catch (error) {
    complain('Traces are sent as the LangSmith SDK sends them by itself', error);
  }
}

async function loadedAuth(): Promise<LoadedAuth> {
  const { auth } = await load();
  if (auth === undefined) throw new Error('This revision has no auth of its own.');
  return auth;
}

/** Until a run may begin; it can be cancelled from here on. */
async function turnOf({ run_id, attempt }: RunParams): Promise<AbortController> {
  const controller = new AbortController();
  running.set(keyOf(run_id, attempt), controller);
  load_reports.watch();
  await uploads.turn();
  await turnOfFew();
  return controller;
}

async function run(params: RunParams, controller: AbortController): Promise<void> {
  const { run_id, attempt } = params;
  const emitter = createEmitter(peer, params, controller);
  const outcome = await outcomeOf(params, controller.signal, emitter);
  running.delete(keyOf(run_id, attempt));
  tellDone({ run_id, attempt, ...outcome });
}

/** An end that can't be told is an end, too. */
function tellDone(done: HostTells['done']): void {
  try {
    peer.tell('done', doneBytes(done));
  } catch (error) {
    const { run_id, attempt } = done;
    peer.tell('done', { run_id, attempt, outcome: 'error', error: hostErrorOf(error) });
  }
}

/** Never throws: a run that can't be loaded or reported has an end, too. */
async function outcomeOf(params: RunParams, signal: AbortSignal, emitter: Emitter): Promise<RunResult> {
  try {
    const graph = findGraph(await load(), params.graph_id);
    const outcome = await runGraph(graph, params, { peer, signal, emitter });
    await emitter.end();
    const untold = outcome.outcome === 'success' ? emitter.untold() : undefined;
    return untold === undefined ? outcome : { outcome: 'error', error: hostErrorOf(untold.error) };
  } catch (error) {
    return { outcome: 'error', error: hostErrorOf(error) };
  }
}

/** Exit code after an uncaught exception of user code (EX_SOFTWARE of sysexits). */
const UNCAUGHT = 70;

/** The classes that trace: LangChain's callbacks and its tracer, both the user's copies. */
interface TracingModules {
  readonly callbacks: { awaitAllCallbacks(): Promise<void> };
  readonly Tracer: { new (): { readonly client: TracingClient }; readonly prototype: Tracer };
}

/** Finds what traces in each copy of LangChain that graphs are made with. */
async function tracingOf({ graphs }: LoadedProject): Promise<TracingModules[]> {
  if (process.env['LANGSMITH_TRACING'] !== 'true') return [];
  const files = new Set([...graphs.values()].map(({ langgraph_file }) => langgraph_file));
  const found = await Promise.allSettled(
    [...files].map(async (file) => {
      const [callbacks, { LangChainTracer }] = await Promise.all([
        importAsUser<TracingModules['callbacks']>('@langchain/core/callbacks/promises', file),
        importAsUser<{ LangChainTracer: TracingModules['Tracer'] }>(
          '@langchain/core/tracers/tracer_langchain',
          file,
        ),
      ]);
      return { callbacks, Tracer: LangChainTracer };
    }),
  );
  return found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

/** Callbacks end in the background, and the client sends in batches: this waits for both. */
async function flushTraces(): Promise<void> {
  await Promise.all(held.map((runs) => runs.end()));
  const loaded = await project?.catch(() => undefined);
  const tracing = loaded === undefined ? [] : await tracingOf(loaded);
  await Promise.allSettled(tracing.map(({ callbacks }) => callbacks.awaitAllCallbacks()));
}

/** To the deployment's log, where who wrote the code looks. */
function complain(what: string, thrown: unknown): void {
  process.stderr.write(`${what}: ${wordsOf(thrown)}\n`);
}

function wordsOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  } catch {
    return hostErrorOf(thrown).message;
  }
}

function keyOf(run_id: string, attempt: number): string {
  return `${run_id}:${attempt}`;
}

channel.on('data', (bytes) => peer.receive(bytes));
// The parent is gone, and with it the reason to run.
channel.on('close', () => process.exit());
channel.on('error', () => process.exit());
// An unhandled rejection is one run's mistake; the others continue.
process.on('unhandledRejection', (reason) => complain('unhandled rejection', reason));
// After an uncaught exception nothing can be relied on; the engine tries the runs again elsewhere.
process.on('uncaughtException', (error) => {
  complain('uncaught exception', error);
  process.exitCode = UNCAUGHT;
  channel.end(() => process.exit(UNCAUGHT));
  setTimeout(() => process.exit(UNCAUGHT), 1000);
});
// A terminal's Ctrl-C and a supervisor's SIGTERM are the parent's to answer.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
