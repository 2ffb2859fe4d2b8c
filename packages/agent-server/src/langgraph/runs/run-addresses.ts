import type { Run } from '../../runs/run.ts';

/**
 * The addresses of a run below the deployment's own: SDKs append them to the address that they were given.
 * `Content-Location` names the run, `Location` the place where a broken stream or answer continues.
 */
type AddressedRun = Pick<Run, 'run_id' | 'thread_id' | 'kwargs'>;

export function runHeaders(
  { run_id, thread_id, kwargs }: AddressedRun,
  goesOn?: 'stream' | 'join',
): Readonly<Record<string, string>> {
  const here = `/threads/${thread_id}/runs/${run_id}`;
  return {
    'content-location': kwargs.temporary === true ? `/runs/${run_id}` : here,
    ...(goesOn === undefined ? {} : { location: `${here}/${goesOn}` }),
  };
}
