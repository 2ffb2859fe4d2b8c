import { type Language, partsByLanguage } from '@roadstead/contracts/langgraph-json';
import type { FencedProgram } from '@roadstead/fence';
import type { HostedRevision, HostKind, MovedFile } from './host-kind.ts';
import { javascriptHost, javascriptHostOfImage } from './javascript/javascript-host.ts';
import type { HostOrder } from './launcher.ts';
import { pythonHost } from './python/python-host.ts';

/** How a revision's hosts of each language are started. */
const hostKinds: Readonly<Record<Language, (revision: HostedRevision) => HostKind>> = {
  javascript: ({ image }) => (image === undefined ? javascriptHost : javascriptHostOfImage(image)),
  python: pythonHost,
};

export interface HostProgram {
  readonly kind: Pick<HostKind, 'memory_full' | 'unfit'>;
  readonly program: Omit<FencedProgram, 'pipes'> & { readonly moved?: readonly MovedFile[] | undefined };
}

/** How a graph host of a revision is started on this machine. */
export function hostProgram({
  revision,
  language,
  writable_folder,
  limits,
  api_url,
}: HostOrder): HostProgram {
  const { folder, project, environment, image } = revision;
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
    moved: kind.moved,
    reads: image === undefined ? [...kind.reads, folder] : kind.reads,
    writes: [writable_folder],
    home: writable_folder,
    limits,
  };
  return { kind, program };
}
