import { uuidv7 } from '@roadstead/kit';
import type { Evaluators } from '../../evaluators/evaluators.ts';
import { toolErrorOf } from '../tool-error.ts';
import type { ToolContext } from '../tool.ts';
import { type Agent, settled } from './agent-call.ts';
import type { Example } from './example-pages.ts';
import { type Outcome, outcomeOf, partsOf, type RanExample } from './experiment-rules.ts';

export interface ExperimentSettings {
  readonly agent: Agent;
  readonly evaluators: Evaluators;
  readonly text_input: string | undefined;
  readonly concurrency: number;
  readonly example_ms: number;
  readonly all_ms: number;
}

/** The examples that were done, and why no more were. */
export interface ExperimentEnd {
  readonly ran: readonly RanExample[];
  readonly ended: 'cancelled' | 'stopped when its time was over' | undefined;
}

/** Runs examples a few at a time; those unfinished when it is cancelled or its time is over are left out. */
export async function runExamples(
  examples: readonly Example[],
  settings: ExperimentSettings,
  { signal, report }: Pick<ToolContext, 'signal' | 'report'>,
): Promise<ExperimentEnd> {
  const over = AbortSignal.timeout(settings.all_ms);
  const broken = new AbortController();
  const until = AbortSignal.any([signal, over, broken.signal]);
  const ran: RanExample[] = [];
  const waiting = [...examples];
  const lane = async () => {
    for (let example = waiting.shift(); example !== undefined; example = waiting.shift()) {
      const one = await runExample(example, settings, until);
      if (one === undefined) return;
      ran.push(one);
      const message = `${ran.length} of ${examples.length} examples are done.`;
      report({ progress: ran.length, total: examples.length, message });
    }
  };
  // Where one fails, the others end before this does: no work continues unattended.
  const lanes = Array.from({ length: settings.concurrency }, () =>
    lane().catch((error: unknown) => {
      broken.abort();
      throw error;
    }),
  );
  const failure = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
  if (ran.length === examples.length) return { ran, ended: undefined };
  return { ran, ended: signal.aborted ? 'cancelled' : 'stopped when its time was over' };
}

/** Undefined where it was interrupted. */
async function runExample(
  example: Example,
  settings: ExperimentSettings,
  until: AbortSignal,
): Promise<RanExample | undefined> {
  if (until.aborted) return undefined;
  const started_at = new Date();
  try {
    const { outcome, thread_id } = await answerTo(example, settings, until);
    const ended_at = new Date();
    const given = 'outputs' in outcome ? [example.inputs, outcome.outputs, example.outputs] : undefined;
    const scores = given === undefined ? [] : await settings.evaluators.scores(given);
    const thread = thread_id === undefined ? {} : { thread_id };
    return { example, outcome, scores, started_at, ended_at, ...thread };
  } catch (error) {
    if (until.aborted) return undefined;
    throw error;
  }
}

interface ExampleAnswer {
  readonly outcome: Outcome;
  readonly thread_id?: string;
}

/** A failure of the agent is the result of its example, not a failure of the experiment. */
async function answerTo(
  example: Example,
  { agent, text_input, example_ms }: ExperimentSettings,
  signal: AbortSignal,
): Promise<ExampleAnswer> {
  const parts = partsOf(example, text_input);
  if (typeof parts === 'string') return { outcome: { error: parts } };
  try {
    const begun = await agent.send({ parts, message_id: uuidv7() }, signal);
    const task = await settled(agent, begun, { signal, limit_ms: example_ms });
    return { outcome: outcomeOf(task, example_ms / 1000), thread_id: task.context_id };
  } catch (error) {
    const said = signal.aborted ? undefined : toolErrorOf(error);
    if (said === undefined || said.code === 'forbidden' || said.code === 'unauthorized') throw error;
    return { outcome: { error: said.message } };
  }
}
