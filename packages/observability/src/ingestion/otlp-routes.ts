import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { otlp } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Dialect } from './dialect-codec.ts';
import type { Intake } from './intake.ts';
import type { Signal } from '../otlp/signal-rules.ts';

type OtlpHandlers = Handlers<typeof otlp>;

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';
const dialects = {
  traces: { [PROTOBUF]: 'otlp_protobuf', [JSON_TYPE]: 'otlp_json' },
  logs: { [PROTOBUF]: 'otlp_logs_protobuf', [JSON_TYPE]: 'otlp_logs_json' },
  metrics: { [PROTOBUF]: 'otlp_metrics_protobuf', [JSON_TYPE]: 'otlp_metrics_json' },
} as const satisfies Record<Signal, Record<string, Dialect['dialect']>>;
/** The reasons that a client reads for rejected records. */
const rejections = {
  traces: 'rejectedSpans',
  logs: 'rejectedLogRecords',
  metrics: 'rejectedDataPoints',
} as const satisfies Record<Signal, string>;

/**
 * OpenTelemetry's protocol over HTTP; everything answered is committed. Of logs only messages of spans are kept, and
 * metrics are dropped.
 */
export function otlpHandlers(take: Intake): OtlpHandlers {
  const handlerOf =
    (signal: Signal): OtlpHandlers['ingestSpans'] =>
    async (call) => {
      const type = mediaTypeOf(call.request.headers);
      const project = call.request.headers.get('langsmith-project') ?? undefined;
      const { answer, rejected } = await take(call, { dialect: dialects[signal][type], project });
      const message = answer.issues === undefined ? '' : answer.message;
      if (type === PROTOBUF)
        return new Response(encodeAnswer({ rejected, message }).slice(), {
          headers: { 'content-type': PROTOBUF },
        });
      const partialSuccess = { [rejections[signal]]: String(rejected), errorMessage: message };
      return Response.json(message === '' ? {} : { partialSuccess });
    };
  const ingestSpans = handlerOf('traces');
  return {
    ingestSpans,
    ingestSpansOfSdk: ingestSpans,
    ingestLogs: handlerOf('logs'),
    ingestMetrics: handlerOf('metrics'),
  };
}

function mediaTypeOf(headers: Headers): typeof PROTOBUF | typeof JSON_TYPE {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const named = type.trim().toLowerCase();
  if (named === PROTOBUF || named === 'application/protobuf') return PROTOBUF;
  if (named === JSON_TYPE) return named;
  throw new Problem('invalid', `The Content-Type must be ${PROTOBUF} or ${JSON_TYPE}.`);
}

/** `Export…ServiceResponse`, which is the same for every signal; empty where everything was accepted. */
function encodeAnswer(answer: { readonly rejected: number; readonly message: string }): Uint8Array {
  const writer = new BinaryWriter();
  if (answer.rejected === 0 && answer.message === '') return writer.finish();
  writer.tag(1, WireType.LengthDelimited).fork();
  if (answer.rejected > 0) writer.tag(1, WireType.Varint).int64(answer.rejected);
  if (answer.message !== '') writer.tag(2, WireType.LengthDelimited).string(answer.message);
  return writer.join().finish();
}
