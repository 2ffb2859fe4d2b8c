import { type Problem, problemOf } from '@roadstead/kit';
import { readJson } from '../decoding/sent-json-codec.ts';
import { listExamples } from '../examples/example-store.ts';
import { openProvider } from '../model-providers/model-provider-rules.ts';
import { readProvider } from '../model-providers/model-provider-store.ts';
import type { ModelFailure } from '../models/model-call.ts';
import { record } from '../models/loose-json-rules.ts';
import { wholePayload } from '../records/payload-packing.ts';
import {
  claimCall,
  findTracedRun,
  hasProject,
  hasWaitingCalls,
  postponeCall,
  renewClaim,
  settleCall,
} from './playground-call-store.ts';
import type { PlaygroundContext } from './playground-context.ts';
import type { CallKey, ClaimedCall } from './playground-experiment-row.ts';
import { cancelExperiment } from './playground-experiment-work.ts';
import { endExperiment, lockExperiment, noteFailure } from './playground-experiment-store.ts';
import { filledTemplate } from './template-rules.ts';
import type { TemplateVariables } from './template.ts';
import { failureText } from './traced-call-rules.ts';
import { CallUnderWay } from './traced-call-work.ts';

/** One call of an experiment: claimed, made, traced under the id that it has, and recorded. */

const MOST_ATTEMPTS = 3;
/** The pause before another attempt, times the attempts before it. */
const PAUSE_MS = 4000;
const RENEWAL_MS = 2000;

export async function makeCall(context: PlaygroundContext, key: CallKey, signal: AbortSignal): Promise<void> {
  const { db } = context;
  const call = await claimCall(db, key);
  if (call === undefined) return;
  const experiment = { workspace_id: key.workspace_id, id: key.experiment_id };
  if (!(await hasProject(db, key))) return cancelExperiment(context, experiment);
  const traced = await findTracedRun(db, key);
  // It was killed between the run and the record of it.
  if (traced !== undefined) return recordEnd(context, call, traced.has_error ? UNKNOWN : undefined);
  const lost = new AbortController();
  const renewal = setInterval(() => {
    renewClaim(db, call).then(
      (kept) => (kept ? undefined : lost.abort(new Error('The call is no longer wanted.'))),
      (error: unknown) => context.log.warn('a claim was not renewed', { error }),
    );
  }, RENEWAL_MS);
  try {
    await attempt(context, call, AbortSignal.any([signal, lost.signal]));
  } catch (error) {
    if (lost.signal.aborted) return;
    // Another process goes on with it at once.
    if (signal.aborted) await postponeCall(db, { ...call, after_ms: 0 });
    else throw error;
  } finally {
    clearInterval(renewal);
  }
}

const UNKNOWN = 'A call ended with an error; its run has it.';

async function attempt(context: PlaygroundContext, call: ClaimedCall, signal: AbortSignal): Promise<void> {
  const under_way = await begin(context, call);
  if (under_way instanceof CallUnderWay) {
    await Array.fromAsync(under_way.events(signal));
    const { failure } = under_way.answer();
    if (failure?.may_pass === true && call.attempts < MOST_ATTEMPTS)
      return postponeCall(context.db, { ...call, after_ms: PAUSE_MS * call.attempts });
    await traceAndRecord(context, call, { under_way, failure });
  } else await recordEnd(context, call, under_way.sentence);
}

/** A Problem where the call cannot be made: the example, the provider or a variable is gone. */
async function begin(context: PlaygroundContext, call: ClaimedCall): Promise<CallUnderWay | Problem> {
  const { db, secret_box } = context;
  const { workspace_id, run_id, experiment_id, example_id, model, asked, repetition } = call;
  try {
    const row = await readProvider(db, { workspace_id, id: call.model_provider_id });
    const provider = openProvider(secret_box, row);
    const messages = filledTemplate(asked.template, await inputsOf(context, call));
    return new CallUnderWay(context, {
      workspace_id,
      run_id,
      provider,
      call: { model, messages, parameters: asked.parameters, stream: true },
      metadata: { ...asked.metadata, model_provider_id: row.id, repetition },
      tags: [],
      place: { session_id: experiment_id, reference_example_id: example_id },
    });
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined || problem.kind === 'unavailable') throw error;
    return problem;
  }
}

async function inputsOf({ db }: PlaygroundContext, call: ClaimedCall): Promise<TemplateVariables> {
  const { workspace_id, dataset_id, example_id, as_of } = call;
  const at = as_of === null ? ({ kind: 'latest' } as const) : ({ kind: 'instant', as_of } as const);
  const page = { order: 'id', descending: false, offset: 0, limit: 1 } as const;
  const [example] = await listExamples(db, { workspace_id, dataset_id, ids: [example_id], at }, page);
  if (example?.inputs === undefined) return {};
  return record((await readJson(await wholePayload(example.inputs)))?.value);
}

interface EndedCall {
  readonly under_way: CallUnderWay;
  readonly failure: ModelFailure | undefined;
}

async function traceAndRecord(
  context: PlaygroundContext,
  call: ClaimedCall,
  { under_way, failure }: EndedCall,
): Promise<void> {
  // Who has lost the claim writes no run: another makes the call.
  if (!(await renewClaim(context.db, call))) return;
  try {
    await under_way.trace();
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    if (call.attempts < MOST_ATTEMPTS)
      return postponeCall(context.db, { ...call, after_ms: PAUSE_MS * call.attempts });
    return recordEnd(context, call, `The run was not stored: ${problem.sentence}`);
  }
  await recordEnd(context, call, failure && failureText(failure));
}

/** @param error why the call failed; undefined where it did not. */
async function recordEnd(
  { db }: PlaygroundContext,
  call: ClaimedCall,
  error: string | undefined,
): Promise<void> {
  const key = { workspace_id: call.workspace_id, id: call.experiment_id };
  await db.transaction(async (tx) => {
    const { tx: locked, status } = await lockExperiment(tx, key);
    if (!(await settleCall(locked, { ...call, state: error === undefined ? 'done' : 'failed' }))) return;
    if (error !== undefined) await noteFailure(locked, { ...key, error });
    if (!(await hasWaitingCalls(locked, key))) await endExperiment(locked, key, { from: status, to: 'done' });
  });
}
