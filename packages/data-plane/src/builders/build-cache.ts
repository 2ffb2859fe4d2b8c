import { renameSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../remove-tree.ts';
import type { BuildSlots } from './build-slots.ts';

const MAX_BYTES = 4_000_000_000;
const LOOKED_AT_ONCE = 64;

/** What builds have fetched: packages, which npm itself never removes, or package managers. */
export class BuildCache {
  readonly #folder: string;
  readonly #slots: BuildSlots;
  readonly #max_bytes: number;
  /** After which build it was found small enough: it grows by builds only. */
  #fine_after = -1;

  constructor(folder: string, slots: BuildSlots, { max_bytes = MAX_BYTES } = {}) {
    this.#folder = folder;
    this.#slots = slots;
    this.#max_bytes = max_bytes;
  }

  /** Removes what a deployment that is gone has fetched. */
  async forget(deployment_id: string): Promise<void> {
    await removeTree(join(this.#folder, deployment_id));
  }

  /** Begins anew when it has grown too large and no build uses it; else the next call may. */
  async trim(): Promise<void> {
    const { taken } = this.#slots;
    if (taken === this.#fine_after) return;
    const gone = `${this.#folder}.gone`;
    // What a killed process was still removing.
    await removeTree(gone);
    const isLarge = (await sizeOf(this.#folder)) > this.#max_bytes;
    if (isLarge && !this.#slots.isIdle) return;
    this.#fine_after = taken;
    if (!isLarge) return;
    // In the tick that has looked, so that no build finds half of it.
    renameSync(this.#folder, gone);
    await removeTree(gone);
  }
}

/** Of all files in a folder, in bytes; what goes meanwhile, or isn't there, has none. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).values();
  let size = 0;
  const look = async () => {
    for (const { parentPath, name } of files) {
      const found = await lstat(join(parentPath, name)).catch(() => undefined);
      size += found?.size ?? 0;
    }
  };
  await Promise.all(Array.from({ length: LOOKED_AT_ONCE }, look));
  return size;
}
