import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pidsOf } from './processes.ts';

const run = promisify(execFile);
const bareProgram = fileURLToPath(new URL('bare_python.py', import.meta.url));

/** A graph host of Python as a platform started it, so that others can be started with the same packages. Linux only. */
export interface PythonHost {
  readonly command: readonly [string, ...string[]];
  /** The folder of its revision. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The bare graph in a loop in one process, and with pauses as a lone caller makes them. */
export interface BareGraph {
  readonly per_s: number;
  readonly cpu_ms: number;
  readonly p50_ms: number;
}

const NEEDED = [
  'PATH',
  'ROADSTEAD_MODULE_FOLDERS',
  'ROADSTEAD_PROGRAM_FOLDER',
  'ROADSTEAD_PROJECT',
  'BENCH_UNTRACED',
];

export async function pythonHostOf(platform_pid: number): Promise<PythonHost> {
  for (const pid of (await pidsOf(platform_pid)).hosts) {
    const [line, variables] = await Promise.all([wordsOf(pid, 'cmdline'), wordsOf(pid, 'environ')]);
    const [program, ...flags] = line;
    if (program === undefined || !line.some((word) => word.endsWith('/roadstead_host/__main__.py'))) continue;
    const pairs = variables.map((text) => [text.split('=', 1)[0] ?? '', text.slice(text.indexOf('=') + 1)]);
    const kept = pairs.filter(([name = '']) => NEEDED.includes(name));
    return {
      command: [program, ...flags],
      folder: await readlink(`/proc/${pid}/cwd`),
      variables: Object.fromEntries(kept) as Record<string, string>,
    };
  }
  throw new Error('The platform has no host of Python.');
}

/** How long an interpreter takes that imports the modules of the agent, and ends without cleaning up. */
export async function importModules(host: PythonHost, modules: readonly string[]): Promise<number> {
  const opening = 'import json, os, site, sys; [*map(site.addsitedir, json.loads(sys.argv[1]))]';
  const program = `${opening}; sys.path.insert(0, "."); import ${modules.join(', ')}; os._exit(0)`;
  const began = performance.now();
  await run(...started(host, ['-c', program, moduleFolders(host)]));
  return performance.now() - began;
}

export async function runBare(host: PythonHost, runs: number): Promise<BareGraph> {
  const { stdout } = await run(...started(host, [bareProgram, moduleFolders(host), String(runs)]));
  return JSON.parse(stdout) as BareGraph;
}

/** As the host is started, with another program. */
function started({ command, folder, variables }: PythonHost, words: readonly string[]) {
  const [program, ...flags] = command;
  const { PATH = '' } = variables;
  return [program, [...flags.slice(0, -1), ...words], { cwd: folder, env: { PATH } }] as const;
}

const moduleFolders = ({ variables }: PythonHost) => variables['ROADSTEAD_MODULE_FOLDERS'] ?? '[]';

async function wordsOf(pid: number, file: 'cmdline' | 'environ'): Promise<string[]> {
  return (await readFile(`/proc/${pid}/${file}`, 'utf8')).split('\0').filter((word) => word !== '');
}
