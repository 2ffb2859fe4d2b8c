import type { observability } from '@roadstead/contracts/observability';
import { type Handlers, Problem } from '@roadstead/kit';
import type { Intake } from '../ingest/intake.ts';
import { encodeAnswer } from './protobuf-codec.ts';

type OtlpHandlers = Pick<Handlers<typeof observability>, 'ingestSpans' | 'ingestSpansOfSdk'>;

const PROTOBUF = 'application/x-protobuf';
const dialects = { [PROTOBUF]: 'otlp_protobuf', 'application/json': 'otlp_json' } as const;

/** Traces by OpenTelemetry's protocol over HTTP; what is answered is committed. */
export function otlpHandlers(take: Intake): OtlpHandlers {
  const ingest: OtlpHandlers['ingestSpans'] = async (call) => {
    const type = mediaTypeOf(call.request.headers);
    const project = call.request.headers.get('langsmith-project') ?? undefined;
    const { answer, rejected } = await take(call, { dialect: dialects[type], project });
    const message = answer.issues === undefined ? '' : answer.message;
    if (type === PROTOBUF)
      return new Response(encodeAnswer({ rejected, message }).slice(), {
        headers: { 'content-type': PROTOBUF },
      });
    const partialSuccess = { rejectedSpans: String(rejected), errorMessage: message };
    return Response.json(message === '' ? {} : { partialSuccess });
  };
  return { ingestSpans: ingest, ingestSpansOfSdk: ingest };
}

function mediaTypeOf(headers: Headers): keyof typeof dialects {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const named = type.trim().toLowerCase();
  if (named === PROTOBUF || named === 'application/protobuf') return PROTOBUF;
  if (named === 'application/json') return named;
  throw new Problem('invalid', `The Content-Type must be ${PROTOBUF} or application/json.`);
}
