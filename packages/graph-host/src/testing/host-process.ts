import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type {
  EngineCalls,
  HostCalls,
  HostError,
  HostEvent,
  HostLogLine,
  HostMessage,
  HostTells,
  NoTells,
  RunResult,
  RunParams,
} from '@roadstead/contracts/host';
import { checksOfHosts, Peer, SharedParts } from '@roadstead/contracts/host-peer';
import { type ProjectGraphs, readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import { EngineDouble } from './engine-double.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
/** Fixtures take their packages from the checkout. */
const checkout = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');

export interface RunEnd {
  readonly outcome: RunResult;
  readonly events: readonly HostEvent[];
}

export interface HostOptions {
  /** Starts a host; that of JavaScript unless given. */
  readonly command?: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
  readonly config_path?: string;
  readonly engine?: EngineDouble;
  /** Whether imports may only come from `folder`, as in a deployment. */
  readonly fenced?: boolean;
}

/** As the one who starts a host reads it. */
function projectIn(folder: string, config_path = 'langgraph.json'): ProjectGraphs {
  const read = readLangGraphJson(readFileSync(join(folder, config_path), 'utf8'), config_path);
  if (read.kind === 'refused') throw new Error(read.message);
  return read.config;
}

/** A real graph host of a folder, with a double of the engine. */
export class HostUnderTest implements AsyncDisposable {
  readonly engine: EngineDouble;
  readonly child: ChildProcess;
  readonly events: HostEvent[] = [];
  readonly logged: HostLogLine[] = [];
  /** What the process printed, to both streams. */
  output = '';
  readonly exited: Promise<number | null>;
  readonly peer: Peer<EngineCalls, NoTells, HostCalls, HostTells>;
  readonly channel: Duplex;
  /** Until hosts may say more than a little. */
  room: Promise<void> | undefined;
  readonly #ends = new Map<string, (end: RunEnd) => void>();
  readonly #emitted = new Map<string, HostEvent[]>();
  readonly #parts = new Map<string, SharedParts>();
  readonly #watchers = new Set<() => void>();

  constructor(folder: string, options: HostOptions = {}) {
    this.engine = options.engine ?? new EngineDouble();
    const [program, ...words] = options.command ?? [process.execPath, '--max-semi-space-size=4', main];
    this.child = spawn(program, words, {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        ROADSTEAD_PROJECT: JSON.stringify(projectIn(folder, options.config_path)),
        ...(options.fenced === true ? {} : { ROADSTEAD_MODULE_ROOT: checkout }),
        ...options.environment,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.channel = this.child.stdio[3] as Duplex;
    this.peer = new Peer(
      { write: (frame) => void this.channel.write(frame) },
      {
        checks: checksOfHosts,
        malformed: 'throw',
        ask: async (question, blobs) => {
          if (question.method !== 'emit') return this.engine.ask(question, blobs);
          this.#told(question, blobs);
          await this.room;
          return { result: {} };
        },
        tell: (message, blobs) => this.#told(message, blobs),
      },
    );
    this.channel.on('data', (bytes: Buffer) => this.#receive(bytes));
    this.channel.on('error', () => undefined);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (bytes: Buffer) => {
        this.output += bytes.toString();
        this.#wake();
      });
    this.exited = new Promise((resolve) => this.child.once('close', resolve));
    void this.exited.then((code) =>
      this.peer.close(new Error(`The host ended with ${String(code)}: ${this.output}`)),
    );
  }

  /** Runs to the end; what isn't given is a first, durable run of the graph `agent`. */
  async run(params: Partial<RunParams> & Pick<RunParams, 'thread_id'>): Promise<RunEnd> {
    const whole: RunParams = {
      run_id: crypto.randomUUID(),
      attempt: 1,
      graph_id: 'agent',
      assistant_id: 'assistant',
      configurable: {},
      metadata: {},
      tags: [],
      chunks: false,
      durability: 'async',
      has_checkpoint: this.engine.checkpoints(params.thread_id).length > 0,
      ...params,
    };
    const ended = new Promise<RunEnd>((resolve) => this.#ends.set(keyOf(whole), resolve));
    const broken = this.exited.then((code) => {
      throw new Error(`The host ended with ${String(code)} during a run: ${this.output}`);
    });
    broken.catch(() => undefined);
    await this.peer.ask('run', whole);
    return Promise.race([ended, broken]);
  }

  /** Waits until what the host told or printed meets a condition. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#watchers.add(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** A breach of the protocol ends the host, and each call that waits for it fails with the sentence. */
  #receive(bytes: Buffer): void {
    try {
      void this.peer.receive(bytes);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.output += `The host broke the protocol: ${why}\n`;
      this.peer.close(new Error(`The host broke the protocol: ${why}`));
      this.child.kill('SIGKILL');
    }
  }

  #told(message: HostMessage, blobs: readonly Uint8Array[]): void {
    this.engine.tell(message, blobs);
    if (message.method === 'emit') {
      const emit = message.params;
      const parts = this.#parts.get(keyOf(emit)) ?? new SharedParts();
      this.#parts.set(keyOf(emit), parts);
      const events = emit.events.map((event) => (event.kind === 'stream' ? parts.whole(event) : event));
      this.#emitted.set(keyOf(emit), [...(this.#emitted.get(keyOf(emit)) ?? []), ...events]);
      this.events.push(...events);
    }
    if (message.method === 'log') this.logged.push(message.params);
    if (message.method === 'done') {
      const { run_id, attempt, ...outcome } = message.params;
      const events = this.#emitted.get(keyOf({ run_id, attempt })) ?? [];
      this.#ends.get(keyOf({ run_id, attempt }))?.({ outcome, events });
    }
    this.#wake();
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }
}

/** The texts of whole messages in a run's events. */
export function texts(events: readonly HostEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'message' ? [event.message.text] : []));
}

export function errorOf(outcome: RunResult): HostError {
  if (outcome.outcome !== 'error') throw new Error(`The run ended in ${outcome.outcome}`);
  return outcome.error;
}

const keyOf = (ref: { run_id: string; attempt: number }) => `${ref.run_id}/${ref.attempt}`;
