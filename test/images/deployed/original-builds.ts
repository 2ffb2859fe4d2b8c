import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { OriginalClient } from '../../support/original-clients.ts';
import { npmWith } from '../../support/npm-packages.ts';
import { socket } from '../engine.ts';

const agents = fileURLToPath(new URL('../../agents/', import.meta.url));
/** What agents in JavaScript name in their `package.json`. */
const PACKAGES = { '@langchain/core': '1.2.13', '@langchain/langgraph': '1.4.17' };

interface OriginalBuild {
  /** A folder of `test/agents`. */
  readonly agent: string;
  readonly tag: string;
  /** Stands for the image that the original publishes, without a tag. */
  readonly base: string;
}

/** Makes an image of an agent by `langgraph build` of the original, as it is. @returns why it can't, in words */
export async function buildByOriginal(
  client: OriginalClient,
  { agent, tag, base }: OriginalBuild,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-original-'));
  try {
    await cp(join(agents, agent), folder, { recursive: true });
    if (agent !== 'python') {
      const packages = await npmWith(PACKAGES);
      if (typeof packages === 'string') return packages;
      // What is there already, npm fetches from nowhere.
      await cp(join(packages.folder, 'node_modules'), join(folder, 'node_modules'), { recursive: true });
    }
    const built = await client.run(['build', '--base-image', base, '--no-pull', '--tag', tag], {
      folder,
      env: { DOCKER_HOST: `unix://${socket}` },
    });
    expect(built, built.stdout + built.stderr).toMatchObject({ code: 0 });
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
