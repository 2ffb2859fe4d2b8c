import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { docker } from '../../images/engine.ts';
import type { LayeredImage } from './test-registry.ts';

const run = promisify(execFile);

interface SavedManifest {
  readonly Config: string;
  readonly Layers: readonly string[];
}

/** An image of the engine, as a registry gives it out: its layers are tars, whose digests its configuration has. */
export async function savedImage(tag: string, folder: string): Promise<LayeredImage> {
  await mkdir(folder, { recursive: true });
  const into = await mkdtemp(join(folder, 'saved-'));
  const tar = join(into, 'image.tar');
  docker('save', '--output', tar, tag);
  await run('tar', ['--extract', '--file', tar, '--directory', into]);
  const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(join(into, path), 'utf8'));
  const [saved] = (await read('manifest.json')) as [SavedManifest];
  const configuration = (await read(saved.Config)) as LayeredImage['configuration'] & {
    readonly rootfs: { readonly diff_ids: readonly string[] };
  };
  const layers = saved.Layers.map(async (layer, at) => {
    const path = join(into, layer);
    return { path, digest: configuration.rootfs.diff_ids[at] ?? '', size: (await stat(path)).size };
  });
  return { configuration, layers: await Promise.all(layers) };
}
