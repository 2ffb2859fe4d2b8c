import type { experimentUploads } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { datasetAnswer } from '../dataset-records/dataset-rules.ts';
import { readDataset } from '../dataset-records/dataset-store.ts';
import { withBody } from '../examples/example-body-work.ts';
import { sessionAnswer } from '../sessions/session-rules.ts';
import { uploadExperiment, type UploadsOf } from './experiment-upload-work.ts';

export function experimentUploadHandlers(of: UploadsOf): Handlers<typeof experimentUploads> {
  return {
    uploadExperiment: async (call) =>
      withBody({ context: of.examples, call }, async (json) => {
        const { workspace_id } = call;
        const { dataset_id, experiment } = await uploadExperiment(of, { workspace_id, json });
        const dataset = datasetAnswer(await readDataset(of.db, { workspace_id, id: dataset_id }));
        return { dataset, experiment: sessionAnswer(experiment) };
      }),
  };
}
