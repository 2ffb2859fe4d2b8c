import { join } from 'node:path';
import { findAnyUv, provideUv, Pythons } from '@roadstead/uv';
import type { PythonTools } from './python-setup.ts';

/** Opens the uv and the Pythons of this machine, and those that are brought into our folder once they are needed. */
export function openPythonTools({
  folder,
  environment,
}: {
  readonly folder: string;
  readonly environment: PythonTools['environment'];
}): PythonTools {
  const kept = { folder: join(folder, 'uv'), environment };
  const uv = (signal: AbortSignal) => provideUv({ ...kept, signal });
  const any_uv = () => findAnyUv(kept);
  return {
    uv,
    pythons: new Pythons({ uv, any_uv, folder: join(folder, 'pythons'), environment }),
    environment,
  };
}
