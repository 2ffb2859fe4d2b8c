import { endpoint } from '../../endpoints/endpoint.ts';
import { sentLogs, sentMetrics, sentSpans } from './ingest-examples.ts';
import { ingest as at, otlp as exporters } from '../mounts.ts';

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

export const otlp = {
  ingestSpans: endpoint({ ...spans, ...exporters, path: '/v1/traces' }),
  /** The Python SDK's own exporter sends to `{endpoint}/otel` itself. */
  ingestSpansOfSdk: endpoint({ ...spans, ...at, path: '/otel' }),
  ingestLogs: endpoint({
    ...exported,
    ...exporters,
    path: '/v1/logs',
    summary:
      'Take log records by OTLP over HTTP: those that name a span and hold its messages become these, others are dropped',
    example: { body: sentLogs },
  }),
  ingestMetrics: endpoint({
    ...exported,
    ...exporters,
    path: '/v1/metrics',
    summary: 'Take metrics by OTLP over HTTP, and drop them: exporters of all signals work as they are',
    example: { body: sentMetrics },
  }),
};
