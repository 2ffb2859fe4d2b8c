import { join } from 'node:path';
import { provideUv, Pythons } from '@roadstead/uv';
import type { PythonTools } from './python-setup.ts';

/** Opens the uv and the Pythons of this machine, and those that are brought into our folder once they are needed. */
export function openPythonTools({
  folder,
  environment,
}: {
  readonly folder: string;
  readonly environment: PythonTools['environment'];
}): PythonTools {
  const uv = (signal: AbortSignal) => provideUv({ folder: join(folder, 'uv'), environment, signal });
  return { uv, pythons: new Pythons({ uv, folder: join(folder, 'pythons'), environment }), environment };
}
