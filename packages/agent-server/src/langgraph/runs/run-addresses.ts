import type { Run } from '../../runs/run.ts';

/**
 * Where clients find a run, below the deployment's own address: SDKs append these to the address that they were given.
 * `Content-Location` tells them the run's id, `Location` where a stream or an answer that broke off goes on.
 */
type Named = Pick<Run, 'run_id' | 'thread_id' | 'kwargs'>;

export function runHeaders(
  { run_id, thread_id, kwargs }: Named,
  goesOn?: 'stream' | 'join',
): Readonly<Record<string, string>> {
  const here = `/threads/${thread_id}/runs/${run_id}`;
  return {
    'content-location': kwargs.temporary === true ? `/runs/${run_id}` : here,
    ...(goesOn === undefined ? {} : { location: `${here}/${goesOn}` }),
  };
}
