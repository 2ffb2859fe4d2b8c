import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCommandLine } from '../command-line/command-line.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { build } from './build.ts';
import { image } from './image.ts';

/** The programs that commands find. */
const programs = useFolderPerTest('programs-');
beforeEach(() => {
  vi.stubEnv('PATH', programs());
  vi.stubEnv('SAID', join(programs(), 'said'));
});
afterEach(() => vi.unstubAllEnvs());

async function run(...args: string[]) {
  const said = { stdout: '', stderr: '' };
  const into = (name: keyof typeof said) => ({
    isTTY: false,
    write: (text: string | Uint8Array) => ((said[name] += String(text)), true),
  });
  const streams = { stdin: { isTTY: false }, stdout: into('stdout'), stderr: into('stderr') };
  const status = await runCommandLine(args, {
    commands: [image, build],
    version: '0',
    openTerminal: (quiet) => openTerminal({ no_color: true, quiet }, streams),
  });
  return { status, ...said };
}

/** A program of that name, in which `$SAID` is a file that is read afterwards. */
async function addProgram(name: string, script: string) {
  await writeFile(join(programs(), name), `#!/bin/sh\n${script}\n`);
  await chmod(join(programs(), name), 0o755);
}

test('when there is no container engine, then the reasons and what to do are told', async () => {
  await addProgram('docker', 'echo "Cannot connect to the Docker daemon at unix:///none." >&2; exit 1');
  expect(await run('image', 'build')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      'No container engine answers (docker: Cannot connect to the Docker daemon at unix:///none.; podman: is not installed). Install',
    ),
  });
  expect((await run('image', 'build', '--engine', 'runc')).stderr).toContain('--engine is docker or podman.');
});

test('when containers are of another platform than the packages, then no image is begun', async () => {
  await addProgram('podman', '[ "$1" = info ] && echo linux/s390x');
  expect((await run('image', 'build')).stderr).toMatch(
    /installed here, for linux\/\w+; containers of podman are linux\/s390x\. Make it/,
  );
});

const GRAPHS = { graphs: { agent: './graph.js:graph' } };

async function writeProject(config: object) {
  const project = join(programs(), 'My agent');
  await mkdir(project);
  await writeFile(join(project, 'langgraph.json'), JSON.stringify(config));
  await writeFile(join(project, 'package.json'), '{}');
  await writeFile(join(project, 'graph.js'), 'export const graph = 1;');
  await writeFile(join(project, '.env'), 'SECRET=canary');
  return project;
}

test('when a project is built, then the engine gets its files, without secrets', async () => {
  await addProgram(
    'docker',
    `case "$1" in
version) echo linux/amd64 ;;
build) { echo "$@"; for last; do :; done; cd "$last"; echo * .*; while read -r line; do echo "$line"; done < "$5"; } > "$SAID"; echo "step 1" ;;
image) echo "sha256:abc 123000000" ;;
esac`,
  );
  const project = await writeProject(GRAPHS);
  const { status, stdout, stderr } = await run(
    'build',
    project,
    '-t',
    'agent:1',
    '--platform',
    'linux/amd64',
    '--json',
  );
  expect([status, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual({ image: 'agent:1', id: 'sha256:abc', size_bytes: 123_000_000 });
  const said = await readFile(join(programs(), 'said'), 'utf8');
  expect(said).toMatch(/^build --tag agent:1 --file \S+ --platform linux\/amd64 \S+\n/);
  expect(said).toMatch(/\ngraph\.js langgraph\.json package\.json \. \.\.\n/);
  expect(said).toContain('COPY . /deps/My-agent/\n');
});

test('when the engine refuses a build, then its last words are told', async () => {
  await addProgram('docker', '[ "$1" = version ] && echo linux/amd64 && exit; echo "npm error 404"; exit 1');
  const { status, stderr } = await run('build', await writeProject(GRAPHS), '--tag', 'agent:1', '--quiet');
  expect([status, stderr]).toEqual([1, 'roadstead: docker could not build the image:\nnpm error 404\n']);
});

test('when only the Dockerfile is asked for, then it is written, with what to leave out', async () => {
  const file = join(programs(), 'Dockerfile');
  const project = await writeProject({ ...GRAPHS, dockerfile_lines: ['RUN true'], image_distro: 'bookworm' });
  const { status, stderr } = await run('build', project, '--dockerfile', file);
  // No warning: what is about images is honoured here.
  expect([status, stderr]).toEqual([0, '  left out .env: secrets of this machine\n']);
  expect(await readFile(file, 'utf8')).toContain('FROM node:24-bookworm-slim\nRUN true\n');
  const ignored = await readFile(`${file}.dockerignore`, 'utf8');
  expect(ignored.split('\n')).toEqual(['**', '!graph.js', '!langgraph.json', '!package.json', '']);
});

test.each([
  [[], 'Name the image with --tag, or the file to write with --dockerfile.'],
  [['--tag', 'a', '--dockerfile', 'b'], 'Name the image with --tag'],
  [['--tag', 'a', '--config', 'other.json'], 'There is no other.json in'],
])('when a build is called with %j, then it is refused in words', async (args, sentence) => {
  const { status, stderr } = await run('build', await writeProject(GRAPHS), ...args);
  expect([status, stderr]).toEqual([1, expect.stringContaining(sentence)]);
});
