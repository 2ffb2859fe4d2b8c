import type { platformExamples } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { malformed, Problem, TimeSlice } from '@roadstead/kit';
import { readDataset } from '../dataset-records/dataset-store.ts';
import type { SentExample } from './example-body-codec.ts';
import { withBody } from './example-body-work.ts';
import { changeExamples } from './example-change-work.ts';
import type { ExampleContext } from './example-context.ts';
import { createExamples, type WrittenExamples } from './example-creation-work.ts';
import { deleteExamples, deleteExamplesForGood } from './example-deletion-work.ts';
import { changeMetadata } from './example-metadata-work.ts';
import { sentExampleParts } from './example-multipart-codec.ts';
import { findDatasetsOf } from './example-write-store.ts';
import { sentMetadataChange } from './metadata-change-codec.ts';
import type { BodyCall } from '../decoding/body-decoder.ts';

type PlatformExampleHandlers = Handlers<typeof platformExamples>;

export function platformExampleHandlers(context: ExampleContext): PlatformExampleHandlers {
  const { db } = context;
  const withParts = <T>(call: BodyCall, work: (sent: SentExample[]) => Promise<T>) =>
    withBody({ context, call }, async (body) => {
      const content_type = call.request.headers.get('content-type');
      const sent = await sentExampleParts(body, { content_type, slice: new TimeSlice() });
      if (sent.length === 0) throw malformed(['body'], 'holds no example');
      return work(sent);
    });
  return {
    createExamplesMultipart: async (call) => {
      const dataset = await readDataset(db, { workspace_id: call.workspace_id, id: call.params.dataset_id });
      return withParts(call, async (parts) => {
        const sent = parts.map((example) => ({ ...example, dataset_id: dataset.id }));
        return written(await createExamples(context, { workspace_id: call.workspace_id, sent }));
      });
    },
    patchExamplesMultipart: async (call) => {
      const { workspace_id } = call;
      const { id } = await readDataset(db, { workspace_id, id: call.params.dataset_id });
      return withParts(call, async (changes) =>
        written(await changeExamples(context, { workspace_id, id, changes })),
      );
    },
    upsertExamplesMultipart: async (call) =>
      withParts(call, async (sent) => written(await upsert(context, call.workspace_id, sent))),
    deleteExamplesInBulk: async ({ body, workspace_id }) => {
      const doomed = { workspace_id, example_ids: body.example_ids, now: context.now() };
      const ids = body.hard_delete
        ? await deleteExamplesForGood(context, doomed)
        : await deleteExamples(db, doomed);
      return { count: ids.length, example_ids: [...ids] };
    },
    deleteExampleOfDataset: async ({ params, workspace_id }) => {
      const { dataset_id, example_id } = params;
      await deleteExamples(db, { workspace_id, example_ids: [example_id], dataset_id, now: context.now() });
    },
    patchExampleMetadata: async (call) => {
      const { workspace_id } = call;
      const { id } = await readDataset(db, { workspace_id, id: call.params.dataset_id });
      return withBody({ context, call }, async (body) => ({
        statuses: await changeMetadata(context, { workspace_id, id, ...(await sentMetadataChange(body)) }),
      }));
    },
  };
}

const written = ({ as_of, example_ids }: WrittenExamples) => ({
  count: example_ids.length,
  example_ids: [...example_ids],
  as_of,
});

/** Changes examples that exist and makes the others; one request has one kind only. */
async function upsert(context: ExampleContext, workspace_id: string, sent: readonly SentExample[]) {
  const ids = new Set(sent.map(({ fields }) => fields.dataset_id?.toLowerCase()));
  const [dataset_id] = ids;
  if (ids.size !== 1 || dataset_id === undefined)
    throw malformed(['body', 'dataset_id'], 'must be the same in all examples');
  const { id } = await readDataset(context.db, { workspace_id, id: dataset_id });
  const example_ids = sent.map(({ fields }) => fields.id ?? '');
  const found = [...(await findDatasetsOf(context.db, { workspace_id, example_ids })).values()].flat();
  if (found.length === 0)
    return createExamples(context, { workspace_id, sent: sent.map((one) => ({ ...one, dataset_id: id })) });
  if (found.length === sent.length) return changeExamples(context, { workspace_id, id, changes: sent });
  throw new Problem(
    'conflict',
    'Some of the examples exist and others don’t; send them in requests of their own.',
  );
}
