import { repairText } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import type { Score } from '../../evaluators/score-rules.ts';
import { whyUnusable } from '../../evaluators/usable-rules.ts';
import type { Part } from './agent-call.ts';
import { type AgentTask, isRecord } from './agent-task-codec.ts';
import type { Example } from './example-pages.ts';

/** Decides what an experiment sends, and what it stores of the answers. */

export const MAX_EXAMPLES = 200;
const MAX_EVALUATORS = 10;
const MAX_KEY = 180;
/** The limit of an example’s inputs, and of an answer; all examples go into one request. */
const MAX_BYTES = 40_000;
const MAX_ID_BYTES = 1000;
const MAX_ERROR = 2000;

type Members = Readonly<Record<string, unknown>>;

/** @throws Problem that names the fault */
export function codesOf(evaluators: Members | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(evaluators ?? {});
  if (entries.length > MAX_EVALUATORS)
    throw new Problem('invalid', `evaluators has more than ${MAX_EVALUATORS} members.`);
  for (const [key, code] of entries) {
    if (typeof code !== 'string')
      throw new Problem('invalid', 'Each member of evaluators must be JavaScript as text.');
    if (key === '' || key.length > MAX_KEY)
      throw new Problem('invalid', `A key in evaluators must have 1 to ${MAX_KEY} characters.`);
  }
  return Object.fromEntries(entries) as Readonly<Record<string, string>>;
}

/** @returns the message for an example, or a sentence why there can be none */
export function partsOf(
  { inputs }: Pick<Example, 'inputs'>,
  text_input: string | undefined,
): readonly Part[] | string {
  const why = whyUnusable(inputs, MAX_BYTES);
  if (why !== undefined) return `What is in inputs can’t be used: ${why}.`;
  if (text_input === undefined) return [{ kind: 'data', data: inputs }];
  const text = Object.hasOwn(inputs, text_input) ? inputs[text_input] : undefined;
  if (text === undefined || text === null) return `The example has no input ${text_input}.`;
  return [{ kind: 'text', text: typeof text === 'string' ? text : JSON.stringify(text) }];
}

/** The input of evaluators, or why there is none. */
export type Outcome = { readonly outputs: Members } | { readonly error: string };

export function outcomeOf({ state, text, data }: AgentTask, limit_s: number): Outcome {
  if (state === 'submitted' || state === 'working')
    return { error: `The agent took longer than ${limit_s} s.` };
  if (state !== 'completed')
    return { error: repairText(`The agent’s task is ${state}. ${text}`.trim().slice(0, MAX_ERROR)) };
  const outputs = {
    ...(isRecord(data) ? data : data === undefined ? {} : { data }),
    ...(text === '' ? {} : { text }),
  };
  const why = whyUnusable(outputs, MAX_BYTES);
  return why === undefined ? { outputs } : { error: `The answer can’t be used: ${why}.` };
}

export interface RanExample {
  readonly example: Pick<Example, 'id' | 'inputs'>;
  readonly outcome: Outcome;
  readonly scores: readonly Score[];
  readonly started_at: Date;
  readonly ended_at: Date;
  /** The thread by which the agent's own trace is found. */
  readonly thread_id?: string;
}

interface FinishedExperiment {
  readonly name: string;
  readonly dataset_id: string;
  readonly began: Date;
  readonly ran: readonly RanExample[];
  readonly metadata: object;
}

/** The body of `POST /datasets/upload-experiment`. */
export function uploadOf({ name, dataset_id, began, ran, metadata }: FinishedExperiment) {
  return {
    experiment_name: name,
    experiment_description: 'Run by start_experiment.',
    experiment_start_time: began.toISOString(),
    experiment_end_time: new Date(Math.max(...ran.map(({ ended_at }) => ended_at.getTime()))).toISOString(),
    experiment_metadata: metadata,
    dataset_id,
    results: ran.map(({ example, outcome, scores, started_at, ended_at, thread_id }) => ({
      row_id: example.id,
      inputs: whyUnusable(example.inputs, MAX_BYTES) === undefined ? example.inputs : {},
      ...('outputs' in outcome ? { actual_outputs: outcome.outputs } : { error: outcome.error }),
      evaluation_scores: scores,
      start_time: started_at.toISOString(),
      end_time: ended_at.toISOString(),
      run_name: 'agent',
      // Not sent as the thread of this run: the agent’s own trace is in its project.
      run_metadata: whyUnusable(thread_id, MAX_ID_BYTES) !== undefined ? {} : { agent_thread_id: thread_id },
    })),
  };
}

/** The summary that the caller gets. */
export function summaryOf(ran: readonly RanExample[]) {
  const failures = ran.flatMap(({ outcome }) => ('error' in outcome ? [outcome.error] : []));
  const all = ran.flatMap(({ scores }) => scores);
  const keys = [...new Set(all.map(({ key }) => key))];
  const scores = keys.map((key) => {
    const own = all.filter((one) => one.key === key);
    const numbers = own.flatMap(({ score }) =>
      score === undefined || score === null ? [] : [Number(score)],
    );
    const failed = own.filter(({ error }) => error === true);
    const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
    return [
      key,
      {
        n: own.length,
        ...(numbers.length === 0 ? {} : { avg: mean }),
        ...(failed.length === 0 ? {} : { errors: failed.length, first_error: failed[0]?.comment }),
      },
    ] as const;
  });
  return {
    examples_run: ran.length,
    examples_failed: failures.length,
    ...(failures[0] === undefined ? {} : { first_failure: failures[0] }),
    scores: Object.fromEntries(scores),
  };
}
