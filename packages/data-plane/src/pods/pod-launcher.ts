import { type HostOrder, hostProgram, type LaunchedHost, type Launcher } from '@roadstead/agent-server';
import { type Log, randomToken } from '@roadstead/kit';
import type { TlsDoor } from '../doors/tls-door.ts';
import type { AgentPlaces } from './agent-places.ts';
import type { ClusterPods } from './cluster-pods.ts';
import { applyBudget } from './disruption-budget.ts';
import { type PodFiles, podFilesOf } from './pod-files.ts';
import { PodGroup } from './pod-group.ts';
import { PodHost } from './pod-host.ts';
import {
  HOST,
  hostDeployment,
  hostSecret,
  keyNameOf,
  keySecret,
  type PodsPlace,
  tokenOf,
} from './pod-manifests.ts';
import { hostLabels, hostsNameOf } from './pod-names.ts';
import { applyPullSecret, type LoginFor, pullNameOf } from './pull-secret.ts';
import { sentFiles } from './sent-files.ts';

export interface PodLauncherOptions extends PodsPlace {
  readonly places: Pick<AgentPlaces, 'of' | 'removeOrphans'>;
  /** The pods of builds, whose orphans go with those of hosts. */
  readonly builds?: ClusterPods | undefined;
  readonly door: TlsDoor;
  readonly loginFor: LoginFor;
  /** Our data folder: what a host reads in it is sent to its pod. */
  readonly data_folder: string;
  /** How often what stands in the cluster is written again. */
  readonly resync_ms?: number;
  readonly log: Log;
}

/** The pods of one revision in one language, and how they are let in. */
interface HostGroup {
  readonly pods: PodGroup;
  readonly key: string;
  readonly files: () => Promise<PodFiles>;
}

/** Starts graph hosts in pods of a cluster. */
export class PodLauncher implements Launcher {
  readonly #options: PodLauncherOptions;
  /** The groups by revision and language. */
  readonly #groups = new Map<string, HostGroup>();

  constructor(options: PodLauncherOptions) {
    this.#options = options;
  }

  launch(order: HostOrder): LaunchedHost {
    const { door } = this.#options;
    const { kind, program } = hostProgram(order);
    const id = `${order.names.deployment_id}/${order.names.revision_id}/${order.language}`;
    const group = this.#groups.get(id) ?? this.#open(id, { ...order, program });
    return new PodHost({
      cluster: group.pods.cluster,
      member: group.pods.join(),
      memory_full: kind.memory_full,
      unfit: kind.unfit,
      onHindrance: order.onHindrance,
      expect: ({ metadata: { uid } }) => door.expect(tokenOf(uid, group.key), () => sentOf(group)),
    });
  }

  async removeOrphans(): Promise<void> {
    const { places, builds } = this.#options;
    await Promise.all([places.removeOrphans(), builds?.removeOrphans()]);
  }

  #open(id: string, order: HostOrder & Pick<ReturnType<typeof hostProgram>, 'program'>): HostGroup {
    const { names, language, program, revision } = order;
    const { places, loginFor, data_folder, resync_ms, log } = this.#options;
    const { pods, owners } = places.of(names.deployment_id);
    const { image } = revision;
    const { cluster } = pods;
    const name = hostsNameOf(names, { language, suffix: pods.nextSuffix() });
    const key = randomToken(32);
    let found: Promise<PodFiles> | undefined;
    const files = () => (found ??= podFilesOf(program, { data_folder, has_own_image: image !== undefined }));
    const written = {
      ...this.#options,
      name,
      labels: { ...image?.labels, ...hostLabels(names, { ...pods.marks, language, group: name }) },
      annotations: { ...image?.pod?.annotations, 'roadstead.dev/deployment': names.name },
      revision_image: image,
    };
    const owned = owners.hold(names);
    const group = new PodGroup({
      cluster,
      name,
      container: HOST,
      secrets: [name, keyNameOf(name), pullNameOf(name)],
      ensureOwner: () => owned.reference(),
      doubtOwner: () => owned.doubt(),
      resync_ms,
      prepare: async (owner) => {
        await cluster.apply('secrets', hostSecret(program, { ...written, owner }), { force: true });
        await cluster.apply('secrets', keySecret({ ...written, owner, key }), { force: true });
      },
      scale: async (owner, replicas) => {
        const login = image && (await loginFor(image.reference));
        const pull_secret = login && (await applyPullSecret(cluster, { ...written, owner, login }));
        const of_now = { files: await files(), pull_secret, owner, replicas };
        const deployment = hostDeployment(program, { ...written, ...of_now });
        await cluster.apply('deployments', deployment, { force: true });
        await applyBudget(cluster, { ...written, owner, replicas });
      },
      onEmpty: () => {
        this.#groups.delete(id);
        followed[Symbol.dispose]();
        owned.release();
      },
      log,
    });
    const followed = pods.follow(name, group);
    const opened = { pods: group, key, files };
    this.#groups.set(id, opened);
    return opened;
  }
}

async function* sentOf({ files }: HostGroup): AsyncGenerator<Uint8Array> {
  const { sent } = await files();
  yield* sentFiles(sent);
}
