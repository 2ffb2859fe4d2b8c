import type { places } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { listAddresses, listPlaces, readPlacesVersion } from '../records/place-store.ts';

export function placeHandlers({ db }: Context): Handlers<typeof places> {
  return {
    readPlaces: async ({ principal, query }) => {
      if (principal.actor !== 'service:edge')
        throw new Problem('forbidden', 'Only the edge may ask where the agents of all workspaces are.');
      // Read before the places: what changes in between is asked for again.
      const version = await readPlacesVersion(db);
      if (version === query.version) return { version, places: null, data_planes: null };
      return { version, places: await listPlaces(db), data_planes: await listAddresses(db) };
    },
  };
}
