import { createClient } from '@roadstead/contracts/client';
import { observability } from '@roadstead/contracts/observability';

/** The public API for whoever is not signed in: what is shared by link. */
export const openTraces = createClient(observability, {
  base_url: location.origin,
  fetch: (request) => fetch(request),
});
