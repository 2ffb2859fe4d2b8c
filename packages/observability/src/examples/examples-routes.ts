import type { examples } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { malformed } from '@roadstead/kit';
import { readDataset } from '../dataset-records/dataset-store.ts';
import { jsonAnswer, listText, type Members, objectText } from '../reading/json-answer.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import { everyField, exampleMembers, payloadMember, selectedFields } from './example-answer-rules.ts';
import { type SentExample, sentChange, sentExample, sentExamples } from './example-body-codec.ts';
import { withBody } from './example-body-work.ts';
import { changeExamples, requireOneDataset } from './example-change-work.ts';
import type { ExampleContext } from './example-context.ts';
import { createExamples, prepareExamples } from './example-creation-work.ts';
import { deleteExamples } from './example-deletion-work.ts';
import { exampleFilterOf, readExample, readExamples, searchExamples } from './example-reader-work.ts';
import { countExamples } from './example-store.ts';

type ExampleHandlers = Handlers<typeof examples>;

export function exampleHandlers(context: ExampleContext): ExampleHandlers {
  const { db, addresses } = context;
  const shown = { selected: everyField, addresses };
  return {
    listExamples: async ({ query, workspace_id }) => {
      const { order, random_seed, select, offset, limit, descending = order !== 'id', ...asked } = query;
      const filter = await exampleFilterOf(db, { workspace_id, ...asked });
      const selected = selectedFields(select);
      const with_attachments = selected.has('attachment_urls');
      const page = { order, random_seed, descending, offset, limit, with_attachments };
      const records = await searchExamples(db, filter, page);
      return jsonAnswer(listText(records.map((record) => exampleMembers(record, { selected, addresses }))));
    },
    countExamples: async ({ query, workspace_id }) => {
      const filter = await exampleFilterOf(db, { workspace_id, ...query });
      return inLimitedTime(db, (tx) => countExamples(tx, filter));
    },
    createExample: async (call) =>
      withBody({ context, call }, async (body) => {
        const { workspace_id } = call;
        const sent = [withDataset(await sentExample(body))];
        const { example_ids } = await createExamples(context, { workspace_id, sent });
        const [record] = await readExamples(db, { workspace_id, ids: example_ids });
        return jsonAnswer(objectText(record === undefined ? [] : exampleMembers(record, shown)));
      }),
    createExamples: async (call) =>
      withBody({ context, call }, async (body) => {
        const { workspace_id } = call;
        const sent = (await sentExamples(body)).map(withDataset);
        const { example_ids } = await createExamples(context, { workspace_id, sent });
        const records = await readExamples(db, { workspace_id, ids: example_ids });
        return jsonAnswer(listText(records.map((record) => exampleMembers(record, shown))));
      }),
    patchExamples: async (call) =>
      withBody({ context, call }, async (body) => {
        const changes = (await sentExamples(body)).map(withId);
        await changeExamples(context, { workspace_id: call.workspace_id, changes });
        return { message: `${changes.length} examples updated`, count: changes.length };
      }),
    patchExample: async (call) => patchOne(context, call),
    deleteExamples: async ({ query, workspace_id }) => {
      const { example_ids } = query;
      await deleteExamples(db, { workspace_id, example_ids, now: context.now() });
      return { message: `${example_ids.length} examples deleted` };
    },
    deleteExample: async ({ params, workspace_id }) => {
      await deleteExamples(db, { workspace_id, example_ids: [params.example_id], now: context.now() });
      return { message: `Example ${params.example_id} deleted` };
    },
    readExample: async ({ params, query, workspace_id }) => {
      const record = await readExample(db, {
        workspace_id,
        example_id: params.example_id.toLowerCase(),
        ...query,
      });
      return jsonAnswer(objectText(exampleMembers(record, shown)));
    },
    validateExample: async (call) =>
      withBody({ context, call }, async (body) => {
        const [checked = []] = await validate(context, call.workspace_id, [await sentExample(body)]);
        return jsonAnswer(objectText(checked));
      }),
    validateExamples: async (call) =>
      withBody({ context, call }, async (body) =>
        jsonAnswer(listText(await validate(context, call.workspace_id, await sentExamples(body)))),
      ),
  };
}

type CallOf<Name extends keyof ExampleHandlers> = Parameters<ExampleHandlers[Name]>[0];

async function patchOne(context: ExampleContext, call: CallOf<'patchExample'>) {
  const { workspace_id } = call;
  const example_id = call.params.example_id.toLowerCase();
  await requireOneDataset(context.db, { workspace_id, example_ids: [example_id], dataset_ids: [] });
  return withBody({ context, call }, async (body) => {
    const sent = await sentChange(body, 'body');
    const changes = [{ ...sent, fields: { ...sent.fields, id: example_id } }];
    await changeExamples(context, { workspace_id, changes });
    return { message: `Example ${example_id} updated` };
  });
}

function withDataset(sent: SentExample): SentExample & { readonly dataset_id: string } {
  const { dataset_id } = sent.fields;
  if (dataset_id === null || dataset_id === undefined)
    throw malformed([...sent.at.split('.'), 'dataset_id'], 'is required', 'missing');
  return { ...sent, dataset_id };
}

function withId(sent: SentExample): SentExample {
  if (sent.fields.id === null || sent.fields.id === undefined)
    throw malformed([...sent.at.split('.'), 'id'], 'is required', 'missing');
  return sent;
}

/** Does everything that creating examples would do, except the writing. */
async function validate(
  context: ExampleContext,
  workspace_id: string,
  sent: readonly SentExample[],
): Promise<Members[]> {
  const named = sent.map(withDataset);
  for (const [id, examples] of Map.groupBy(named, ({ dataset_id }) => dataset_id))
    await prepareExamples(context, {
      dataset: await readDataset(context.db, { workspace_id, id }),
      sent: examples,
    });
  return named.map(({ fields, dataset_id, inputs, outputs, metadata, splits }): Members => [
    ['id', { value: fields.id ?? null }],
    ['dataset_id', { value: dataset_id }],
    ['created_at', { value: fields.created_at ?? null }],
    ['source_run_id', { value: fields.source_run_id ?? null }],
    ['use_source_run_io', { value: fields.use_source_run_io ?? false }],
    ['overwrite', { value: fields.overwrite ?? false }],
    ['split', { value: splits ?? null }],
    ['inputs', payloadMember(inputs)],
    ['outputs', payloadMember(outputs)],
    ['metadata', payloadMember(metadata === undefined ? undefined : Buffer.from(metadata))],
  ]);
}
