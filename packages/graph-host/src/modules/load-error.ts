import { execFile } from 'node:child_process';
import { relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type DeployedFolder, missingBuild } from './missing-build.ts';
import { tsconfigOf } from './typescript-loader.ts';
import { lastResolved } from './user-modules.ts';

/** Errors of loading, as who wrote the project reads them: with its files, from its root, and without ours. */

class LoadError extends Error {
  /** Advice on what to do about it. */
  readonly hint: string | undefined;

  constructor(
    message: string,
    { cause, hint }: { readonly cause: unknown; readonly hint: string | undefined },
  ) {
    super(message, { cause });
    this.hint = hint;
  }
}

/**
 * Throws the error again, in a sentence that names its place in the project. Its stack goes to the log.
 * @param file what was loaded
 */
export async function failLoading(
  what: string,
  { cause, root, beside, file }: DeployedFolder & { readonly cause: unknown; readonly file?: string },
): Promise<never> {
  const { message, stack } = cause instanceof Error ? cause : { message: String(cause), stack: undefined };
  const frames = projectFrames(stack ?? '', root);
  const found = compilerError(message, root) ?? {
    text: message.replaceAll(root + sep, ''),
    place: headPlace(stack ?? '', root) ?? framePlace(frames) ?? (await checkedPlace(cause, root)),
  };
  const at = found.place === undefined || found.text.includes(found.place) ? '' : ` (${found.place})`;
  if (frames.length > 0) process.stderr.write([`${what}: ${found.text}`, ...frames, ''].join('\n'));
  const hint = missingBuild(cause, { root, beside });
  throw new LoadError(`${what}: ${found.text}${at}${compiledBy(file, root)}`, { cause, hint });
}

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
