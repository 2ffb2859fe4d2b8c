import { type Clock, uuidv7 } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { Outbox } from '@roadstead/outbound';
import { readAttachments } from '../attachments/attachment-store.ts';
import { readDataset } from '../dataset-records/dataset-store.ts';
import type { SentExample } from '../examples/example-body-codec.ts';
import type { ExampleContext } from '../examples/example-context.ts';
import { prepareExamples, writeGroup } from '../examples/example-creation-work.ts';
import { readSourceRun } from '../examples/source-run-work.ts';
import { listFeedback } from '../feedback/feedback-store.ts';
import { insertItems } from '../queues/queue-item-store.ts';
import { readQueue } from '../queues/queue-store.ts';
import { requestExtensions } from '../retention/extension-store.ts';
import { findNamedRuns, findRun, type FoundRun } from '../queries/run-query-store.ts';
import type { RecordReader } from '../reading/run-reader-work.ts';
import { askedByRule, isMatchedLater } from './rule-filter-rules.ts';
import type { Outcome, RuleAction } from './rule-rules.ts';
import { addCalls } from './rule-webhook-work.ts';
import type { RuleApplication, RuleActions } from './rule-work.ts';

/** The actions of rules on a run, each in the transaction of the rule. */

export interface ActionsOf {
  readonly clock: Clock;
  readonly examples: ExampleContext;
  readonly reader: RecordReader;
  readonly outbox: Pick<Outbox, 'add'>;
}

interface ActionContext extends RuleApplication {
  readonly found: FoundRun;
}
type Act = (tx: Transaction, acting: ActionContext) => Promise<Outcome>;

const done = (payload: Readonly<Record<string, unknown>>): Outcome => ({ outcome: 'success', payload });
const runIsGone: Outcome = { outcome: 'skipped', payload: { reason: 'The run is gone.' } };

export function createRuleActions({ clock, examples, reader, outbox }: ActionsOf): RuleActions {
  const now = () => new Date(clock.now()).toISOString();
  const acts: Readonly<Record<RuleAction, Act>> = {
    add_to_dataset: (tx, acting) => addToDataset(tx, acting, examples),
    add_to_annotation_queue: async (tx, { rule, found }) => {
      const { workspace_id, run_id, session_id, start_time } = found;
      const queue_id = rule.add_to_annotation_queue_id ?? '';
      await readQueue(tx, { workspace_id, queue_id });
      const item = { id: uuidv7(), item_type: 'RUN', run_id, thread_id: null, added_at: now() } as const;
      const of = { workspace_id, queue_id, session_id, start_time };
      await insertItems(tx, [{ ...item, ...of, source_proposed_example_id: null, last_reviewed_time: null }]);
      return done({ queue_id });
    },
    extend_retention: async (tx, { found }) => {
      await requestExtensions(tx, { runs: [found], now: now() });
      return done({ trace_id: found.trace_id });
    },
    webhooks: async (tx, { rule, found }) => {
      await addCalls(tx, { outbox, reader }, { rule, run: found });
      return done({});
    },
  };
  const perform = (act: Act) => async (tx: Transaction, applied: RuleApplication) => {
    const { workspace_id, run_id } = applied.run;
    const found = await findRun(tx, { workspace_id, run_id, now_ms: clock.now() });
    return found === undefined ? runIsGone : act(tx, { ...applied, found });
  };
  return {
    matches: async (tx, { rule, run: { workspace_id, run_id } }) => {
      if (!isMatchedLater(rule)) return true;
      const by = { kind: 'ids', ids: [run_id] } as const;
      const page = { order: 'desc', limit: 1, cursor: undefined } as const;
      const search = { by, filter: {}, asked: askedByRule(rule), ...page };
      return (await findNamedRuns(tx, { workspace_id, search })).length > 0;
    },
    act: {
      add_to_dataset: perform(acts.add_to_dataset),
      add_to_annotation_queue: perform(acts.add_to_annotation_queue),
      extend_retention: perform(acts.extend_retention),
      webhooks: perform(acts.webhooks),
    },
  };
}

async function addToDataset(
  tx: Transaction,
  { rule, found }: ActionContext,
  examples: ExampleContext,
): Promise<Outcome> {
  const { workspace_id, run_id } = found;
  const dataset = await readDataset(tx, { workspace_id, id: rule.add_to_dataset_id ?? '' });
  const corrected = rule.add_to_dataset_prefer_correction ? await correctionOf(tx, found) : undefined;
  const from = { db: tx, schemas: examples.schemas, now: examples.now };
  const sent = await exampleOf(tx, found, corrected);
  const taken = corrected === undefined ? undefined : await readSourceRun(from, workspace_id, sent.whole);
  const example =
    taken === undefined ? sent.whole : { ...sent.parts, inputs: taken.inputs, outputs: corrected };
  const prepared = await prepareExamples(from, { dataset, sent: [example] });
  await writeGroup(tx, { dataset, examples: prepared, now: examples.now() });
  return done({ dataset_id: dataset.id, example_id: prepared[0]?.row.example_id, run_id });
}

/** Makes an example from a run as it is, or one that takes over its files only. */
async function exampleOf(
  tx: Transaction,
  { workspace_id, run_id }: FoundRun,
  corrected: Uint8Array | undefined,
) {
  const nothing = {
    at: 'run',
    inputs: undefined,
    outputs: undefined,
    metadata: undefined,
    splits: undefined,
    attachments: [],
    attachments_operations: undefined,
  };
  const whole: SentExample = { ...nothing, fields: { source_run_id: run_id, use_source_run_io: true } };
  if (corrected === undefined) return { whole, parts: whole };
  const files = (await readAttachments(tx, { workspace_id, run_ids: [run_id] })).get(run_id) ?? [];
  const use_source_run_attachments = files.map(({ name }) => name);
  const parts: SentExample = { ...nothing, fields: { source_run_id: run_id, use_source_run_attachments } };
  return { whole, parts };
}

/** The latest correction of a run, which replaces its outputs. */
async function correctionOf(
  tx: Transaction,
  { workspace_id, run_id }: FoundRun,
): Promise<Uint8Array | undefined> {
  const said = await listFeedback(tx, { workspace_id, run_ids: [run_id] }, { limit: 100, offset: 0 });
  const found = said.find(
    ({ correction }) => typeof correction === 'object' && correction !== null && !Array.isArray(correction),
  );
  return found && Buffer.from(JSON.stringify(found.correction));
}
