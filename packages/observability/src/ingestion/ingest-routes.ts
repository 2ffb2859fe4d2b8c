import type { ingest } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import type { Intake } from './intake.ts';

type IngestHandlers = Handlers<typeof ingest>;

/** The dialects of LangSmith's clients. */
export function ingestHandlers(take: Intake): IngestHandlers {
  return {
    ingestMultipart: async (call) => {
      const content_type = call.request.headers.get('content-type');
      return (await take(call, { dialect: 'multipart', content_type })).answer;
    },
    ingestBatch: async (call) => (await take(call, { dialect: 'batch' })).answer,
    createRun: async (call) => (await take(call, { dialect: 'run' })).answer,
    patchRun: async (call) => (await take(call, { dialect: 'patch', run_id: call.params.run_id })).answer,
  };
}
