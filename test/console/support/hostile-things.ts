import { makeDeployment, makeTalk } from './hostile-agents.ts';
import { makeSettings } from './hostile-settings.ts';
import type { HostileView } from './hostile-texts.ts';
import { makeDatasets, makeExperiments, makePrompt, makeQueue, makeTraces } from './hostile-traces.ts';

/** One of each thing that a tenant can store, whose every text holds payloads, and the views that show them. */

export interface HostileThings extends AsyncDisposable {
  readonly views: readonly HostileView[];
  /** Views that need no sign-in. */
  readonly shared: readonly HostileView[];
  /** The run whose attachments have active content. */
  readonly run: string;
}

export async function makeHostileThings(): Promise<HostileThings> {
  const traces = await makeTraces();
  const parts = [
    traces,
    ...(await Promise.all([
      makeDatasets(),
      makeExperiments(),
      makeQueue(traces.run),
      makeTalk(),
      makePrompt(),
      makeSettings(traces.project),
      makeDeployment(),
    ])),
  ];
  return {
    views: parts.flatMap(({ views }) => views),
    shared: parts.flatMap(({ shared = [] }) => shared),
    run: traces.run,
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled(parts.flatMap(({ undo }) => undo).map((one) => one()));
    },
  };
}
