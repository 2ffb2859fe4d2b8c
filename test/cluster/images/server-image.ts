import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ImageConfig, ImageLayer, LayeredImage } from './test-registry.ts';

/** Images of the server of tests, made of the Node of this process and what that is linked to: no engine, no other image. */

const run = promisify(execFile);
const SERVER = fileURLToPath(
  new URL('../../../packages/data-plane/src/testing/engine/test-server.mjs', import.meta.url),
);
export const NODE = '/usr/local/bin/node';
/** The same files give the same layer, which nodes then have already. */
const ALIKE = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=go+rX'];

/** A layer with the Node of this process, and the server. */
export async function makeServerLayer(folder: string): Promise<ImageLayer> {
  const root = join(folder, 'root');
  const { stdout } = await run('ldd', [process.execPath]);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  const files = [[process.execPath, NODE], [SERVER, '/server.mjs'], ...libraries.map((one) => [one, one])];
  for (const [from = '', to = ''] of files) {
    await mkdir(dirname(join(root, to)), { recursive: true });
    await cp(from, join(root, to), { dereference: true });
  }
  const path = join(folder, 'layer.tar');
  await run('tar', ['--create', '--file', path, ...ALIKE, '--directory', root, '.']);
  return await layerAt(path);
}

async function layerAt(path: string): Promise<ImageLayer> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return { path, digest: `sha256:${hash.digest('hex')}`, size: (await stat(path)).size };
}

interface Differences {
  readonly architecture?: string;
  readonly config?: ImageConfig;
}

export const OWN_ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch;

/** @param name what the server answers as its own */
export function serverImage(
  layer: ImageLayer,
  { name, architecture = OWN_ARCHITECTURE, config }: Differences & { readonly name: string },
): LayeredImage {
  return {
    layers: [layer],
    configuration: {
      architecture,
      os: 'linux',
      config: {
        User: '1000',
        Entrypoint: [NODE, '/server.mjs'],
        ExposedPorts: { '8000/tcp': {} },
        Env: [`PATH=${dirname(NODE)}`, `NAME=${name}`],
        ...config,
      } as ImageConfig,
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
      history: [],
    },
  };
}
