import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { HostEnd } from '@roadstead/agent-server';
import type { Log } from '@roadstead/kit';
import type { KubernetesClient } from '@roadstead/kubernetes';
import type { PlacedServer, ServerOrder, ServerPlace, ServerState } from '../ports/server-place.ts';
import type { AgentPlaces } from './agent-places.ts';
import { applyBudget } from './disruption-budget.ts';
import { PodGroup } from './pod-group.ts';
import type { PodMember } from './pod-member.ts';
import { hindranceTold } from './pod-trouble.ts';
import { objectNameOf, serverLabels } from './pod-names.ts';
import { printPod } from './print-pod.ts';
import { applyPullSecret, type LoginFor, pullNameOf } from './pull-secret.ts';
import { GRACE_S, SERVER, serverDeployment, serverSecret } from './server-manifests.ts';

export interface PodServersOptions {
  readonly places: Pick<AgentPlaces, 'of'>;
  readonly loginFor: LoginFor;
  /** What a pod may write to the disk of its node. */
  readonly disk_mb: number;
  /** How often what stands in the cluster is written again. */
  readonly resync_ms?: number;
  readonly log: Log;
}

const LAST_WORDS_MS = 2000;

/** Servers of images in pods of a cluster. */
export function podServers(options: PodServersOptions): ServerPlace {
  const groups = new Map<string, PodGroup>();
  return {
    place: (order) => {
      const { deployment_id, revision_id } = order.names;
      const id = `${deployment_id}/${revision_id}`;
      const join = () => {
        const group = groups.get(id) ?? open(id, order);
        return { member: group.join(), cluster: group.cluster };
      };
      return new PodServer(options, { order, join });
    },
  };

  function open(id: string, order: ServerOrder): PodGroup {
    const { places, loginFor, disk_mb, resync_ms, log } = options;
    const { names, image } = order;
    const { pods, owners } = places.of(names.deployment_id);
    const name = `${objectNameOf(names)}-${names.revision_id.slice(-8)}-${pods.nextSuffix()}`;
    const labels = { ...image.labels, ...serverLabels(names, { ...pods.marks, group: name }) };
    const written = {
      name,
      labels,
      annotations: { ...image.pod?.annotations, 'roadstead.dev/deployment': names.name },
    };
    const owned = owners.hold(names);
    const group = new PodGroup({
      cluster: pods.cluster,
      name,
      container: SERVER,
      secrets: [name, pullNameOf(name)],
      ensureOwner: () => owned.reference(),
      doubtOwner: () => owned.doubt(),
      resync_ms,
      prepare: async (owner) => {
        await pods.cluster.apply('secrets', serverSecret(order, { ...written, owner }), { force: true });
      },
      scale: async (owner, replicas) => {
        const login = await loginFor(image.reference);
        const pull_secret = login && (await applyPullSecret(pods.cluster, { ...written, owner, login }));
        const deployment = serverDeployment(order, { ...written, owner, replicas, pull_secret, disk_mb });
        await pods.cluster.apply('deployments', deployment, { force: true });
        await applyBudget(pods.cluster, { ...written, owner, replicas });
      },
      onEmpty: () => {
        groups.delete(id);
        followed[Symbol.dispose]();
        owned.release();
      },
      log,
    });
    const followed = pods.follow(name, group);
    groups.set(id, group);
    return group;
  }
}

interface PodServerParts {
  readonly order: ServerOrder;
  readonly join: () => { readonly member: PodMember; readonly cluster: KubernetesClient };
}

class PodServer implements PlacedServer {
  readonly output = { stdout: new PassThrough(), stderr: new PassThrough() };
  readonly #options: PodServersOptions;
  readonly #parts: PodServerParts;
  readonly #over = new AbortController();
  #member: PodMember | undefined;
  #is_killed = false;

  constructor(options: PodServersOptions, parts: PodServerParts) {
    this.#options = options;
    this.#parts = parts;
  }

  async run(onStarted: () => void): Promise<HostEnd> {
    if (this.#is_killed) return KILLED;
    let printing: Promise<void> | undefined;
    const { member, cluster } = this.#parts.join();
    this.#member = member;
    member.onHindrance = hindranceTold(this.#parts.order.onHindrance);
    member.onTrouble = (sentence) => this.output.stderr.write(`${sentence}\n`);
    member.lastWords = async () => {
      await Promise.race([printing, pause(LAST_WORDS_MS, undefined, { ref: false })]);
    };
    void member.begun.then(() => {
      onStarted();
      printing =
        member.pod &&
        printPod(member.pod, {
          cluster,
          container: SERVER,
          to: this.output.stdout,
          goes_on: () => !member.hasEnded,
          signal: this.#over.signal,
        });
    });
    const end = await member.ended;
    if (end !== KILLED) await member.lastWords();
    this.#over.abort();
    for (const stream of Object.values(this.output)) stream.end();
    return end;
  }

  failed(error: unknown): HostEnd {
    this.#options.log.warn('a server could not be started', { error });
    return { kind: 'not started', why: 'an error of this machine' };
  }

  async look(): Promise<ServerState> {
    const { pod, hasEnded = true } = this.#member ?? {};
    const host = pod?.status?.podIP;
    const { state, ready } = pod?.status?.containerStatuses?.find(({ name }) => name === SERVER) ?? {};
    if (hasEnded || host === undefined || state?.running === undefined) return { kind: 'stopped' };
    const { port, check } = this.#parts.order.image;
    return { kind: 'running', at: { host, port }, is_healthy: check && ready === true };
  }

  /** Its pod is asked to end, and is there for so long at most. */
  async stop(grace_s: number): Promise<void> {
    this.#is_killed = true;
    const bounded = Math.min(Math.max(1, Math.ceil(grace_s)), GRACE_S);
    this.#member?.end({ kind: 'killed', signal: 'SIGTERM' }, { grace_s: bounded });
  }

  kill(): void {
    this.#is_killed = true;
    this.#member?.end(KILLED, { at_once: true });
  }
}

const KILLED: HostEnd = { kind: 'killed', signal: 'SIGKILL' };
