import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import {
  sentBatch,
  sentEnd,
  sentLogs,
  sentMetrics,
  sentMultipart,
  sentRun,
  sentSpans,
} from './ingest-examples.ts';
import { ingest as at, otlp } from '../mounts.ts';
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

const exported = {
  access: 'traces:write',
  method: 'POST',
  raw: true,
  max_body_bytes,
  success: { status: 200, media_types: ['application/json', 'application/x-protobuf'] },
} as const;
const spans = {
  ...exported,
  summary:
    'Ingest spans by OTLP over HTTP, as JSON or protocol buffers, also gzip or zstd; 200 once committed',
  example: { body: sentSpans },
} as const;

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
  ingestSpans: endpoint({ ...spans, ...otlp, path: '/v1/traces' }),
  /** The Python SDK's own exporter sends to `{endpoint}/otel` itself. */
  ingestSpansOfSdk: endpoint({ ...spans, ...at, path: '/otel' }),
  ingestLogs: endpoint({
    ...exported,
    ...otlp,
    path: '/v1/logs',
    summary:
      'Take log records by OTLP over HTTP: those that name a span and hold its messages become these, others are dropped',
    example: { body: sentLogs },
  }),
  ingestMetrics: endpoint({
    ...exported,
    ...otlp,
    path: '/v1/metrics',
    summary: 'Take metrics by OTLP over HTTP, and drop them: exporters of all signals work as they are',
    example: { body: sentMetrics },
  }),
};
