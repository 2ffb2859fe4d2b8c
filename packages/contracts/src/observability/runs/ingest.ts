import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { sentBatch, sentEnd, sentMultipart, sentRun } from './ingest-examples.ts';
import { ingest as at } from '../mounts.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';

/** Ingest bodies are read by codecs, byte for byte, so that payloads stay verbatim; they have no schema here. */
const accepted = {
  status: 202,
  body: z.object({
    message: z.string(),
    /** Values that could not be stored as they were sent; all else is stored. */
    issues: z
      .array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() }))
      .optional(),
  }),
} as const;
const max_body_bytes = 67_108_864;

export const ingest = {
  ingestMultipart: endpoint({
    ...at,
    method: 'POST',
    path: '/runs/multipart',
    summary: 'Ingest runs as multipart/form-data, also gzip or zstd; 202 once committed',
    raw: true,
    media_type: 'multipart/form-data',
    max_body_bytes,
    success: accepted,
    example: { body: sentMultipart },
  }),
  ingestBatch: endpoint({
    ...at,
    method: 'POST',
    path: '/runs/batch',
    summary: 'Ingest runs as JSON `{post, patch}`; 202 once committed',
    raw: true,
    max_body_bytes,
    success: accepted,
    example: { body: sentBatch },
  }),
  createRun: endpoint({
    ...at,
    method: 'POST',
    path: '/runs',
    summary: 'Ingest one run',
    raw: true,
    max_body_bytes,
    success: accepted,
    example: { body: sentRun },
  }),
  patchRun: endpoint({
    ...at,
    method: 'PATCH',
    path: '/runs/{run_id}',
    summary: 'Ingest the rest of a run; may come before the run itself',
    params: z.object({ run_id: WellFormedText }),
    raw: true,
    max_body_bytes,
    success: accepted,
    example: { body: sentEnd },
  }),
};
