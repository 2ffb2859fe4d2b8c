import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import type { FencedProgram, Limits } from '@roadstead/fence';
import type { HostKind } from './host-kind.ts';
import { hostKinds } from './host-kinds.ts';

interface HostedRevision {
  readonly folder: string;
  readonly project: ProjectGraphs;
  readonly environment: Readonly<Record<string, string>>;
}

interface HostPlace {
  readonly writable_folder: string;
  readonly limits: Limits;
  readonly api_url: string;
}

interface HostProgram {
  readonly kind: HostKind;
  readonly program: Omit<FencedProgram, 'pipes'>;
}

/** How a graph host of a revision is started, and of which kind it is. */
export function hostProgram(
  { folder, project, environment }: HostedRevision,
  { writable_folder, limits, api_url }: HostPlace,
): HostProgram {
  const kind = hostKinds.javascript;
  const program = {
    command: kind.command(limits),
    cwd: folder,
    environment: {
      HOME: writable_folder,
      TMPDIR: writable_folder,
      ...kind.variables,
      LANGGRAPH_API_URL: api_url,
      ...environment,
      ROADSTEAD_PROJECT: JSON.stringify(project),
    },
    reads: [...kind.reads, folder],
    writes: [writable_folder],
    home: writable_folder,
    limits,
  };
  return { kind, program };
}
