import type { datasetUploads } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { malformed, TimeSlice, uuidv7 } from '@roadstead/kit';
import { exampleMembers, everyField } from '../examples/example-answer-rules.ts';
import { withBody } from '../examples/example-body-work.ts';
import type { ExampleContext } from '../examples/example-context.ts';
import { createExamples, prepareExamples, writeExamples } from '../examples/example-creation-work.ts';
import { readExamples } from '../examples/example-reader-work.ts';
import { sentParts } from '../decoding/multipart-parts.ts';
import { jsonAnswer, listText } from '../reading/json-answer.ts';
import { csvExamples } from './csv-examples.ts';
import type { DatasetRow } from '../dataset-records/dataset-row.ts';
import { datasetAnswer, requireConsistent, storedObject } from '../dataset-records/dataset-rules.ts';
import { insertDataset, readDataset } from '../dataset-records/dataset-store.ts';
import { jsonlExamples } from './jsonl-codec.ts';
import { type Upload, type UploadedDataset, uploadOf } from './upload-fields-rules.ts';
import type { BodyCall } from '../decoding/body-decoder.ts';

type UploadHandlers = Handlers<typeof datasetUploads>;

/** Files are read to their end before anything is written, so that nothing is half imported. */
export function datasetUploadHandlers(context: ExampleContext): UploadHandlers {
  const { db, addresses } = context;
  const withUpload = <T>(call: BodyCall, work: (upload: Upload) => Promise<T>) =>
    withBody({ context, call }, async (body) => {
      const content_type = call.request.headers.get('content-type');
      return work(uploadOf(await sentParts(body, { content_type, slice: new TimeSlice() })));
    });
  return {
    uploadDataset: async (call) =>
      withUpload(call, async (upload) => {
        const row = newDataset(
          call.workspace_id,
          { ...upload.dataset, file_name: upload.file.name },
          context.now(),
        );
        await context.schemas.requireSchemas(row);
        const sent = await examplesIn(upload);
        const examples = await prepareExamples(context, { dataset: row, sent });
        const before = (tx: Parameters<typeof insertDataset>[0]) => insertDataset(tx, row);
        await writeExamples(context, { groups: [{ dataset: row, examples }], before });
        return datasetAnswer(await readDataset(db, row));
      }),
    uploadExamples: async (call) => {
      const { workspace_id } = call;
      const { id } = await readDataset(db, { workspace_id, id: call.params.dataset_id });
      return withUpload(call, async (upload) => {
        const sent = (await examplesIn(upload)).map((example) => ({ ...example, dataset_id: id }));
        if (sent.length === 0) throw malformed(['body', 'file'], 'holds no example');
        const { example_ids } = await createExamples(context, { workspace_id, sent });
        const records = await readExamples(db, { workspace_id, ids: example_ids });
        return jsonAnswer(
          listText(records.map((record) => exampleMembers(record, { selected: everyField, addresses }))),
        );
      });
    },
  };
}

const examplesIn = ({ file, columns }: Upload) =>
  file.kind === 'csv' ? csvExamples(file.content, columns) : jsonlExamples(file.content, columns);

/** A dataset with the name of its file, unless the form gives one. */
function newDataset(
  workspace_id: string,
  sent: UploadedDataset & { readonly file_name: string },
  now: string,
): DatasetRow {
  requireConsistent(sent);
  const name = sent.name ?? sent.file_name;
  if (name === '') throw malformed(['body', 'name'], 'is required, since the file has no name', 'missing');
  return {
    workspace_id,
    id: (sent.id ?? uuidv7()).toLowerCase(),
    name,
    description: sent.description ?? null,
    data_type: sent.data_type,
    inputs_schema_definition: storedObject(sent.inputs_schema_definition, 'inputs_schema_definition'),
    outputs_schema_definition: storedObject(sent.outputs_schema_definition, 'outputs_schema_definition'),
    transformations: sent.transformations ?? null,
    metadata: null,
    externally_managed: false,
    baseline_experiment_id: null,
    example_count: 0,
    created_at: now,
    modified_at: now,
    latest_as_of: null,
    experiments_shared: false,
  };
}
