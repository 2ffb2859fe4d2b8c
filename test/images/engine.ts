import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isNamed } from '@roadstead/testing';

/** A container engine, and an image that images are made of without a network: CONTRIBUTING.md says what is in it. */
export const {
  ROADSTEAD_TEST_ENGINE: socket = '',
  ROADSTEAD_TEST_BASE_IMAGE: base = '',
  /** An image with Python, of which images in Python are made. */
  ROADSTEAD_TEST_PYTHON_IMAGE: python_base = '',
  /** An image with musl, and Node and npm for it, of which an image in JavaScript is made. */
  ROADSTEAD_TEST_MUSL_IMAGE: musl_base = '',
} = process.env;
export const can_build = isNamed('Images are', {
  ROADSTEAD_TEST_ENGINE: socket,
  ROADSTEAD_TEST_BASE_IMAGE: base,
});
export const can_build_python =
  can_build && isNamed('Images in Python are', { ROADSTEAD_TEST_PYTHON_IMAGE: python_base });
export const can_build_musl =
  can_build && isNamed('Images with musl are', { ROADSTEAD_TEST_MUSL_IMAGE: musl_base });

const root = fileURLToPath(new URL('../../', import.meta.url));
const env = { ...process.env, DOCKER_HOST: `unix://${socket}`, NO_COLOR: '1' };
const MAX_OUTPUT = 67_108_864;

export const docker = (...args: readonly string[]): string =>
  execFileSync('docker', [...args], { env, encoding: 'utf8', maxBuffer: MAX_OUTPUT }).trim();

/** Runs the command of this checkout. */
export const roadstead = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [`${root}packages/cli/src/main.ts`, ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

export interface ImageOnEngine {
  readonly Id: string;
  readonly Size: number;
  readonly Config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Volumes: object | null;
    readonly WorkingDir: string;
  };
  readonly RootFS: { readonly Layers: readonly string[] };
}

export const inspect = (image: string): ImageOnEngine =>
  (JSON.parse(docker('image', 'inspect', image)) as [ImageOnEngine])[0];

/** Runs a shell command in an image, with nothing but what is in it. */
export const inImage = (image: string, command: string): string =>
  docker('run', '--rm', '--network', 'none', '--read-only', '--entrypoint', '/bin/sh', image, '-c', command);
