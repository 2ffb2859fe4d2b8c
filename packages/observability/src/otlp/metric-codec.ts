import type { TimeSlice } from '@roadstead/kit';
import { readRequest } from './json-value-codec.ts';
import { delimited, scanned } from './protobuf-scan.ts';

/** Metrics are accepted and dropped, so that exporters of all signals work unchanged. */

/** @throws Problem `malformed` or `invalid` where the body is no request that exports metrics. */
export async function checkJsonMetrics(body: Uint8Array): Promise<void> {
  await readRequest(body, 'metrics');
}

/** @throws Problem `invalid` where the body is no `ExportMetricsServiceRequest` (metrics/v1). */
export async function checkProtobufMetrics(body: Uint8Array, slice: TimeSlice): Promise<void> {
  const message = delimited((reader) => void reader.bytes());
  await scanned(
    'metrics',
    (scan) =>
      scan.perResource(body, (bytes) =>
        // Name, description and unit; a gauge, a sum, histograms and a summary.
        scan.fields(bytes, {
          1: message,
          2: message,
          3: message,
          5: message,
          7: message,
          9: message,
          10: message,
          11: message,
        }),
      ),
    slice,
  );
}
