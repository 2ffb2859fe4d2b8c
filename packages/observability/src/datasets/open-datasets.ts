import type { Blobs, Clock, Database, Log } from '@roadstead/kit';
import { openExampleContext } from '../examples/example-context.ts';
import { exampleHandlers } from '../examples/example-routes.ts';
import { platformExampleHandlers } from '../examples/platform-example-routes.ts';
import type { RunReader } from '../reading/run-reader-work.ts';
import { datasetExportHandlers } from './dataset-export-routes.ts';
import { datasetKey, datasetRemovalLoop } from './dataset-removal-loop.ts';
import { datasetHandlers } from './dataset-routes.ts';
import { datasetShareHandlers } from './dataset-share-routes.ts';
import { datasetUploadHandlers } from './dataset-upload-routes.ts';
import { datasetVersionHandlers } from './dataset-version-routes.ts';
import { sharedExperimentHandlers } from './shared-experiment-routes.ts';
import { sharedExperimentRunHandlers } from './shared-experiment-run-routes.ts';

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
