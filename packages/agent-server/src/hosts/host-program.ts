import { type Language, partsByLanguage } from '@roadstead/contracts/langgraph-json';
import type { FencedProgram, Limits } from '@roadstead/fence';
import type { HostedRevision, HostKind } from './host-kind.ts';
import { javascriptHost } from './javascript/javascript-host.ts';
import { pythonHost } from './python/python-host.ts';

/** How a revision's hosts of each language are started. */
const hostKinds: Readonly<Record<Language, (revision: HostedRevision) => HostKind>> = {
  javascript: () => javascriptHost,
  python: pythonHost,
};

interface HostPlace {
  readonly language: Language;
  readonly writable_folder: string;
  readonly limits: Limits;
  readonly api_url: string;
}

interface HostProgram {
  readonly kind: HostKind;
  readonly program: Omit<FencedProgram, 'pipes'>;
}

/** How a graph host of a revision is started that runs what the revision has in one language. */
export function hostProgram(
  revision: HostedRevision,
  { language, writable_folder, limits, api_url }: HostPlace,
): HostProgram {
  const { folder, project, environment } = revision;
  const kind = hostKinds[language](revision);
  const program = {
    command: kind.command(limits),
    cwd: folder,
    environment: {
      HOME: writable_folder,
      TMPDIR: writable_folder,
      ...kind.variables,
      LANGGRAPH_API_URL: api_url,
      ...environment,
      ROADSTEAD_PROJECT: JSON.stringify(partsByLanguage(project)[language]),
    },
    reads: [...kind.reads, folder],
    writes: [writable_folder],
    home: writable_folder,
    limits,
  };
  return { kind, program };
}
