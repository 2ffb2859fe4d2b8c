import { join } from 'node:path';
import { findAnyUv, provideUv, pruneUv, Pythons } from '@roadstead/uv';
import type { PythonTools } from './python-setup.ts';

interface OwnPythonTools extends PythonTools {
  /** Removes what was brought into our folder, and is needed neither now nor by artifacts of these exact versions. */
  readonly prune: (versions: ReadonlySet<string>) => Promise<void>;
}

/** Opens the uv and the Pythons of this machine, and those that are brought into our folder once they are needed. */
export function openPythonTools({
  folder,
  environment,
}: {
  readonly folder: string;
  readonly environment: PythonTools['environment'];
}): OwnPythonTools {
  const kept = { folder: join(folder, 'uv'), environment };
  const uv = (signal: AbortSignal) => provideUv({ ...kept, signal });
  const any_uv = () => findAnyUv(kept);
  const pythons = new Pythons({ uv, any_uv, folder: join(folder, 'pythons'), environment });
  return {
    uv,
    pythons,
    environment,
    prune: async (versions) => {
      await pythons.prune(versions);
      await pruneUv(kept);
    },
  };
}
