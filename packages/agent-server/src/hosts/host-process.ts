import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { EngineCalls, HostTells } from '@roadstead/contracts/host';
import { corkedTransport, Peer, type PeerHandlers, type Reply } from '@roadstead/contracts/host-peer';
import { endWithUs, parseJson, Problem, readLines } from '@roadstead/kit';
import { unfinishedFrames } from './unfinished-frames.ts';

interface HostCommand {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface HostProcessOptions extends HostCommand {
  readonly handlers: PeerHandlers;
  /** Each line that the user's code prints. */
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void;
  /** Hides secrets in what it prints. */
  readonly mask: (text: string) => string;
}

/** What is asked of a graph host's process. */
export type HostHandle = Pick<
  HostProcess,
  'pid' | 'exited' | 'ask' | 'kill' | 'stop' | typeof Symbol.asyncDispose
>;

/** One graph host: a child process that ends with us, and the channel to it (file descriptor 3). */
export class HostProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #peer: Peer<EngineCalls, HostTells>;
  /** Settles when the process has ended, with a sentence of how. */
  readonly exited: Promise<string>;

  constructor(options: HostProcessOptions) {
    const [program = '', ...args] = options.command;
    this.#child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      // A group of its own: a terminal's Ctrl-C is ours to answer, and what user code starts ends with it.
      detached: true,
    });
    const channel = this.#child.stdio[3] as Duplex;
    const { ask, tell } = options.handlers;
    this.#peer = new Peer<EngineCalls, HostTells>(corkedTransport(channel), {
      ask,
      tell,
      parseLarge: (json) => parseJson(json),
    });
    channel.on('data', (bytes: Buffer) => this.#receive(channel, bytes));
    channel.on('error', () => undefined);
    for (const name of ['stdout', 'stderr'] as const) this.#readLines(name, options);
    this.exited = new Promise((resolve) => {
      // The message of the error names paths of this machine.
      this.#child.once('error', (error: NodeJS.ErrnoException) =>
        resolve(`The graph host could not be started (${error.code ?? error.name}).`),
      );
      // `close` comes after the last output, `exit` may come before it.
      this.#child.once('close', (code, signal) =>
        resolve(
          signal === null
            ? `The graph host ended with exit code ${String(code)}.`
            : `The graph host was ended by ${signal}.`,
        ),
      );
    });
    // One whose event loop is blocked can't see its channel break.
    const watch = this.#child.pid === undefined ? undefined : endWithUs(this.#child.pid);
    void this.exited.then((how) => {
      watch?.[Symbol.dispose]();
      unfinishedFrames.hold(this, 0);
      this.#peer.close(new Problem('unavailable', how));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  ask<M extends keyof EngineCalls>(
    method: M,
    params: EngineCalls[M]['params'],
  ): Promise<Reply<EngineCalls[M]['result']>> {
    return this.#peer.ask(method, params as never);
  }

  /** Ends the process and everything that it started. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      this.#child.kill('SIGKILL');
    }
  }

  /** Lets the tracer flush, for `grace_ms` at most. */
  async stop(grace_ms: number): Promise<void> {
    const timer = setTimeout(() => this.kill(), grace_ms);
    await this.ask('stop', { grace_ms }).catch(() => undefined);
    await this.exited;
    clearTimeout(timer);
    // What user code left behind in the group.
    this.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.exited;
  }

  #receive(channel: Duplex, bytes: Buffer): void {
    try {
      const handled = this.#peer.receive(bytes);
      unfinishedFrames.hold(this, this.#peer.held);
      if (handled === undefined) return;
      channel.pause();
      handled.then(
        () => channel.resume(),
        (cause: unknown) => this.#end('The graph host broke the host protocol.', cause),
      );
    } catch (cause) {
      this.#end('The graph host broke the host protocol.', cause);
    }
  }

  /** Its frames take more memory than all hosts may have together. */
  endForMemory(): void {
    this.#end('The graph host sent more at once than this machine can take.');
  }

  #end(sentence: string, cause?: unknown): void {
    this.#peer.close(new Problem('internal', sentence, { cause }));
    this.kill();
  }

  #readLines(name: 'stdout' | 'stderr', { onLine, mask }: HostProcessOptions): void {
    const stream = this.#child[name];
    if (stream !== null) readLines(stream, { mask, onLine: (line) => onLine(line, name) });
  }
}
