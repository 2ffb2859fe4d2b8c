import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HUNG_MS } from '@roadstead/testing/processes';

/** The protocol’s own tools, run as programs of their own: they bring their own versions of the SDK. */

const modules = fileURLToPath(new URL('../../../node_modules/@modelcontextprotocol/', import.meta.url));

export interface ProgramResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(program: string, args: readonly string[]): Promise<ProgramResult> {
  const { promise, resolve } = Promise.withResolvers<ProgramResult>();
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', NO_COLOR: '1' };
  execFile(
    process.execPath,
    [modules + program, ...args],
    { env, maxBuffer: 64 * 1024 * 1024, timeout: HUNG_MS },
    (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err }),
  );
  return promise;
}

/** The MCP Inspector without its page. */
export const inspect = (...args: readonly string[]) =>
  run('inspector/clients/launcher/build/index.js', ['--cli', ...args, '--format', 'json']);

export interface Outcome {
  /** Scenarios that the revision requires of servers: those without a failed check, and the others. */
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** Scenarios that it doesn’t require, and that passed nevertheless. */
  readonly beyond: readonly string[];
}

/** Every scenario that a revision of the protocol requires of a server, and what the kit runs beside them. */
export async function runConformance(url: string, revision: string): Promise<Outcome> {
  const { out, err } = await run('conformance/dist/index.js', [
    'server',
    '--url',
    url,
    '--requirements',
    revision,
  ]);
  const [, summary] = out.split('=== SUMMARY ===');
  if (summary === undefined) throw new Error(`The conformance kit broke off: ${err || out}`);
  const [scored = '', unscored = ''] = summary.split(/^Not scored .*$/m);
  const extra = new Set([...unscored.matchAll(/^ +[✓✗] (\S+) /gm)].map(([, name]) => name));
  const results = [...scored.matchAll(/^([✓✗]) (\S+): (\d+) passed/gm)].map(([, mark, name = '', count]) => ({
    name,
    isRequired: !extra.has(name),
    // One that checked nothing shows nothing.
    isPassed: mark === '✓' && count !== '0',
  }));
  const namesOf = (is: (result: (typeof results)[number]) => boolean) =>
    results.filter(is).map(({ name }) => name);
  return {
    passed: namesOf(({ isRequired, isPassed }) => isRequired && isPassed),
    failed: namesOf(({ isRequired, isPassed }) => isRequired && !isPassed),
    beyond: namesOf(({ isRequired, isPassed }) => !isRequired && isPassed),
  };
}
