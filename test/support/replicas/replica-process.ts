import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Service } from './replica-settings.ts';

/** One process of one service, which tests end, pause and start again. */

const preloaded = new URL('replica-preload.ts', import.meta.url).href;
const main = join(fileURLToPath(new URL('../../../', import.meta.url)), 'packages/cli/src/main.ts');

export interface ReplicaOptions {
  readonly service: Service;
  /** Which one of those of its service; the first is 1. */
  readonly number: number;
  readonly env: NodeJS.ProcessEnv;
  readonly onOutput: (text: string) => void;
}

export class ReplicaProcess implements AsyncDisposable {
  readonly service: Service;
  readonly number: number;
  readonly #options: ReplicaOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<number> = Promise.resolve(0);

  constructor(options: ReplicaOptions) {
    this.service = options.service;
    this.number = options.number;
    this.#options = options;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Until it says that it is ready. @throws with what it wrote, where it ends before */
  async start(): Promise<void> {
    const { service, env, onOutput } = this.#options;
    const args = ['--max-semi-space-size=32', '--import', preloaded, main, 'serve', service];
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    this.#exited = new Promise((done) =>
      child.once('exit', (code, signal) => done(code ?? (signal === 'SIGKILL' ? 137 : 1))),
    );
    let output = '';
    const ready = new Promise<undefined>((done) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (bytes: Buffer) => {
          onOutput(bytes.toString());
          output = (output + bytes.toString()).slice(-20_000);
          if (output.includes('"ready":true')) done(undefined);
        });
    });
    const code = await Promise.race([ready, this.#exited]);
    if (code !== undefined) throw new Error(`${service} ${this.number} ended with ${code}: ${output}`);
  }

  /** SIGKILL, until it is gone. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#exited;
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** SIGTERM, and its exit code. */
  async stop(): Promise<number> {
    this.#child?.kill('SIGTERM');
    return this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.resume();
    await this.stop();
  }
}
