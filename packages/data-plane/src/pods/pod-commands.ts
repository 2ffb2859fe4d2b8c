import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { HostEnd } from '@roadstead/agent-server';
import { KubernetesRefusal } from '@roadstead/kubernetes';
import type { Log } from '@roadstead/kit';
import { EngineAway } from '../images/engine-away.ts';
import type { CommandPlace, CommandProgram, RunningCommand } from '../ports/command-place.ts';
import { BUILD, buildJob, type BuildPodOptions, buildSecret } from './build-manifests.ts';
import type { ClusterPods } from './cluster-pods.ts';
import { clusterTrouble, isPassing } from './cluster-trouble.ts';
import { PodMember } from './pod-member.ts';
import { GROUP_LABEL, markLabels } from './pod-names.ts';
import { hindranceTold } from './pod-trouble.ts';
import { printPod } from './print-pod.ts';
import { TroubleWatch } from './trouble-watch.ts';

export interface PodCommandsOptions extends Omit<BuildPodOptions, 'name' | 'labels'> {
  readonly pods: ClusterPods;
  /** Makes what a command writes its user's. */
  readonly give: (program: CommandProgram) => Promise<void>;
  readonly log: Log;
}

const LAST_WORDS_MS = 2000;
const AGAIN_MS = 1000;

/** Runs each command of a build as a job of the cluster, on the volume that has our data. */
export const podCommands = (options: PodCommandsOptions): CommandPlace => ({
  where: 'in the image of ROADSTEAD_HOST_IMAGE',
  start: (program) => new PodCommand(program, options),
});

class PodCommand implements RunningCommand {
  readonly output = { stdout: new PassThrough(), stderr: new PassThrough() };
  readonly ended: Promise<HostEnd>;
  readonly #options: PodCommandsOptions;
  readonly #member = new PodMember({
    container: BUILD,
    // A command is not begun again by itself.
    onLost: (member) => member.end({ kind: 'lost', why: 'its pod is lost.' }),
    onLeft: () => undefined,
  });
  readonly #over = new AbortController();
  #job_uid: string | undefined;
  #has_secret = false;

  constructor(program: CommandProgram, options: PodCommandsOptions) {
    this.#options = options;
    this.ended = this.#run(program);
  }

  kill(): void {
    this.#member.end({ kind: 'killed', signal: 'SIGKILL' }, { at_once: true });
  }

  async #run(program: CommandProgram): Promise<HostEnd> {
    const { pods, log } = this.#options;
    const name = `build-${pods.nextSuffix()}`;
    const labels = { ...markLabels('build', pods.marks), [GROUP_LABEL]: name };
    let printing: Promise<void> | undefined;
    const { signal } = this.#over;
    void this.#member.begun.then(() => {
      printing =
        this.#member.pod &&
        printPod(this.#member.pod, {
          cluster: pods.cluster,
          container: BUILD,
          to: this.output.stdout,
          goes_on: () => !this.#member.hasEnded,
          signal,
        });
    });
    this.#member.onHindrance = hindranceTold(program.onHindrance);
    this.#member.onTrouble = (sentence) => this.output.stderr.write(`${sentence}\n`);
    const troubles = new TroubleWatch({
      cluster: pods.cluster,
      container: BUILD,
      name,
      waiting: () => [this.#member].filter(({ isWaiting }) => isWaiting),
    });
    using _followed = pods.follow(name, {
      see: (pod) => this.#member.see(pod),
      gone: () => this.#member.lose(),
    });
    try {
      await this.#untilTaken(program, { ...this.#options, name, labels });
      troubles.begin();
      const end = await this.#member.ended;
      await Promise.race([printing, pause(LAST_WORDS_MS, undefined, { ref: false })]);
      return end;
    } catch (error) {
      if (isPassing(error)) throw new EngineAway(error);
      log.warn('a command of a build could not be started', { error });
      return { kind: 'not started', why: 'an error of this machine' };
    } finally {
      this.#over.abort();
      for (const stream of Object.values(this.output)) stream.end();
      void this.#remove(name);
    }
  }

  /** What the cluster refuses for now, such as by a quota that is full, is asked again; what it refuses for good is the end. */
  async #untilTaken(program: CommandProgram, options: PodCommandsOptions & BuildPodOptions): Promise<void> {
    await options.give(program);
    while (!this.#member.hasEnded) {
      try {
        await this.#begin(program, options);
        return this.#member.tell(undefined);
      } catch (error) {
        if (!(error instanceof KubernetesRefusal) || isPassing(error)) throw error;
        options.log.warn('the cluster did not take a command of a build', { error });
        this.#member.tell(clusterTrouble(error));
      }
      if (!this.#member.hasEnded) await pause(AGAIN_MS, undefined, { ref: false });
    }
  }

  /** What is in the secret goes with the job, whatever happens to us. */
  async #begin(program: CommandProgram, options: PodCommandsOptions & BuildPodOptions): Promise<void> {
    const { pods, name } = options;
    this.#job_uid ??= (await pods.cluster.create('jobs', buildJob(program, options))).metadata.uid;
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid: this.#job_uid };
    if (!this.#has_secret) await pods.cluster.create('secrets', buildSecret(program, { ...options, owner }));
    this.#has_secret = true;
    await pods.cluster.patch('jobs', { name, patch: { spec: { suspend: false } } });
  }

  async #remove(name: string): Promise<void> {
    const { pods, log } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        await pods.cluster.delete('jobs', { name, propagation: 'Background', grace_s: 0 });
        return;
      } catch (error) {
        if (tries === 1) log.warn('a job could not be removed', { name, error });
      }
      await pause(AGAIN_MS * Math.min(tries, 20), undefined, { ref: false });
    }
  }
}
