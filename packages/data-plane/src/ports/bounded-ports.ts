import type { SourceForm } from '@roadstead/contracts/control-plane';
import { pause, Problem } from '@roadstead/kit';
import type { Builder, BuildOrder } from './builder.ts';
import type { RunningDeployment, Runtime } from './runtime.ts';
import type { FetchSource, Sources } from './source.ts';
import type { Databases } from '../databases/databases.ts';
import { runStep, type Step, STEP_MS, TookTooLong } from '../steps/steps.ts';

/** Wraps the ports that a rollout uses, so that every wait comes to an end (steps.ts). */

/** Shorter than the build's own grace period: the build removes its folders first. */
const SOURCE_GRACE_MS = 3000;
/** The limit for calls that end at once. */
const RETIRE_MS = 30_000;
/** How often it checks whether killed processes are gone. */
const GONE_MS = 20;

/** Sources end with the build that asks for them. */
export function boundedSources(sources: Sources): Sources {
  const bounded = Object.entries(sources).map(([form, source]) => {
    const fetch = source as FetchSource<SourceForm>;
    const held: FetchSource<SourceForm> = (what, into) =>
      runStep((signal) => fetch(what, { ...into, signal }), {
        signal: into.signal,
        grace_ms: SOURCE_GRACE_MS,
      });
    return [form, held];
  });
  return Object.fromEntries(bounded) as Sources;
}

interface BuilderLimits {
  readonly limit_s: number;
  /** Called with a build that ends when nobody waits for it any more. */
  readonly onLate: (order: BuildOrder) => unknown;
}

export function boundedBuilder(builder: Builder, { limit_s, onLate }: BuilderLimits): Builder {
  return {
    forms: builder.forms,
    build: (order) =>
      runStep((signal) => builder.build(whileWanted({ ...order, signal })), {
        signal: order.signal,
        limit: {
          ms: limit_s * 1000,
          error: () =>
            new Problem('invalid', `The build took longer than ${limit_s} s.`, {
              hint: 'The operator of this platform sets the limit, by ROADSTEAD_BUILD_TIMEOUT_S.',
            }),
        },
        onLate: () => onLate(order),
      }),
  };
}

/** Drops reports of a build that was given up: nobody waits for them. */
function whileWanted(order: BuildOrder): BuildOrder {
  const { signal, onLine } = order;
  const wanted =
    <Args extends readonly unknown[], T>(call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      signal.throwIfAborted();
      return await call(...args);
    };
  return {
    ...order,
    onPhase: wanted(order.onPhase),
    onCommit: wanted(order.onCommit),
    credentials: wanted(order.credentials),
    onLine: (line, level) => (signal.aborted ? undefined : onLine(line, level)),
  };
}

export function boundedRuntime(runtime: Runtime, limit_ms = STEP_MS): Runtime {
  return {
    open: async (deployment) => {
      const running = await runStep((signal) => runtime.open({ ...deployment, signal }), {
        signal: deployment.signal,
        limit: againAfter('the deployment was not opened', limit_ms),
        onLate: (late) => late[Symbol.asyncDispose](),
      });
      return boundedDeployment(running, limit_ms);
    },
    forget: (deployment_id) =>
      runStep(() => runtime.forget(deployment_id), {
        limit: againAfter('what the deployment left was not removed', limit_ms),
      }),
    removeOrphans: () => runtime.removeOrphans(),
  };
}

function boundedDeployment(running: RunningDeployment, limit_ms: number): RunningDeployment {
  const retire = (revision_id: string, drain_ms: number) =>
    runStep(() => running.retire(revision_id, drain_ms), {
      limit: limitOf('The revision did not stop', drain_ms + RETIRE_MS),
    });
  const closeWithin = async (close: () => Promise<void>) => {
    const ms = Math.min(RETIRE_MS, limit_ms);
    const closed = runStep(close, { limit: againAfter('the deployment was not closed', ms) });
    await closed.finally(() => endProcesses(running, ms));
  };
  return {
    prepare: (revision, signal) =>
      runStep((until) => running.prepare(revision, until), {
        signal,
        limit: limitOf('The revision did not start', limit_ms),
        onLate: () => retire(revision.revision_id, 0),
      }),
    activate: (revision_id, signal) =>
      runStep((until) => running.activate(revision_id, until), {
        signal,
        limit: againAfter('the revision did not take over', limit_ms),
      }),
    retire,
    restore: (revision, manifest) => running.restore(revision, manifest),
    routePolicy: (headers) => running.routePolicy(headers),
    fetch: (request, inward) => running.fetch(request, inward),
    upgrade: (request, connection) => running.upgrade(request, connection),
    hosts: () => running.hosts(),
    kill: () => running.kill(),
    close: (drain_ms) => closeWithin(() => running.close(drain_ms)),
    [Symbol.asyncDispose]: () => closeWithin(async () => running[Symbol.asyncDispose]()),
  };
}

/**
 * Kills what is left of a closed deployment.
 * @throws TookTooLong where that does not end it either
 */
async function endProcesses(running: RunningDeployment, limit_ms: number): Promise<void> {
  if (running.hosts() === 0) return;
  running.kill();
  const untilGone = async (signal: AbortSignal) => {
    while (running.hosts() > 0) {
      signal.throwIfAborted();
      await pause(GONE_MS, signal);
    }
  };
  await runStep(untilGone, {
    limit: againAfter('the processes of the deployment did not end', limit_ms),
  });
}

export function boundedDatabases(databases: Databases, limit_ms = STEP_MS): Databases {
  return {
    ...databases,
    drop: (deployment_id) =>
      runStep(() => databases.drop(deployment_id), {
        limit: againAfter('the database was not dropped', limit_ms),
      }),
  };
}

/** An error that is nobody’s fault: the step is retried. */
const againAfter = (what: string, ms: number): NonNullable<Step<unknown>['limit']> => ({
  ms,
  error: () => new TookTooLong(what, ms),
});

const limitOf = (what: string, ms: number): NonNullable<Step<unknown>['limit']> => ({
  ms,
  error: () => new Problem('invalid', `${what} within ${ms / 1000} s.`),
});
