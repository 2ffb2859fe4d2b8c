import { planned } from '../endpoint.ts';
import { v1 } from './mounts.ts';

/** Runs of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
const admin = { ...v1, access: 'traces:admin' } as const;
const read = { ...v1, access: 'traces:read' } as const;

export const plannedRuns = {
  deleteSessions: planned('DELETE /sessions', { ...admin, summary: 'Delete several projects' }),
  listSessionMetadata: planned('GET /sessions/{session_id}/metadata', {
    ...read,
    summary: 'List the metadata that a project’s runs have',
  }),
};
