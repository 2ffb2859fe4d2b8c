import type { playgroundRuns } from '@roadstead/contracts/observability';
import { eventStream, type Handlers, HEARTBEAT_MS } from '@roadstead/http';
import { Admission, type Bound, Problem, uuidv7 } from '@roadstead/kit';
import { openProvider } from '../model-providers/model-provider-rules.ts';
import { readProvider } from '../model-providers/model-provider-store.ts';
import type { PlaygroundContext } from './playground-context.ts';
import { runFrames } from './playground-run-work.ts';
import { readTemplate } from './prompt-source-work.ts';
import { filledTemplate } from './template-rules.ts';

type RunHandlers = Handlers<typeof playgroundRuns>;

/** Calls at once; each holds a connection to a provider for ten minutes at most. */
const runBound: Bound<string> = { size: 64, most: [16], owner: (workspace_id) => [workspace_id] };
export const playgroundPlaces = (): Admission => new Admission(runBound);

export function playgroundRunHandlers(context: PlaygroundContext): RunHandlers {
  const places = playgroundPlaces();
  return {
    createPlaygroundRun: async (call) => {
      const { workspace_id, body } = call;
      const id = body.model_provider_id;
      const provider = openProvider(context.secret_box, await readProvider(context.db, { workspace_id, id }));
      const asked = await readTemplate(context, call, body);
      const messages = filledTemplate(asked.template, body.variables ?? {});
      const place = places.tryTake(runBound.owner(workspace_id));
      if (place === undefined)
        throw new Problem('limit', 'The workspace has as many calls of models under way as it may.', {
          hint: 'Wait until one of them has ended.',
          retry_after_s: 5,
        });
      const end = new AbortController();
      const { model, stream } = body;
      const toTrace = {
        workspace_id,
        run_id: uuidv7(),
        provider,
        call: { model, messages, parameters: asked.parameters, stream },
        metadata: { ...body.metadata, ...asked.metadata, model_provider_id: id },
        tags: body.tags ?? [],
        place: { session_name: body.session_name },
      };
      return eventStream(runFrames(context, toTrace, { signal: end.signal, place }), {
        heartbeat_ms: HEARTBEAT_MS,
        onCancel: () => end.abort(new Error('The client went away.')),
      });
    },
  };
}
