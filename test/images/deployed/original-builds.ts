import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { OriginalClient } from '../../support/original-clients.ts';
import { socket } from '../engine.ts';

const agents = fileURLToPath(new URL('../../agents/', import.meta.url));
interface OriginalBuild {
  /** A folder of `test/agents`. */
  readonly agent: string;
  readonly tag: string;
  /** Stands for the image that the original publishes, without a tag. */
  readonly base: string;
}

/** Makes an image of an agent by `langgraph build` of the original, as it is. */
export async function buildByOriginal(
  client: OriginalClient,
  { agent, tag, base }: OriginalBuild,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-original-'));
  try {
    await cp(join(agents, agent), folder, { recursive: true });
    const built = await client.run(['build', '--base-image', base, '--no-pull', '--tag', tag], {
      folder,
      env: { DOCKER_HOST: `unix://${socket}` },
    });
    expect(built, built.stdout + built.stderr).toMatchObject({ code: 0 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
