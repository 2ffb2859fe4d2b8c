import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readLines } from '@roadstead/kit';
import type { ContainerStatus, PodContainer, Secret } from '@roadstead/kubernetes';
import type { FakeApiServer, FakePod } from '@roadstead/kubernetes/testing';
import { HOST } from '../../pods/pod-manifests.ts';

type Environment = Readonly<Record<string, string>>;

/** The folders of a pod that its containers share; all else they have from this machine, at the same paths. */
const SHARED = ['/roadstead/files', '/run/roadstead'];

/** A node that runs the containers of its pods as processes of this machine. */
export function playNode(server: FakeApiServer): void {
  server.objects.onPod = async (pod) => {
    const folder = await mkdtemp(join(tmpdir(), 'pod-'));
    const played = new PlayedPod(server, { pod, folder });
    try {
      await played.run();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

class PlayedPod {
  readonly #server: FakeApiServer;
  readonly #pod: FakePod;
  readonly #folder: string;
  readonly #children: ChildProcess[] = [];

  constructor(server: FakeApiServer, { pod, folder }: { readonly pod: FakePod; readonly folder: string }) {
    this.#server = server;
    this.#pod = pod;
    this.#folder = folder;
  }

  async run(): Promise<void> {
    const { asked, stop, pod } = this.#pod;
    asked.addEventListener('abort', () => this.#ask(pod.spec.containers[0]));
    stop.addEventListener('abort', () => this.#killAll());
    for (const path of SHARED) await mkdir(this.#own(path), { recursive: true });
    try {
      for (const container of pod.spec.initContainers ?? []) if (!(await this.#begin(container))) return;
      const [main] = pod.spec.containers;
      if (main === undefined || stop.aborted) return;
      await this.#runMain(main);
    } finally {
      this.#killAll();
    }
    // It is there until somebody removes it.
    if (!stop.aborted) await once(stop, 'abort');
  }

  /** Runs a container to its end, or begins a sidecar. Answers whether the pod goes on. */
  async #begin(container: PodContainer): Promise<boolean> {
    const child = this.#spawn(container);
    if (container.restartPolicy === 'Always') {
      const socket = this.#own(container.command?.at(-1) ?? '');
      while (!existsSync(socket) && child.exitCode === null) await pause(20);
      return !this.#pod.stop.aborted;
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return code === 0 && !this.#pod.stop.aborted;
  }

  async #runMain(container: PodContainer): Promise<void> {
    const child = this.#spawn(container);
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    this.#report(container, { running: { startedAt: new Date().toISOString() } });
    const [code, signal] = await closed.catch(() => [127, null] as const);
    const exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
    this.#report(container, { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } });
  }

  #report({ name }: PodContainer, state: NonNullable<ContainerStatus['state']>): void {
    const goes_on = this.#pod.pod.spec.restartPolicy !== 'Never' || state.running !== undefined;
    this.#pod.report({
      phase: goes_on ? 'Running' : 'Failed',
      containerStatuses: [{ name, state }],
    });
  }

  #spawn(container: PodContainer): ChildProcess {
    const [program = '', ...args] = (container.command ?? []).map((part) =>
      this.#own(part.replaceAll('$$', '$')),
    );
    const child = spawn(program, args, {
      cwd: container.workingDir,
      env: this.#environmentOf(container),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#children.push(child);
    for (const output of [child.stdout, child.stderr])
      readLines(output, { onLine: (line) => this.#pod.print(line) });
    child.on('error', () => undefined);
    return child;
  }

  #environmentOf({ env = [], envFrom = [] }: PodContainer): Environment {
    const all: Record<string, string> = {};
    for (const from of envFrom) Object.assign(all, this.#secret((from as SecretSource).secretRef.name));
    for (const { name, value, valueFrom } of env) {
      const { fieldRef, secretKeyRef } = valueFrom ?? {};
      if (fieldRef !== undefined) all[name] = this.#pod.pod.metadata.uid;
      else if (secretKeyRef !== undefined)
        all[name] = this.#secret(secretKeyRef.name)[secretKeyRef.key] ?? '';
      else all[name] = (value ?? '').replaceAll(/\$\((\w+)\)/g, (_whole, other: string) => all[other] ?? '');
    }
    return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, this.#own(value)]));
  }

  #secret(name: string): Environment {
    const { namespace = '' } = this.#pod.pod.metadata;
    const found = this.#server.store.find('secrets', `${namespace}/${name}`) as unknown as Secret | undefined;
    const stored = Object.entries(found?.data ?? {}).map(
      ([key, value]) => [key, Buffer.from(value, 'base64').toString()] as const,
    );
    return { ...Object.fromEntries(stored), ...found?.stringData };
  }

  /** A path of the pod's own, on this machine. */
  #own(text: string): string {
    return SHARED.reduce((said, path) => said.replaceAll(path, join(this.#folder, path.slice(1))), text);
  }

  /** A host leaves such a signal to the data plane. */
  #ask(main: PodContainer | undefined): void {
    if (main?.name !== HOST) this.#killAll('SIGTERM');
  }

  #killAll(signal: NodeJS.Signals = 'SIGKILL'): void {
    for (const { pid, exitCode, signalCode } of this.#children)
      if (pid !== undefined && exitCode === null && signalCode === null)
        try {
          process.kill(-pid, signal);
        } catch {
          // It has ended since.
        }
  }
}

interface SecretSource {
  readonly secretRef: { readonly name: string };
}
