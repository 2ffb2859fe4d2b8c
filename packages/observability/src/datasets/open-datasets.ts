import type { Clock, Log } from '@roadstead/kit';
import { type ExampleContext, openExampleContext } from '../examples/example-context.ts';
import { exampleHandlers } from '../examples/example-routes.ts';
import { platformExampleHandlers } from '../examples/platform-example-routes.ts';
import { datasetKey, datasetRemovalLoop } from './dataset-removal-loop.ts';
import { datasetHandlers } from './dataset-routes.ts';
import { datasetExportHandlers } from './dataset-export-routes.ts';
import { datasetUploadHandlers } from './dataset-upload-routes.ts';
import { datasetVersionHandlers } from './dataset-version-routes.ts';

/** Datasets and examples: what serves them, and what runs beside that until it is disposed. */
export function openDatasets({
  log,
  ...given
}: Pick<ExampleContext, 'db' | 'blobs' | 'addresses'> & { readonly clock: Clock; readonly log: Log }) {
  const context = openExampleContext(given);
  const removal = datasetRemovalLoop(context.db, log).start();
  return {
    context,
    handlers: {
      ...datasetHandlers(context, (dataset) => removal.wake(datasetKey(dataset))),
      ...datasetVersionHandlers(context),
      ...datasetExportHandlers(context),
      ...datasetUploadHandlers(context),
      ...exampleHandlers(context),
      ...platformExampleHandlers(context),
    },
    async [Symbol.asyncDispose]() {
      await removal[Symbol.asyncDispose]();
      await context[Symbol.asyncDispose]();
    },
  };
}
