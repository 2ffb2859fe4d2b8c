import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@roadstead/kit';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where engines put their sockets, in the order in which they are looked for. */
const usualPlaces = (environment: Environment): string[] => {
  const runtime = environment['XDG_RUNTIME_DIR'];
  return [
    '/var/run/docker.sock',
    ...(runtime === undefined ? [] : [join(runtime, 'docker.sock'), join(runtime, 'podman/podman.sock')]),
    '/run/podman/podman.sock',
  ];
};

/**
 * The socket of the container engine: the one that is named, else that of `DOCKER_HOST`, else the first in the usual places.
 * @throws Problem `unavailable` where there is none, `invalid` where what is named is no socket's path
 */
export async function findEngineSocket(named: string | undefined, environment: Environment): Promise<string> {
  const given = named ?? environment['DOCKER_HOST'];
  if (given !== undefined) return socketOf(given);
  const places = usualPlaces(environment);
  for (const place of places) if (await isSocket(place)) return place;
  throw new Problem(
    'unavailable',
    `No container engine was found: there is no socket at ${places.join(', ')}.`,
    {
      hint: 'Start Docker or Podman (podman system service), or name its socket in ROADSTEAD_ENGINE.',
    },
  );
}

function socketOf(address: string): string {
  const path = address.replace(/^unix:\/\//, '');
  if (path.startsWith('/')) return path;
  throw new Problem(
    'invalid',
    `A container engine is reached by its socket on this machine; ${address} is none.`,
  );
}

async function isSocket(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isSocket(),
    () => false,
  );
}
