import { z } from 'zod';
import { Problem } from '@roadstead/kit';
import { objects, uuids } from '../input-rules.ts';
import { toolErrorOf, unexpectedAnswer } from '../tool-error.ts';
import { tool, type ToolContext } from '../tool.ts';
import { agreed, confirmInput, counted, quoted } from './acting-tool.ts';
import { datasetInputs, findDataset } from './dataset-inputs.ts';
import { changedExample, newExample, SPLIT_DOC } from './example-rules.ts';

export const editExamples = tool({
  name: 'edit_examples',
  title: 'Edit examples',
  access: 'datasets:write',
  effect: 'acts',
  hints: { destructive: true, idempotent: false },
  description:
    'Adds, changes and deletes examples of a dataset, in this order, each kind all or none; list_examples shows their ids. Earlier versions of the dataset stay as they were.',
  input: z.strictObject({
    ...datasetInputs,
    add: objects(
      `Up to 100 {inputs, outputs, metadata, split, id}. ${SPLIT_DOC} An id keeps a repeated call from adding twice.`,
    ),
    update: objects('Up to 100 {id, …}; what is absent stays.'),
    delete: uuids('Up to 100 ids.'),
    ...confirmInput,
  }),
  output: {
    dataset_id: z.string(),
    added_ids: z.array(z.string()),
    updated: z.int(),
    deleted: z.int(),
  },
  run: async (given, context) => {
    const edits = editsOf(given);
    const dataset = await findDataset(given, context);
    await requireThere(dataset.id, edits, context);
    await agreed(`${sentenceOf(edits)} of the dataset ${quoted(dataset.name)}?`, given, context);
    return makeEdits(dataset.id, edits, context);
  },
});

interface Edits {
  readonly add: readonly object[];
  readonly update: readonly (object & { readonly id: string })[];
  readonly remove: readonly string[];
}

function editsOf(given: {
  readonly add?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly update?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly delete?: readonly string[] | undefined;
}): Edits {
  const add = (given.add ?? []).map((example, at) => newExample(example, `add[${at}]`));
  const update = (given.update ?? []).map((example, at) => changedExample(example, `update[${at}]`));
  const remove = [...new Set(given.delete)];
  if (add.length + update.length + remove.length === 0)
    throw new Problem('invalid', 'There is nothing to do: give add, update or delete.');
  const ids = [...update.map(({ id }) => id), ...remove];
  if (new Set(ids).size < ids.length)
    throw new Problem('invalid', 'An example is named twice in update and delete.');
  return { add, update, remove };
}

const PAGE = 100;

/** Checked before the user is asked, and before anything is done. */
async function requireThere(
  dataset: string,
  { update, remove }: Edits,
  { api, signal }: ToolContext,
): Promise<void> {
  const ids = [...update.map(({ id }) => id), ...remove];
  const missing: string[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const some = ids.slice(at, at + PAGE);
    const query = { dataset, id: some, select: ['id'], limit: PAGE };
    const answer: unknown = await api.listExamples({ query, signal });
    if (!Array.isArray(answer)) throw unexpectedAnswer();
    const there = new Set((answer as { id: string }[]).map(({ id }) => id));
    missing.push(...some.filter((id) => !there.has(id)));
  }
  if (missing.length === 0) return;
  throw new Problem(
    'not_found',
    `The dataset has no examples ${missing.slice(0, 10).join(', ')}; nothing was done.`,
    {
      hint: 'Call list_examples to see the ids there are.',
    },
  );
}

function sentenceOf({ add, update, remove }: Edits): string {
  const said = [
    ...(add.length === 0 ? [] : [`add ${counted(add.length, 'example')}`]),
    ...(update.length === 0 ? [] : [`change ${counted(update.length, 'example')}`]),
    ...(remove.length === 0 ? [] : [`delete ${counted(remove.length, 'example')}`]),
  ].join(', ');
  return said.charAt(0).toUpperCase() + said.slice(1);
}

async function makeEdits(dataset_id: string, { add, update, remove }: Edits, { api, signal }: ToolContext) {
  const done = { dataset_id, added_ids: [] as string[], updated: 0, deleted: 0 };
  const send = (body: readonly object[]) => ({
    raw: JSON.stringify(body.map((example) => ({ ...example, dataset_id }))),
    headers: { 'content-type': 'application/json' },
    signal,
  });
  const inStep = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      throw halfDone(error, done);
    }
  };
  if (add.length > 0)
    await inStep(async () => {
      const made = await api.createExamples(send(add));
      done.added_ids.push(...made.map(({ id }) => id));
    });
  if (update.length > 0)
    await inStep(async () => {
      await api.patchExamples(send(update));
      done.updated = update.length;
    });
  if (remove.length > 0)
    await inStep(async () => {
      await api.deleteExamples({ query: { example_ids: [...remove] }, signal });
      done.deleted = remove.length;
    });
  return done;
}

/** The same error, with a note of what was done before it. */
function halfDone(
  error: unknown,
  done: { readonly added_ids: readonly string[]; readonly updated: number },
): unknown {
  const said = toolErrorOf(error);
  if (said === undefined) return error;
  const before = [
    ...(done.added_ids.length === 0 ? [] : [`added ${done.added_ids.join(', ')}`]),
    ...(done.updated === 0 ? [] : [`changed ${counted(done.updated, 'example')}`]),
  ];
  const so_far = before.length === 0 ? 'Nothing was done.' : `Done before it: ${before.join('; ')}.`;
  return new Problem('invalid', `${said.message} ${so_far}`, { code: said.code, hint: said.hint });
}
