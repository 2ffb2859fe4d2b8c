import type { datasetShares } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { everyField, exampleMembers, selectedFields } from '../examples/example-answer-rules.ts';
import type { ExampleContext } from '../examples/example-context.ts';
import { exampleFilterOf, readExamples, searchExamples } from '../examples/example-reader-work.ts';
import { countExamples } from '../examples/example-store.ts';
import { jsonAnswer, listText } from '../reading/json-answer.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import type { ShareSubject } from '../shares/share-token.ts';
import { createShare, findShare, removeShare, type SharingContext } from '../shares/share-work.ts';
import { cloneExamples } from './dataset-clone-work.ts';
import { datasetAnswer } from '../dataset-records/dataset-rules.ts';
import { readDataset, setExperimentsShared } from '../dataset-records/dataset-store.ts';
import { readSharedDataset } from './shared-dataset-work.ts';

type ShareHandlers = Handlers<typeof datasetShares>;

/** Links to datasets, and the reads that they allow without a key: the workspace is that of the link. */
export function datasetShareHandlers(context: ExampleContext, sharing: SharingContext): ShareHandlers {
  const { db, addresses } = context;
  const own = async (workspace_id: string, id: string) => {
    const dataset = await readDataset(db, { workspace_id, id });
    const subject: ShareSubject = { kind: 'dataset', subject_id: dataset.id };
    return { workspace_id, subject, dataset };
  };
  const shared = (token: string) => readSharedDataset(sharing, token);
  const answerOf = async (share_token: string) => {
    const dataset = datasetAnswer(await shared(share_token));
    const {
      tenant_id: _tenant_id,
      modified_at: _modified_at,
      session_count: _session_count,
      ...told
    } = dataset;
    const { last_session_start_time: _last, baseline_experiment_id: _baseline, ...answer } = told;
    return answer;
  };
  return {
    readDatasetShare: async ({ params, workspace_id }) => {
      const { dataset, ...wanted } = await own(workspace_id, params.dataset_id);
      const share = await findShare(sharing, wanted);
      return share?.token === undefined ? null : { dataset_id: dataset.id, share_token: share.token };
    },
    shareDataset: async ({ params, query, workspace_id }) => {
      const { dataset, ...wanted } = await own(workspace_id, params.dataset_id);
      const { token } = await createShare(sharing, wanted);
      await setExperimentsShared(db, { ...dataset, experiments_shared: query.share_projects });
      return { dataset_id: dataset.id, share_token: token };
    },
    unshareDataset: async ({ params, workspace_id }) => {
      await removeShare(sharing, await own(workspace_id, params.dataset_id));
      return { message: 'The dataset is not shared any more.' };
    },
    cloneDataset: async ({ body, workspace_id }) => {
      const { split, examples: example_ids, as_of, source_dataset_id, target_dataset_id } = body;
      const splits = split === null || split === undefined ? undefined : [split].flat();
      const wanted = { source_dataset_id, target_dataset_id, as_of: as_of ?? undefined, example_ids, splits };
      const ids = await cloneExamples(context, { workspace_id, ...wanted });
      const records = await readExamples(db, { workspace_id, ids });
      const shown = { selected: everyField, addresses };
      return jsonAnswer(listText(records.map((record) => exampleMembers(record, shown))));
    },
    readSharedDatasetPage: async ({ params }) => answerOf(params.share_token),
    readSharedDataset: async ({ params }) => answerOf(params.share_token),
    listSharedExamples: async ({ params, query }) => {
      const { workspace_id, id } = await shared(params.share_token);
      const { order, random_seed, select, offset, limit, descending = order !== 'id', ...asked } = query;
      const filter = await exampleFilterOf(db, { ...asked, workspace_id, dataset: id });
      const records = await searchExamples(db, filter, { order, random_seed, descending, offset, limit });
      const selected = select === undefined ? everyField : selectedFields(select);
      const shown = { selected, addresses: addresses.under(params.share_token) };
      return jsonAnswer(listText(records.map((record) => exampleMembers(record, shown))));
    },
    countSharedExamples: async ({ params, query }) => {
      const { workspace_id, id } = await shared(params.share_token);
      const filter = await exampleFilterOf(db, { ...query, workspace_id, dataset: id });
      return inLimitedTime(db, (tx) => countExamples(tx, filter));
    },
  };
}
