import type { observability } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/kit';
import type { Intake } from './intake.ts';
import { decodeBatch, decodePatch, decodeRun } from './json-codec.ts';
import { decodeMultipart } from './multipart-codec.ts';

type IngestHandlers = Pick<
  Handlers<typeof observability>,
  'ingestMultipart' | 'ingestBatch' | 'createRun' | 'patchRun'
>;

/** The dialects of LangSmith's clients. */
export function ingestHandlers(take: Intake): IngestHandlers {
  return {
    ingestMultipart: async (call) => {
      const content_type = call.request.headers.get('content-type');
      const faults = await take(call, (body, reading) => decodeMultipart(body, { ...reading, content_type }));
      return faults.answer;
    },
    ingestBatch: async (call) => (await take(call, decodeBatch)).answer,
    createRun: async (call) => (await take(call, decodeRun)).answer,
    patchRun: async (call) => {
      const { run_id } = call.params;
      return (await take(call, (body, reading) => decodePatch(body, { ...reading, run_id }))).answer;
    },
  };
}
