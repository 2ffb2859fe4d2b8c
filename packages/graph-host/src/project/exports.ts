import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LoadError, loading } from '../modules/load-error.ts';
import type { DeployedFolder } from '../modules/missing-build.ts';

/** A module that `langgraph.json` names, and one of its exports. */
export interface ExportPlace {
  readonly file: string;
  readonly name: string;
}

/** Reads a path such as `./app.ts:app`. */
export function placeOf(path: string, { beside }: DeployedFolder): ExportPlace {
  const [file = '', name = 'default'] = path.split(':');
  return { file: resolve(beside, file), name };
}

/** Finds an export of the project's modules. @param who begins the sentence where there is none */
export async function exportAt(
  path: string,
  { who, deployed }: { readonly who: string; readonly deployed: DeployedFolder },
): Promise<unknown> {
  const { file, name } = placeOf(path, deployed);
  if (!existsSync(file)) throw new LoadError(`${who}: there is no such file in the deployed folder.`);
  const what = `${who} could not be loaded`;
  const module = await loading(() => import(pathToFileURL(file).href) as Promise<object>, {
    what,
    ...deployed,
    file,
  });
  const found = await loading(() => exportIn(module as Names, { name, who }), { what, ...deployed });
  // Some make their graph asynchronously, and export the promise of it.
  return await loading(() => found.value, { what: `${who} could not be made`, ...deployed });
}

type Names = Readonly<Record<string, unknown>>;

/** In an object: a promise is not waited for. */
function exportIn(
  module: Names,
  { name, who }: { readonly name: string; readonly who: string },
): { readonly value: unknown } {
  // CommonJS puts its exports below `default`.
  const inner = (module['default'] ?? {}) as Names;
  const found = name in module ? module[name] : typeof inner === 'object' ? inner[name] : undefined;
  // What a compiler made of ESM keeps its default below its default.
  const isCompiled =
    name === 'default' && typeof found === 'object' && found !== null && '__esModule' in found;
  const value = isCompiled ? inner['default'] : found;
  if (value !== undefined) return { value };
  const names = [...new Set([...Object.keys(module), ...Object.keys(inner)])];
  throw new LoadError(`${who} has no export "${name}"; there are: ${names.join(', ')}.`);
}
