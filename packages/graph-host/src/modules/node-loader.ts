import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { importAsUser } from './user-modules.ts';

/** What a project has loaded instead of tsx: a package of its own or a file. */

/** @returns null for tsx */
export function chosenLoader(node_loader: string | null): string | null {
  const asked = process.env['LANGGRAPH_NODE_LOADER']?.trim() || node_loader;
  return asked === 'tsx' ? null : asked;
}

/** Those whose hooks must be registered by name; any other registers its own when it is imported. */
const REGISTERED: Readonly<Record<string, string>> = {
  'ts-node': 'ts-node/esm',
  'ts-node/esm': 'ts-node/esm',
};

/** Resolves it from the file of the configuration. */
export async function useLoader(loader: string, config: string): Promise<void> {
  const registered = REGISTERED[loader];
  if (registered === undefined) await importAsUser(loader, config);
  else register(pathToFileURL(createRequire(config).resolve(registered)), pathToFileURL(config));
}
