import type { observability } from '@roadstead/contracts/observability';
import { type Handlers, Problem } from '@roadstead/kit';
import type { Intake } from '../ingest/intake.ts';
import { decodeJsonSpans } from './json-span-codec.ts';
import { decodeProtobuf, encodeAnswer } from './protobuf-codec.ts';
import { operationsOf } from './span-codec.ts';

type OtlpHandlers = Pick<Handlers<typeof observability>, 'ingestSpans' | 'ingestSpansOfSdk'>;

const PROTOBUF = 'application/x-protobuf';
const decoders = { [PROTOBUF]: decodeProtobuf, 'application/json': decodeJsonSpans } as const;

/** Traces by OpenTelemetry's protocol over HTTP; what is answered is committed. */
export function otlpHandlers(take: Intake): OtlpHandlers {
  const ingest: OtlpHandlers['ingestSpans'] = async (call) => {
    const type = mediaTypeOf(call.request.headers);
    const project = call.request.headers.get('langsmith-project') ?? undefined;
    let rejected = 0;
    const faults = await take(call, async (body, reading) => {
      const spans = await decoders[type](body, reading.slice);
      const operations = await operationsOf(spans, { ...reading, project });
      rejected = operations.rejected;
      return operations;
    });
    const message = faults.issues.length === 0 ? '' : faults.answer.message;
    rejected += faults.refused;
    if (type === PROTOBUF)
      return new Response(encodeAnswer({ rejected, message }).slice(), {
        headers: { 'content-type': PROTOBUF },
      });
    const partialSuccess = { rejectedSpans: String(rejected), errorMessage: message };
    return Response.json(message === '' ? {} : { partialSuccess });
  };
  return { ingestSpans: ingest, ingestSpansOfSdk: ingest };
}

function mediaTypeOf(headers: Headers): keyof typeof decoders {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const named = type.trim().toLowerCase();
  if (named === PROTOBUF || named === 'application/protobuf') return PROTOBUF;
  if (named === 'application/json') return named;
  throw new Problem('invalid', `The Content-Type must be ${PROTOBUF} or application/json.`);
}
