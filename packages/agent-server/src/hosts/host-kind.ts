import type { FencedProgram, Limits, ProgramEnd } from '@roadstead/fence';

/** In which language a graph host runs graphs. */
export type HostKindName = 'javascript';

/**
 * Port: everything that depends on the language of a graph host. Beyond it a host is a process that speaks the host
 * protocol.
 */
export interface HostKind {
  /** The command that starts a host; its flags hold the language's own memory below the limit. */
  command(limits: Limits): FencedProgram['command'];
  /** The variables that a host begins with, unless its revision sets them. */
  readonly variables: Readonly<Record<string, string>>;
  /** The folders of its program, which a host reads beside the folder of its revision. */
  readonly reads: readonly string[];
  /** How a host ends that fills its memory before the fence ends it: both the words and the end must fit. */
  readonly memory_full: {
    /** Whether a line of its standard error says so. */
    says(line: string): boolean;
    ends(how: ProgramEnd): boolean;
  };
}
