import { realpathSync } from 'node:fs';
import Module, { type registerHooks } from 'node:module';
import { dirname, parse, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * TypeScript by tsx, with a tsconfig for each part of a project. tsx takes one for the whole process: it is asked once
 * for each, what it would install is held back, and of these the one whose tsconfig lies nearest to a file acts on it.
 */

type Hooks = Parameters<typeof registerHooks>[0];
type Resolve = NonNullable<Hooks['resolve']>;
type Load = NonNullable<Hooks['load']>;
type ResolveFilename = (
  request: string,
  parent: { filename?: string } | undefined,
  ...rest: never[]
) => string;
type Extension = (module: unknown, filename: string) => void;

/** The hooks by which tsx changes Node. */
interface Internals {
  _resolveFilename: ResolveFilename;
  readonly _extensions: Record<string, Extension>;
  registerHooks: (hooks: Hooks) => { deregister(): void };
}
const internals = Module as unknown as Internals;

/** tsx with one tsconfig. */
interface Compiler {
  /** The folder below which it counts; undefined for all of them. */
  readonly folder: string | undefined;
  readonly resolve: Resolve;
  readonly load: Load;
  readonly resolveFilename: ResolveFilename;
  readonly extensions: Readonly<Record<string, Extension>>;
}

let used: readonly (string | undefined)[] = [];

/** The tsconfig that a file is compiled by: of those that count, the nearest above it, else the first. */
export const tsconfigOf = (file: string): string | undefined =>
  nearestOf(
    used.filter((one) => one !== undefined),
    dirname,
    realPath(file),
  ) ?? used[0];

/** Where a file lies behind links, as hooks are told of it; a missing one is nowhere else. */
export function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** @param tsconfigs the first also counts for what lies below none of them; undefined is none */
export async function loadTypeScript(
  tsconfigs: readonly (string | undefined)[],
  { root }: { readonly root: string },
): Promise<Hooks> {
  const [commonJs, modules] = await Promise.all([import('tsx/cjs/api'), import('tsx/esm/api')]);
  used = tsconfigs;
  const registerBoth = (tsconfig: string | undefined) => {
    commonJs.register();
    modules.register(tsconfig === undefined ? { tsconfig: false } : {});
  };
  // The first one comes last: it is what stays in the environment.
  const compilers = (tsconfigs.length === 0 ? [undefined] : tsconfigs)
    .toReversed()
    .map((tsconfig) => compilerBy(tsconfig, { registerBoth, root }))
    .toReversed();
  const [first] = compilers;
  if (first === undefined) throw new Error('There is always one.');
  const of = (path: string | undefined) =>
    (path === undefined ? undefined : nearestOf(compilers, ({ folder }) => folder, path)) ?? first;
  internals._resolveFilename = (request, parent, ...rest) =>
    of(parent?.filename).resolveFilename(request, parent, ...rest);
  for (const name of Object.keys(first.extensions))
    internals._extensions[name] = (module, filename) => of(filename).extensions[name]?.(module, filename);
  return {
    resolve: (specifier, context, next) => of(pathOf(context.parentURL)).resolve(specifier, context, next),
    load: (url, context, next) => of(pathOf(url)).load(url, context, next),
  };
}

/** The hooks that tsx would install with this tsconfig; nothing is changed afterwards but the environment. */
function compilerBy(
  tsconfig: string | undefined,
  {
    registerBoth,
    root,
  }: { readonly registerBoth: (tsconfig: string | undefined) => void; readonly root: string },
): Compiler {
  const { _resolveFilename, registerHooks, _extensions } = internals;
  const before = { ..._extensions };
  const held: Hooks[] = [];
  internals.registerHooks = (hooks) => {
    held.push(hooks);
    return { deregister: () => undefined };
  };
  // Without one of the project's own, tsx would take that of a folder above: no business of the project.
  const folder = process.cwd();
  if (tsconfig === undefined) {
    process.chdir(parse(folder).root);
    delete process.env['TSX_TSCONFIG_PATH'];
  } else process.env['TSX_TSCONFIG_PATH'] = tsconfig;
  try {
    registerBoth(tsconfig);
    const { resolve, load } = held[0] ?? {};
    if (resolve === undefined || load === undefined) throw new Error('tsx installs no hooks.');
    const changed = Object.entries(_extensions).filter(([name, extension]) => before[name] !== extension);
    return {
      folder: tsconfig === undefined ? undefined : realpathSync(dirname(tsconfig)),
      resolve,
      load,
      resolveFilename: internals._resolveFilename,
      extensions: Object.fromEntries(changed),
    };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const name = tsconfig === undefined ? 'tsconfig.json' : relative(root, tsconfig);
    throw new Error(
      `The project’s ${name} can’t be used: ${why} What it extends must be installed with the project.`,
      { cause },
    );
  } finally {
    process.chdir(folder);
    Object.assign(internals, { _resolveFilename, registerHooks });
    for (const name of Object.keys(_extensions)) if (!(name in before)) delete _extensions[name];
    Object.assign(_extensions, before);
  }
}

const pathOf = (url: string | undefined): string | undefined =>
  url?.startsWith('file:') === true ? fileURLToPath(url) : undefined;

/** Among things that count below a folder, the one whose folder is the deepest that holds a file. */
function nearestOf<T>(
  things: readonly T[],
  folderOf: (thing: T) => string | undefined,
  file: string,
): T | undefined {
  const around = things.filter((thing) => file.startsWith(`${folderOf(thing) ?? ''}${sep}`));
  return around
    .toSorted((one, other) => (folderOf(one) ?? '').length - (folderOf(other) ?? '').length)
    .at(-1);
}
