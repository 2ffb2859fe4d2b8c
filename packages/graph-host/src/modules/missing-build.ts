import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { nearest } from './nearest.ts';

/** Explains failed imports of files that a build should have made. */

const MISSING = /Cannot find (?:module|package) '(\/[^']+)'/;

interface Manifest {
  readonly name?: unknown;
  readonly scripts?: Readonly<Record<string, unknown>>;
}

export interface DeployedFolder {
  /** The project's folder. */
  readonly root: string;
  /** The folder of its configuration, in which its build command runs. */
  readonly beside: string;
}

/**
 * Advises what to do where a package of the project itself, such as a library of its workspace, lacks a file that its
 * `package.json` names: it was never built. Undefined where something else is missing.
 */
export function missingBuild(message: string, { root, beside }: DeployedFolder): string | undefined {
  const [, file] = MISSING.exec(message) ?? [];
  const found = file === undefined ? undefined : ownPackage(file, root);
  if (file === undefined || found === undefined) return undefined;
  const { folder, text } = found;
  const path = relative(found.named, file);
  const [first = ''] = path.split(sep);
  // A package means to have the files that it names; a misspelt import of its own file is no matter of a build.
  if (existsSync(file) || !new RegExp(`["/]${escaped(first)}[/"]`).test(text)) return undefined;
  const { name, scripts = {} } = found.manifest;
  const who = typeof name === 'string' ? name : relative(root, folder) || 'The project';
  const where = relative(beside, folder);
  const command =
    typeof scripts['build'] === 'string'
      ? `, such as --build-command ${quoted(`npm run build${where === '' ? '' : ` --prefix ${quoted(where)}`}`)}`
      : ', by --build-command';
  return `${who} has no ${path} yet: it must be built before the agent starts${command}.`;
}

/** The package that a file would lie in, where that is part of the project and not installed; links are followed. */
function ownPackage(file: string, root: string) {
  const path = nearest('package.json', { from: dirname(file), up_to: root });
  if (path === undefined) return undefined;
  const folder = realpathSync(dirname(path));
  const within = relative(realpathSync(root), folder);
  if (within.startsWith('..') || within.split(sep).includes('node_modules')) return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    return { folder, named: dirname(path), text, manifest: JSON.parse(text) as Manifest };
  } catch {
    return undefined;
  }
}

/** For a shell; a path of plain characters stands as it is. */
const quoted = (text: string) =>
  /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
