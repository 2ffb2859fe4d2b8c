import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { UV_VERSION } from '@roadstead/uv';
import { type OriginalClient, originalClients } from '../../support/original-clients.ts';
import { base, docker, inImage, musl_base, python_base } from '../engine.ts';
import { makeImage, npmCacheOf, wheelsOf } from './image-makers.ts';
import { buildByOriginal } from './original-builds.ts';

/** The images that the proof deploys. They go when it ends; the engine keeps their layers for the next time. */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const TEST_SERVER = `${root}packages/data-plane/src/testing/engine/test-server.mjs`;
const PYTHON_REQUIREMENTS = `${root}test/agents/python/requirements.in`;
const INSTALLERS = ['pip==26.3', 'setuptools==84.2.1', 'wheel==0.48.0', `uv==${UV_VERSION}`];

export interface TestImages extends Disposable {
  /** A name that goes with the others. */
  newTag(): string;
  /** A server that answers with this as its name. */
  server(version: string): Promise<string>;
  /** A base that has the packages of an agent of `test/agents` at hand, without a network: its name, and one with its tag. */
  base(agent: string): Promise<{ readonly name: string; readonly tag: string }>;
  /** An agent of `test/agents`, made by the original, also on a base with musl; why it can't be, in words. */
  original(
    agent: string,
    on?: { readonly libc: 'glibc' | 'musl' },
  ): Promise<{ readonly tag: string } | string>;
  /** A server that the A2A SDK for Python serves. */
  a2aServer(): Promise<string>;
}

export const idOf = (tag: string) => docker('image', 'inspect', '--format', '{{.Id}}', tag);

/** Those of a file or suite of tests. */
export const useTestImages = (): (() => TestImages) =>
  useFixture(async () => {
    const opened = openTestImages();
    return Object.assign(opened, {
      [Symbol.asyncDispose]: async () => {
        opened[Symbol.dispose]();
      },
    });
  });

function openTestImages(): TestImages {
  const own = `localhost/roadstead-test-${randomUUID().slice(0, 8)}`;
  const tags: string[] = [];
  const newTag = () => {
    const tag = `${own}:${tags.length}`;
    tags.push(tag);
    return tag;
  };
  const baseOf = async (agent: string, libc = 'glibc') => {
    const made =
      agent === 'python'
        ? await pythonStandIn(`${own}-python`)
        : await standIn(`${own}-node-${libc}`, libc === 'musl' ? musl_base : base);
    tags.push(made.tag);
    return made;
  };
  return {
    newTag,
    base: (agent) => baseOf(agent),
    server: (version) =>
      makeImage({
        name: 'server',
        tag: newTag(),
        base,
        line: `ENV NAME=${version}`,
        files: { 'test-server.mjs': TEST_SERVER },
      }),
    original: async (agent, { libc } = { libc: 'glibc' }) => {
      const client = await pythonClient();
      if (typeof client === 'string') return client;
      const tag = newTag();
      await buildByOriginal(client, { agent, tag, base: (await baseOf(agent, libc)).name });
      return { tag };
    },
    a2aServer: async () => {
      const wheels = await wheelsOf(
        [...INSTALLERS, 'a2a-sdk[http-server]==1.3.0', 'uvicorn==0.54.0'],
        pythonVersion(),
      );
      return await makeImage({ name: 'a2a-server', tag: newTag(), base: python_base, files: { wheels } });
    },
    [Symbol.dispose]: () => {
      for (const tag of tags.toReversed()) remove(tag);
    },
  };
}

async function pythonClient(): Promise<OriginalClient | string> {
  const [client = 'There is no command line of the original.'] = await originalClients();
  return client;
}

async function standIn(name: string, from: string) {
  const files = { cache: await npmCacheOf(`${root}test/agents/javascript`) };
  const tag = await makeImage({ name: 'javascript-base', tag: `${name}:24`, base: from, files });
  return { name, tag };
}

async function pythonStandIn(name: string) {
  const version = pythonVersion();
  const asked = (await readFile(PYTHON_REQUIREMENTS, 'utf8')).split('\n').filter(Boolean);
  const wheels = await wheelsOf([...INSTALLERS, ...asked], version);
  // The original adds the version that it takes where a project names none.
  const tag = await makeImage({
    name: 'python-base',
    tag: `${name}:3.11`,
    base: python_base,
    files: { wheels },
  });
  return { name, tag };
}

const pythonVersion = () =>
  inImage(python_base, `python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])'`);

function remove(tag: string): void {
  try {
    docker('image', 'rm', '--force', tag);
  } catch {
    // It was not made.
  }
}
