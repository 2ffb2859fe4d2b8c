import type { PodFields } from '@roadstead/contracts/control-plane';
import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import type { FencedProgram, Limits, ProgramEnd } from '@roadstead/fence';

/** The Python of a revision, as its build chose it. */
export interface PythonRuntime {
  /** The interpreter, by its absolute path. */
  readonly interpreter: string;
  /** The folders in which its modules are found, in order. */
  readonly module_folders: readonly string[];
  /** The folder of programs that packages bring. */
  readonly programs: string;
  /** Folders that the interpreter reads beside that of the revision. */
  readonly reads: readonly string[];
}

/** The image that has the files of a revision, where they are not on this machine. */
export interface HostedImage {
  /** Its name on the container engine, by a digest. */
  readonly reference: string;
  /** Whether it is sure to have `/bin/sh`. */
  readonly has_shell: boolean;
  /** Labels of its containers, for people. */
  readonly labels: Readonly<Record<string, string>>;
  /** What only pods of a cluster have. */
  readonly pod?: PodFields | undefined;
}

/** A file of this machine that a host in an image has at another path, where the image may have its own at the same one. */
export interface MovedFile {
  readonly from: string;
  readonly to: string;
}

/** The resources of a revision's hosts; the settings of the agent server hold where nothing is said. */
export interface HostResources {
  readonly memory_mb?: number | undefined;
  readonly cpus?: number | undefined;
  readonly min_hosts?: number | undefined;
  readonly max_hosts?: number | undefined;
  /** The quota on the deployment's database, while the revision serves. */
  readonly storage_bytes?: number | undefined;
}

/** A revision as its graph hosts get it. */
export interface HostedRevision {
  /** The unpacked artifact; with an image, the folder in it. */
  readonly folder: string;
  /** Whatever language it is in then, its image brings its packages, and Python itself. */
  readonly image?: HostedImage | undefined;
  /** Its graphs, as the `langgraph.json` in the folder names them. */
  readonly project: ProjectGraphs;
  /** The user's variables and the tracing ones; never logged. */
  readonly environment: Readonly<Record<string, string>>;
  /** Only of revisions with modules in Python. */
  readonly python?: PythonRuntime | undefined;
}

/** How a host ended: as any program does, out of sight, or before it began, for a reason with a code and a sentence. */
export type HostEnd =
  | ProgramEnd
  | { readonly kind: 'lost'; readonly why: string }
  | { readonly kind: 'refused'; readonly code: string; readonly sentence: string };

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
  /** The files that it reads at another path than they have here. */
  readonly moved?: readonly MovedFile[];
  /** Says in words what an image lacks, by a line that what starts the host printed before there was one. */
  readonly unfit?: (line: string) => string | undefined;
  /** How a host ends that fills its memory before the fence ends it: both the words and the end must fit. */
  readonly memory_full: {
    /** Whether a line of its standard error says so. */
    says(line: string): boolean;
    ends(how: HostEnd): boolean;
  };
}
