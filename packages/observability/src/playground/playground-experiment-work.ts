import type { PlaygroundExperimentCreate } from '@roadstead/contracts/observability';
import { Problem, uuidv7 } from '@roadstead/kit';
import { readDataset } from '../dataset-records/dataset-store.ts';
import { exampleFilterOf } from '../examples/example-reader-work.ts';
import { everyExample } from '../examples/example-pages-work.ts';
import { insertSession } from '../session-records/session-store.ts';
import type { SessionRow } from '../session-records/session-row.ts';
import type { RowKey } from '../values/keys.ts';
import { cancelCalls, insertCalls } from './playground-call-store.ts';
import type { PlaygroundContext } from './playground-context.ts';
import type { ExperimentProgress, NewCall } from './playground-experiment-row.ts';
import {
  endExperiment,
  insertExperiment,
  lockExperiment,
  readExperiment,
} from './playground-experiment-store.ts';
import type { AskedTemplate } from './prompt-source-work.ts';

const MOST_CALLS = 10_000;

/**
 * Writes an experiment with all its calls, at the version that the dataset has now.
 * @throws Problem where there is no such dataset, or no example; or too many.
 */
export async function createExperiment(
  { db, clock }: PlaygroundContext,
  workspace_id: string,
  { body, asked }: { readonly body: PlaygroundExperimentCreate; readonly asked: AskedTemplate },
): Promise<ExperimentProgress> {
  const dataset = await readDataset(db, { workspace_id, id: body.dataset_id });
  const version = body.as_of ?? dataset.latest_as_of ?? undefined;
  const filter = await exampleFilterOf(db, {
    workspace_id,
    dataset: dataset.id,
    as_of: version,
    splits: body.splits ?? undefined,
  });
  const as_of = filter.at.kind === 'instant' ? filter.at.as_of : null;
  const calls: NewCall[] = [];
  let examples = 0;
  for await (const { row } of everyExample(db, filter)) {
    examples += 1;
    if (examples * body.repetitions > MOST_CALLS) throw tooMany();
    for (let repetition = 1; repetition <= body.repetitions; repetition += 1)
      calls.push({ run_id: uuidv7(), example_id: row.example_id, repetition });
  }
  if (calls.length === 0) throw new Problem('invalid', 'The dataset has no example for this experiment.');
  const id = uuidv7();
  const { model_provider_id, model } = body;
  await db.transaction(async (tx) => {
    await insertSession(tx, projectOf(body, { workspace_id, id, now: clock.now(), examples, as_of, asked }));
    const fields = { dataset_id: dataset.id, as_of, model_provider_id, model, asked };
    await insertExperiment(tx, { workspace_id, id, ...fields });
    await insertCalls(tx, { workspace_id, id, calls });
  });
  return readExperiment(db, { workspace_id, id });
}

const tooMany = () =>
  new Problem(
    'invalid',
    `An experiment of the playground makes ${MOST_CALLS.toLocaleString('en-US')} calls at most.`,
    {
      hint: 'Choose a split, or fewer repetitions.',
    },
  );

interface ProjectFacts extends RowKey {
  readonly now: number;
  readonly examples: number;
  readonly as_of: string | null;
  readonly asked: AskedTemplate;
}

function projectOf(
  body: PlaygroundExperimentCreate,
  { workspace_id, id, now, examples, as_of, asked }: ProjectFacts,
): Omit<SessionRow, 'test_run_number'> {
  const { model, model_provider_id } = body;
  return {
    workspace_id,
    id,
    name: body.name ?? `${model}-${id.slice(-8)}`,
    description: body.description ?? null,
    extra: {
      metadata: {
        ...body.metadata,
        ...asked.metadata,
        model,
        model_provider_id,
        dataset_version: as_of,
        ...(body.splits === null || body.splits === undefined ? {} : { dataset_splits: body.splits }),
      },
    },
    start_time: new Date(now).toISOString(),
    end_time: null,
    default_dataset_id: null,
    reference_dataset_id: body.dataset_id,
    trace_tier: null,
    num_examples: examples,
    num_repetitions: body.repetitions,
    evaluator_keys: null,
    kicked_off_by: null,
    is_agent: false,
  };
}

/** Calls under way learn of it when they renew their claim. @throws Problem `not_found` */
export async function cancelExperiment({ db }: Pick<PlaygroundContext, 'db'>, key: RowKey): Promise<void> {
  await db.transaction(async (tx) => {
    const locked = await lockExperiment(tx, key);
    if (await endExperiment(locked.tx, key, { from: locked.status, to: 'cancelled' }))
      await cancelCalls(locked.tx, key);
  });
}
