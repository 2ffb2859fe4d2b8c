import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';

const read = { ...v1, access: 'datasets:read' } as const;
const file = (media_type: string) =>
  ({
    params: z.object({ dataset_id: Uuid }),
    query: z.object({ as_of: WellFormedText.min(1).max(500).optional() }),
    success: { status: 200, media_types: [media_type] },
    example: { query: { as_of: 'latest' } },
  }) as const;

export const datasetExports = {
  exportDatasetCsv: endpoint({
    ...read,
    ...file('text/csv'),
    method: 'GET',
    path: '/datasets/{dataset_id}/csv',
    summary: 'Download a dataset as CSV',
  }),
  exportDatasetJsonl: endpoint({
    ...read,
    ...file('application/jsonl'),
    method: 'GET',
    path: '/datasets/{dataset_id}/jsonl',
    summary: 'Download a dataset as JSONL',
  }),
  exportDatasetOpenAiEvaluation: endpoint({
    ...read,
    ...file('application/jsonl'),
    method: 'GET',
    path: '/datasets/{dataset_id}/openai',
    summary: 'Download a dataset in OpenAI’s format for evaluations',
  }),
  exportDatasetOpenAiFineTune: endpoint({
    ...read,
    ...file('application/jsonl'),
    method: 'GET',
    path: '/datasets/{dataset_id}/openai_ft',
    summary: 'Download a dataset in OpenAI’s format for fine-tuning',
  }),
};
