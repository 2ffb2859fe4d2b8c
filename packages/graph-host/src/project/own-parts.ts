import { join } from 'node:path';
import { createUserApp, type UserApp } from '../http/user-app.ts';
import { loading } from '../modules/load-error.ts';
import type { DeployedFolder } from '../modules/missing-build.ts';
import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import { createAuth, type LoadedAuth } from './auth.ts';
import { type Embed, loadEmbedder } from './embedder.ts';
import { exportAt } from './exports.ts';

/** The parts that a project may have beside its graphs. */
export interface OwnParts {
  /** The deployment's own rules of access, where it has some. */
  readonly auth: LoadedAuth | undefined;
  readonly app: UserApp | undefined;
  readonly embed: Embed | undefined;
}

/** Throws a sentence that says which part is wrong, and how. */
export async function loadOwnParts(
  { auth, http, store, config_path }: ProjectGraphs,
  deployed: DeployedFolder,
): Promise<OwnParts> {
  const used = <T>(who: string, make: () => Promise<T>) =>
    loading(make, { what: `${who} could not be used`, ...deployed });
  const part = <T>(who: string, path: string, create: (exported: unknown, who: string) => T) =>
    used(who, async () => create(await exportAt(path, { who, deployed }), who));
  const index = store?.index ?? undefined;
  const embedder = `store.index.embed (${index?.embed ?? ''})`;
  return {
    auth: auth === null ? undefined : await part(`auth (${auth.path})`, auth.path, createAuth),
    app: http.app === null ? undefined : await part(`http.app (${http.app})`, http.app, createUserApp),
    embed:
      index &&
      (await used(embedder, () =>
        loadEmbedder(index, {
          exported: (path) => exportAt(path, { who: embedder, deployed }),
          file: join(deployed.root, config_path),
          deployed,
        }),
      )),
  };
}
