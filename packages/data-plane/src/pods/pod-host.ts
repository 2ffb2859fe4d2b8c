import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { HostConnections, HostEnd, LaunchedHost, StartHindrance } from '@roadstead/agent-server';
import type { KubernetesClient, Pod, StoredObject } from '@roadstead/kubernetes';
import type { ExpectedGuest } from '../doors/tls-door.ts';
import { HOST } from './pod-manifests.ts';
import type { PodMember } from './pod-member.ts';
import { hindranceTold } from './pod-trouble.ts';
import { printPod } from './print-pod.ts';

/** How long a host without a channel may take to end by itself, and its node to say so. */
const UNHEARD_MS = 5000;
/** What the node gives a host that retires: more than the engine does, which kills it before. */
const RETIRE_S = 30;
/** How long the cluster may take to hear of it. */
const HEARD_MS = 1000;
/** How long what a host printed last is waited for. */
const LAST_WORDS_MS = 2000;

const KILLED: HostEnd = { kind: 'killed', signal: 'SIGKILL' };

export interface PodHostOptions {
  readonly cluster: KubernetesClient;
  readonly member: PodMember;
  readonly memory_full: LaunchedHost['memory_full'];
  readonly unfit: LaunchedHost['unfit'];
  readonly onHindrance: StartHindrance | undefined;
  /** Lets the host of a pod in. */
  readonly expect: (pod: StoredObject<Pod>) => ExpectedGuest;
}

/** A graph host in a pod, from when it is wanted to its end. */
export class PodHost implements LaunchedHost {
  /** A node keeps both outputs of a container as one. */
  readonly output = { stdout: new PassThrough(), stderr: new PassThrough() };
  readonly outputs_are_one = true;
  readonly pid = undefined;
  readonly memory_full: LaunchedHost['memory_full'];
  readonly unfit: LaunchedHost['unfit'];
  readonly begun: Promise<void>;
  readonly connections: Promise<HostConnections>;
  readonly ended: Promise<HostEnd>;
  readonly #options: PodHostOptions;
  readonly #over = new AbortController();
  readonly #connected = Promise.withResolvers<HostConnections>();
  /** The id of the pod that is let in. */
  #expected: string | undefined;
  #guest: ExpectedGuest | undefined;
  #printing: Promise<void> | undefined;

  constructor(options: PodHostOptions) {
    this.#options = options;
    const { member, memory_full, onHindrance } = options;
    this.unfit = options.unfit;
    this.memory_full = {
      says: memory_full.says,
      // The first process of a container that aborts is ended by its fault.
      ends: (how) => memory_full.ends(how) || (how.kind === 'killed' && how.signal === 'SIGSEGV'),
    };
    this.begun = member.begun;
    this.connections = this.#connected.promise;
    this.connections.catch(() => undefined);
    member.onChange = (pod) => this.#see(pod);
    member.onTrouble = (sentence) => this.output.stderr.write(`${sentence}\n`);
    member.onHindrance = hindranceTold(onHindrance);
    member.lastWords = async () => {
      await Promise.race([this.#printing, pause(LAST_WORDS_MS, undefined, { ref: false })]);
    };
    void member.begun.then(() => (this.#printing = this.#print()));
    this.ended = member.ended.then((end) => this.#end(end));
  }

  /** A cluster that is away keeps nobody from ending. */
  async retire(): Promise<void> {
    await Promise.race([this.#options.member.retire(RETIRE_S), pause(HEARD_MS, undefined, { ref: false })]);
  }

  kill(): void {
    this.#options.member.end(KILLED, { at_once: true });
  }

  #see(pod: StoredObject<Pod>): void {
    const { uid } = pod.metadata;
    if (uid === this.#expected) return;
    this.#expected = uid;
    this.#guest?.[Symbol.dispose]();
    this.#guest = this.#options.expect(pod);
    this.#guest.connections.then(
      (connections) => this.#connect(connections),
      () => undefined,
    );
  }

  async #print(): Promise<void> {
    const { cluster, member } = this.#options;
    if (member.pod === undefined) return;
    await printPod(member.pod, {
      cluster,
      container: HOST,
      to: this.output.stdout,
      goes_on: () => !member.hasEnded,
      signal: this.#over.signal,
    });
  }

  #connect(connections: HostConnections): void {
    this.#connected.resolve(connections);
    const { channel } = connections;
    const end = () =>
      setTimeout(
        () => this.#options.member.end({ kind: 'lost', why: 'its connection broke.' }),
        UNHEARD_MS,
      ).unref();
    if (channel.destroyed) end();
    else channel.once('close', end);
  }

  async #end(end: HostEnd): Promise<HostEnd> {
    if (end !== KILLED) await this.#options.member.lastWords?.();
    this.#over.abort();
    this.#guest?.[Symbol.dispose]();
    this.#connected.reject(new Error('The pod has ended.'));
    for (const stream of Object.values(this.output)) stream.end();
    return end;
  }
}
