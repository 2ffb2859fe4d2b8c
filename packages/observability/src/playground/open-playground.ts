import { modelProviderHandlers } from '../model-providers/model-providers-routes.ts';
import { createModelClient } from '../models/model-client.ts';
import type { CheckingFetch } from '@roadstead/outbound';
import { callLoopOf } from './playground-call-loop.ts';
import type { PlaygroundContext } from './playground-context.ts';
import { playgroundExperimentHandlers } from './playground-experiments-routes.ts';
import { playgroundRunHandlers } from './playground-runs-routes.ts';

type PlaygroundOf = Omit<PlaygroundContext, 'models'> & {
  /** Reaches providers of models, and streams what they answer. */
  readonly model_fetch: CheckingFetch;
};

/** Opens the playground: its routes, and the loop that makes the calls of experiments until it is disposed. */
export function openPlayground({ model_fetch, ...of }: PlaygroundOf) {
  const context: PlaygroundContext = { ...of, models: createModelClient(model_fetch) };
  const loop = callLoopOf(context).start();
  return {
    handlers: {
      ...modelProviderHandlers({ ...context, check: model_fetch.check }),
      ...playgroundRunHandlers(context),
      ...playgroundExperimentHandlers({ context, created: () => loop.list() }),
    },
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}
