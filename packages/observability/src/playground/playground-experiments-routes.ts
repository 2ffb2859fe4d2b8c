import type { playgroundExperiments } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { pageOf } from '@roadstead/kit';
import { readProvider } from '../model-providers/model-provider-store.ts';
import type { PlaygroundContext } from './playground-context.ts';
import { listExperiments, readExperiment } from './playground-experiment-store.ts';
import { cancelExperiment, createExperiment } from './playground-experiment-work.ts';
import { readTemplate } from './prompt-source-work.ts';

type ExperimentHandlers = Handlers<typeof playgroundExperiments>;

export interface PlaygroundExperimentsOf {
  readonly context: PlaygroundContext;
  /** Calls are due. */
  readonly created: () => void;
}

export function playgroundExperimentHandlers({
  context,
  created,
}: PlaygroundExperimentsOf): ExperimentHandlers {
  const { db } = context;
  return {
    listPlaygroundExperiments: ({ workspace_id, query }) =>
      pageOf(query, (span) => listExperiments(db, { workspace_id, dataset_id: query.dataset_id, ...span })),
    createPlaygroundExperiment: async (call) => {
      const { workspace_id, body } = call;
      await readProvider(db, { workspace_id, id: body.model_provider_id });
      const asked = await readTemplate(context, call, body);
      const experiment = await createExperiment(context, workspace_id, { body, asked });
      created();
      return experiment;
    },
    readPlaygroundExperiment: ({ workspace_id, params }) =>
      readExperiment(db, { workspace_id, id: params.playground_experiment_id }),
    cancelPlaygroundExperiment: async ({ workspace_id, params }) => {
      const key = { workspace_id, id: params.playground_experiment_id };
      await readExperiment(db, key);
      await cancelExperiment(context, key);
      return readExperiment(db, key);
    },
  };
}
