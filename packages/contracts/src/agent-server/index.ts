import { a2aEndpoints } from './a2a.ts';
import { infoEndpoints } from './info.ts';

export * from './statuses.ts';

/** Paths below `/agents/{slug}`; the router serves them for each deployment. */
export const agentServer = { ...a2aEndpoints, ...infoEndpoints };
