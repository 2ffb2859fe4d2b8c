import type { Language } from '@roadstead/contracts/langgraph-json';
import type { HostedRevision, HostKind } from './host-kind.ts';
import { javascriptHost } from './javascript/javascript-host.ts';
import { pythonHost } from './python/python-host.ts';

/** How a revision's hosts of each language are started. */
export const hostKinds: Readonly<Record<Language, (revision: HostedRevision) => HostKind>> = {
  javascript: () => javascriptHost,
  python: pythonHost,
};
