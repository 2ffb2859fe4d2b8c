import { Problem } from '@roadstead/kit';
import { enterScript, NAMESPACE_SCRIPT, packVariables } from './fence-script.ts';
import { FencedProcess } from './fenced-process.ts';
import {
  mountsOfMachine,
  showable,
  shownOfSystem,
  sortPaths,
  SYSTEM_PATH,
  systemEntries,
  systemProgram,
} from './machine.ts';
import { foldersOf, mountTable } from './mount-rules.ts';
import type { Limiter, Limits } from './limits/limits.ts';
import { linkShortHome, needsShortHome, SHORT_HOME } from './short-home.ts';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** A program of a user: a build's command, or a graph host. */
export interface FencedProgram {
  /** The program, by its absolute path, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** All variables that it gets. Names that no shell can export are left out. */
  readonly environment: Readonly<Record<string, string>>;
  /** What it may read beside the system: folders, and files. Missing ones are left out. */
  readonly reads: readonly string[];
  /** The folders that it may write to; they exist. */
  readonly writes: readonly string[];
  /**
   * The one of these folders that is its home. A program whose `TMPDIR` it is gets a short path to it there, where sockets
   * would have too long a one.
   */
  readonly home: string;
  /** How many pipes it has from file descriptor 1 on: 2 for its output, more with channels. */
  readonly pipes: 2 | 5;
  /** Its limits on this machine; unlimited by default. */
  readonly limits?: Limits;
}

/** Isolates programs of users from this machine, as well as the machine allows. */
export interface Fence {
  readonly isolation: 'none' | 'namespace';
  /** How programs are held to their limits. */
  readonly resource_limits: Limiter['kind'];
  start(program: FencedProgram): FencedProcess;
}

/**
 * Runs programs as our own user: the process boundary alone keeps them off our files.
 * @param ordinary_user as root: the user to run them as instead, without the rights of root.
 */
export function openProcesses(ordinary_user: number | undefined, limiter: Limiter): Fence {
  const prefix =
    ordinary_user === undefined
      ? []
      : [
          requireProgram('unshare'),
          '--user',
          `--map-user=${ordinary_user}`,
          `--map-group=${ordinary_user}`,
          '--',
        ];
  return {
    isolation: 'none',
    resource_limits: limiter.kind,
    start: ({ environment, pipes, limits, ...program }) => {
      const held = limits && limiter.hold(limits);
      const mark = newMark();
      const short = needsShortHome({ ...program, environment }) ? linkShortHome(program.home) : undefined;
      const own = { ...environment, ...(short && { TMPDIR: short.path }), ...mark };
      const { script, args, variables } = entering({ ...program, environment: own });
      const command = [...prefix, '/bin/sh', '-c', script, 'sh', ...args];
      return new FencedProcess({
        command,
        environment: variables,
        pipes,
        held,
        endStrays: () => endStrays(mark),
        onEnded: () => short?.[Symbol.dispose](),
      });
    },
  };
}

export interface NamespaceOptions {
  /** Paths that no program sees except for its own part of them: our data folder, our sockets. */
  readonly hidden: readonly string[];
  /** An empty folder of ours, where a namespace mounts its root. */
  readonly root: string;
}

const UNSHARE = ['--user', '--map-root-user', '--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child'];

/** Runs programs in namespaces of their own (Linux), where they see only what they need of the machine. */
export function openNamespaces({ hidden, root }: NamespaceOptions, limiter: Limiter): Fence {
  const unshare = [requireProgram('unshare'), ...UNSHARE, '--'];
  const system = showable(shownOfSystem(), hidden);
  const system_entries = systemEntries();
  return {
    isolation: 'namespace',
    resource_limits: limiter.kind,
    start: ({ reads, writes, pipes, limits, ...program }) => {
      const held = limits && limiter.hold(limits);
      const own = showable(sortPaths(reads), hidden);
      const view = { root, reads: [...system.folders, ...own.folders], writes, system_entries };
      const table = mountTable({ ...view, mounts: mountsOfMachine() });
      const lists = [foldersOf(view), [...system.files, ...own.files]].map((list) => list.join('\n'));
      const { home, environment } = program;
      const inside = needsShortHome(program) ? { ...environment, TMPDIR: SHORT_HOME } : environment;
      const { script, args, variables } = entering({ ...program, environment: inside });
      const command = [
        ...unshare,
        '/bin/sh',
        '-c',
        NAMESPACE_SCRIPT,
        'sh',
        root,
        home,
        ...lists,
        table,
        script,
      ];
      return new FencedProcess({ command: [...command, ...args], environment: variables, pipes, held });
    },
  };
}

/** The script by which a shell starts a program, and its arguments and environment. */
function entering({ command, cwd, environment }: Pick<FencedProgram, 'command' | 'cwd' | 'environment'>) {
  const variables = packVariables(environment);
  return {
    script: enterScript(Object.keys(variables).length),
    args: [cwd, ...command],
    variables: { PATH: SYSTEM_PATH, ...variables },
  };
}

function requireProgram(name: string): string {
  const path = systemProgram(name);
  if (path !== undefined) return path;
  throw new Problem('invalid', `The program ${name} is not in ${SYSTEM_PATH}.`);
}

/** The variable by which processes that a program started are recognised, where no namespace ends them. */
const MARK = 'ROADSTEAD_FENCE';

const newMark = (): Record<string, string> => ({ [MARK]: randomUUID() });

/**
 * Ends processes that left their process group, for example by `setsid`, unless they have dropped their environment
 * too. Finds nothing where there is no `/proc`.
 */
async function endStrays(environment: Readonly<Record<string, string>>): Promise<void> {
  const mark = `${MARK}=${environment[MARK] ?? ''}\0`;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  await Promise.all(
    pids.map(async (pid) => {
      const found = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      if (!found.includes(mark)) return;
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // The process has ended already.
      }
    }),
  );
}
