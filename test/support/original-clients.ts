import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HUNG_MS, kept } from '@roadstead/testing/processes';
import type { CommandResult } from './platform.ts';

/** The command lines that the original publishes, each installed once for all tests. */

const run = promisify(execFile);
const MINUTES_5 = 300_000;

export interface OriginalClient {
  readonly name: string;
  /** Runs `langgraph …` in a folder, with what it reads of the environment. */
  run(
    args: readonly string[],
    at: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<CommandResult>;
}

interface Installation {
  readonly name: string;
  readonly install: (into: string) => Promise<unknown>;
  /** The command, relative to where it was installed, and what it needs to run from there. */
  readonly command: (folder: string) => {
    readonly file: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

const installations: readonly Installation[] = [
  {
    name: 'langgraph-cli 0.4.40 of PyPI',
    install: (into) =>
      run(
        'python3',
        [
          '-m',
          'pip',
          'install',
          '--quiet',
          '--disable-pip-version-check',
          '--no-compile',
          '--target',
          into,
          'langgraph-cli==0.4.40',
        ],
        {
          timeout: MINUTES_5,
        },
      ),
    command: (folder) => ({
      file: 'python3',
      args: ['-s', '-m', 'langgraph_cli'],
      env: { PYTHONPATH: folder },
    }),
  },
  {
    name: '@langchain/langgraph-cli 1.5.1 of npm',
    install: (into) =>
      run(
        'npm',
        [
          'install',
          '--prefix',
          into,
          '--no-audit',
          '--no-fund',
          '--ignore-scripts',
          '@langchain/langgraph-cli@1.5.1',
        ],
        { timeout: MINUTES_5 },
      ),
    command: (folder) => ({
      file: process.execPath,
      args: [join(folder, 'node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs')],
      env: {},
    }),
  },
];

/** Each of them, or why it can't be tried here, in words. */
export async function originalClients(): Promise<(OriginalClient | string)[]> {
  return Promise.all(installations.map(open));
}

async function open({ name, install, command }: Installation): Promise<OriginalClient | string> {
  let folder: string;
  try {
    folder = await kept(name.replaceAll(/[^a-z0-9.]+/gi, '-'), install);
  } catch (error) {
    return `${name} can't be tried: ${error instanceof Error ? error.message.slice(0, 300) : 'it is not there'}`;
  }
  const { file, args: before, env: own } = command(folder);
  return {
    name,
    run: (args, { folder: cwd, env }) =>
      new Promise((done) => {
        const options = { cwd, env: { ...clean(), ...own, ...env }, timeout: HUNG_MS };
        execFile(file, [...before, ...args], options, (error, stdout, stderr) => {
          const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 1;
          done({ code, stdout, stderr });
        });
      }),
  };
}

/** Without a setting that the client could take for its own; it may report to nobody. */
function clean(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NO_COLOR: '1', LANGGRAPH_CLI_NO_ANALYTICS: '1' };
}
