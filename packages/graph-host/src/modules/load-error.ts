import { execFile } from 'node:child_process';
import { relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type DeployedFolder, missingBuild } from './missing-build.ts';
import { tsconfigOf } from './typescript-loader.ts';
import { lastResolved } from './user-modules.ts';

/** Errors of loading, as who wrote the project reads them: with its files, from its root, and without ours. */

/** The message is a sentence that says what did not load and where. */
export class LoadError extends Error {
  /** Advice on what to do about it. */
  readonly hint: string | undefined;

  constructor(message: string, more: { readonly cause?: unknown; readonly hint?: string | undefined } = {}) {
    super(message, 'cause' in more ? { cause: more.cause } : {});
    this.hint = more.hint;
  }
}

interface LoadPlace extends DeployedFolder {
  /** Begins the sentence where it fails. */
  readonly what: string;
  /** The file that is loaded. */
  readonly file?: string;
}

/** Does what runs code of the project. Anything that it throws is thrown as an error of loading. */
export async function loading<T>(work: () => T | Promise<T>, { what, ...place }: LoadPlace): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw cause instanceof LoadError ? cause : await loadErrorOf(cause, { what, ...place });
  }
}

/** A sentence that names the place of an error in the project. Its stack goes to the log. */
async function loadErrorOf(cause: unknown, { what, root, beside, file }: LoadPlace): Promise<LoadError> {
  const { fault, more, together } = firstOf(cause);
  const { message, stack } = wordsOf(fault);
  const own = projectFrames(stack, root);
  const frames = own.length > 0 ? own : projectFrames(wordsOf(cause).stack, root);
  const found = compilerError(message, root) ?? {
    text: `${together}${message}`.replaceAll(root + sep, '') + (more === 0 ? '' : ` (and ${more} more)`),
    place: headPlace(stack, root) ?? framePlace(frames) ?? (await checkedPlace(fault, root)),
  };
  const at = found.place === undefined || found.text.includes(found.place) ? '' : ` (${found.place})`;
  if (frames.length > 0) process.stderr.write([`${what}: ${found.text}`, ...frames, ''].join('\n'));
  const hint = missingBuild(message, { root, beside });
  return new LoadError(`${what}: ${found.text}${at}${compiledBy(file, root)}`, { cause, hint });
}

/** What is wrong, where several errors were thrown as one, how many are beside it, and what they say as one. */
function firstOf(cause: unknown): {
  readonly fault: unknown;
  readonly more: number;
  readonly together: string;
} {
  const errors: unknown = cause instanceof AggregateError ? cause.errors : undefined;
  if (!Array.isArray(errors) || errors.length === 0) return { fault: cause, more: 0, together: '' };
  const { message } = cause as Error;
  const together = typeof message === 'string' && message !== '' ? `${message}: ` : '';
  return { fault: errors[0], more: errors.length - 1, together };
}

/** Code throws anything, also what throws when it is looked at. */
function wordsOf(thrown: unknown): { readonly message: string; readonly stack: string } {
  try {
    if (typeof thrown !== 'object' || thrown === null) return { message: String(thrown), stack: '' };
    const { name, message, stack } = thrown as Readonly<Partial<Record<keyof Error, unknown>>>;
    return {
      message: textOf(message) || textOf(name) || 'an error without a message',
      stack: textOf(stack),
    };
  } catch {
    return { message: 'what was thrown can’t be read', stack: '' };
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Names the tsconfig of the project that a file of TypeScript was compiled with: its paths, for one, may be those of another. */
function compiledBy(file: string | undefined, root: string): string {
  if (file === undefined || !/\.[cm]?tsx?$/.test(file)) return '';
  const tsconfig = tsconfigOf(file);
  return tsconfig === undefined
    ? ' (compiled without a tsconfig.json)'
    : ` (compiled by ${relative(root, tsconfig)})`;
}

/** The frames of a stack that lie in the project, those of its packages too. */
function projectFrames(stack: string, root: string): string[] {
  return stack.split('\n').flatMap((line) => {
    const [, before, place = ''] = /^(\s+at (?:.* \()?)((?:file:\/\/)?\/.*)$/.exec(line) ?? [];
    const path = inProject(place, root);
    return before === undefined || path === undefined ? [] : [`${before}${path}`];
  });
}

/** The first line of an error of the TypeScript compiler: `/file.ts:2:9: ERROR: …`. */
function compilerError(
  message: string,
  root: string,
): { readonly text: string; readonly place: string | undefined } | undefined {
  const [, file, line, text] = /^(\/.*?):(\d+):\d+: ERROR: (.*)$/m.exec(message) ?? [];
  if (text === undefined) return undefined;
  const path = inProject(file ?? '', root);
  return { text, place: path && `${path}:${line ?? ''}` };
}

/** Before its first line, the stack of some syntax errors has `/file.js:2`. */
function headPlace(stack: string, root: string): string | undefined {
  return inProject(/^((?:file:\/\/)?\/.*:\d+)\n/.exec(stack)?.[1] ?? '', root);
}

/** The innermost frame of the project's own code, else of a package of it: without the column. */
function framePlace(frames: readonly string[]): string | undefined {
  const frame = frames.find((one) => !one.includes('node_modules/')) ?? frames[0];
  return frame === undefined ? undefined : /([^\s(]+:\d+):\d+\)?$/.exec(frame)?.[1];
}

/** The syntax error of a module names no file, so the module that was resolved last is checked again, without running it. */
async function checkedPlace(cause: unknown, root: string): Promise<string | undefined> {
  const url = lastResolved();
  if (!(cause instanceof SyntaxError) || url?.startsWith('file:') !== true) return undefined;
  const said = await new Promise<string>((resolve) => {
    const args = ['--check', fileURLToPath(url)];
    execFile(process.execPath, args, { env: {}, timeout: 10_000 }, (_error, _out, err) => resolve(err));
  });
  return headPlace(said, root);
}

function inProject(place: string, root: string): string | undefined {
  const prefix = [pathToFileURL(root).href + '/', root + sep].find((one) => place.startsWith(one));
  return prefix === undefined ? undefined : place.slice(prefix.length);
}
