import type { Blobs } from '@roadstead/blobs';
import type { Clock, Log } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { openExampleContext } from '../examples/example-context.ts';
import { exampleHandlers } from '../examples/examples-routes.ts';
import { platformExampleHandlers } from '../examples/platform-examples-routes.ts';
import type { RunReader } from '../reading/run-reader-work.ts';
import { datasetExportHandlers } from './dataset-exports-routes.ts';
import { datasetKey, datasetRemovalLoop } from './dataset-removal-loop.ts';
import { datasetHandlers } from './datasets-routes.ts';
import { datasetShareHandlers } from './dataset-shares-routes.ts';
import { datasetUploadHandlers } from './dataset-uploads-routes.ts';
import { datasetVersionHandlers } from './dataset-versions-routes.ts';
import { sharedExperimentHandlers } from './shared-experiments-routes.ts';
import { sharedExperimentRunHandlers } from './shared-experiment-runs-routes.ts';

/** Opens datasets and examples: their routes, and the loops that run until it is disposed. */
export function openDatasets({
  db,
  blobs,
  clock,
  log,
  reader,
}: {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly reader: RunReader;
}) {
  const context = openExampleContext({ db, blobs, clock, addresses: reader.addresses });
  const removal = datasetRemovalLoop(db, log).start();
  return {
    context,
    handlers: {
      ...datasetHandlers(context, (dataset) => removal.wake(datasetKey(dataset))),
      ...datasetVersionHandlers(context),
      ...datasetExportHandlers(context),
      ...datasetUploadHandlers(context),
      ...datasetShareHandlers(context, reader.sharing),
      ...sharedExperimentHandlers(reader),
      ...sharedExperimentRunHandlers(reader, clock),
      ...exampleHandlers(context),
      ...platformExampleHandlers(context),
    },
    async [Symbol.asyncDispose]() {
      await removal[Symbol.asyncDispose]();
      await context[Symbol.asyncDispose]();
    },
  };
}
