import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { InstanceAddress } from './listeners.ts';

/** Where the agents of a deployment are called. */
const Place = z
  .object({
    slug: WellFormedText,
    address: InstanceAddress,
    /** A second address of the deployment; null for most. */
    custom_url: WellFormedText.nullable(),
  })
  .meta({ id: 'Place' });
export type Place = z.output<typeof Place>;

/** Edges ask here which instance has which deployment. */
export const places = {
  readPlaces: endpoint({
    method: 'GET',
    path: '/v2/control-plane/places',
    summary: 'Where the agents of each deployment are called, of all workspaces; for the edge only',
    auth: 'signed',
    workspace: 'any',
    example: { query: { version: '0f343b0931126a20f133d67c2b018a3b' } },
    query: z.object({
      /** The version that the caller has: the answer has no places where it is the newest. */
      version: WellFormedText.max(100).optional(),
    }),
    success: {
      status: 200,
      body: z.object({
        version: WellFormedText,
        /** All of them, those first whose desired state is the oldest; null where nothing has changed. */
        places: z.array(Place).nullable(),
        /** Addresses of all data planes that hold a lease: each can answer for a name that no deployment has. */
        data_planes: z.array(InstanceAddress).nullable(),
      }),
    },
  }),
};
