import type { datasetExports } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import type { ExampleContext } from '../examples/example-context.ts';
import type { ExampleFilter } from '../examples/example-store.ts';
import { jsonAnswer } from '../reading/json-answer.ts';
import { evaluationLine, fineTuningLine } from './export-rules.ts';
import { csvPieces, jsonlPieces, linePieces } from './export-work.ts';
import { readDataset } from '../dataset-records/dataset-store.ts';
import { readVersion, resolveAsOf } from '../dataset-records/dataset-version-store.ts';

type ExportHandlers = Handlers<typeof datasetExports>;

interface ExportCall {
  readonly params: { readonly dataset_id: string };
  readonly query: { readonly as_of?: string | undefined };
  readonly workspace_id: string;
}

export function datasetExportHandlers({ db }: ExampleContext): ExportHandlers {
  /** Reads one version, so that the file is whole although the dataset changes meanwhile. */
  const source = async ({ params, query, workspace_id }: ExportCall) => {
    const dataset = await readDataset(db, { workspace_id, id: params.dataset_id });
    const asked = await resolveAsOf(db, { ...dataset, as_of: query.as_of });
    const at =
      asked.kind === 'latest' && dataset.latest_as_of !== null
        ? ({ kind: 'instant', as_of: (await readVersion(db, dataset, asked)).as_of } as const)
        : asked;
    const filter: ExampleFilter = { workspace_id, dataset_id: dataset.id, at };
    return { db, filter };
  };
  const jsonl = 'application/jsonl';
  return {
    exportDatasetCsv: async (call) => jsonAnswer(csvPieces(await source(call)), 'text/csv; charset=utf-8'),
    exportDatasetJsonl: async (call) => jsonAnswer(jsonlPieces(await source(call)), jsonl),
    exportDatasetOpenAiEvaluation: async (call) =>
      jsonAnswer(linePieces(await source(call), evaluationLine), jsonl),
    exportDatasetOpenAiFineTune: async (call) =>
      jsonAnswer(linePieces(await source(call), fineTuningLine), jsonl),
  };
}
