import { decodeJsonSpans } from '../otlp/json-span-codec.ts';
import { decodeJsonLogs } from '../otlp/json-log-codec.ts';
import { logOperationsOf } from '../otlp/log-codec.ts';
import { checkJsonMetrics, checkProtobufMetrics } from '../otlp/metric-codec.ts';
import { decodeProtobufLogs } from '../otlp/protobuf-log-codec.ts';
import { decodeProtobufSpans } from '../otlp/protobuf-span-codec.ts';
import { operationsOf, type SpanReading } from '../otlp/span-codec.ts';
import { decodeBatch, decodePatch, decodeRun } from '../decoding/json-codec.ts';
import { decodeMultipart } from '../decoding/multipart-codec.ts';
import type { Operations } from '../records/run-operation.ts';
import type { BodyReading } from '../decoding/sent-json-codec.ts';

/** The dialects of traces, and what a request in each carries beside its body. */
interface Dialects {
  readonly multipart: { readonly content_type: string | null };
  readonly batch: object;
  readonly run: object;
  readonly patch: { readonly run_id: string };
  readonly otlp_json: SpanDialect;
  readonly otlp_protobuf: SpanDialect;
  readonly otlp_logs_json: SpanDialect;
  readonly otlp_logs_protobuf: SpanDialect;
  readonly otlp_metrics_json: object;
  readonly otlp_metrics_protobuf: object;
}

type SpanDialect = Pick<SpanReading, 'project'>;

type Name = keyof Dialects;

/** A dialect by its name, with its parameters: plain data. */
export type Dialect = { readonly [N in Name]: { readonly dialect: N } & Dialects[N] }[Name];

export interface DecodedTraces extends Operations {
  /** The number of spans that stand for no run, or of log records that are left out. */
  readonly rejected?: number;
}

type Decode<About> = (body: Uint8Array, reading: BodyReading & About) => Promise<DecodedTraces>;

const decoders: { readonly [N in Name]: Decode<Dialects[N]> } = {
  multipart: decodeMultipart,
  batch: decodeBatch,
  run: decodeRun,
  patch: decodePatch,
  otlp_json: async (body, reading) => operationsOf(await decodeJsonSpans(body, reading.slice), reading),
  otlp_protobuf: async (body, reading) =>
    operationsOf(await decodeProtobufSpans(body, reading.slice), reading),
  otlp_logs_json: async (body, reading) =>
    logOperationsOf(await decodeJsonLogs(body, reading.slice), reading),
  otlp_logs_protobuf: async (body, reading) =>
    logOperationsOf(await decodeProtobufLogs(body, reading.slice), reading),
  otlp_metrics_json: async (body) => checkJsonMetrics(body).then(() => nothing),
  otlp_metrics_protobuf: async (body, { slice }) => checkProtobufMetrics(body, slice).then(() => nothing),
};

/** Metrics become nothing, since they are no part of a trace. */
const nothing: DecodedTraces = { runs: [], feedback: [], attachments: [] };

/** @throws Problem `malformed`, `invalid` or `too_large` where nothing of the body can be read; the rest is noted in the faults. */
export async function decodeTraces(body: Uint8Array, sent: BodyReading & Dialect): Promise<DecodedTraces> {
  // Each name has the parameters that its own decoder needs.
  const decode = decoders[sent.dialect] as Decode<Dialect>;
  return decode(body, sent);
}
