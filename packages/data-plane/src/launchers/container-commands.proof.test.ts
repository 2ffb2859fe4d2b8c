import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ContainerEngine } from '@roadstead/containers';
import { silentLog } from '@roadstead/kit';
import { isNamed, useFolderPerTest } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { containerCommands } from './container-commands.ts';

/** A container engine, and an image with a shell that it has. */
const { ROADSTEAD_TEST_ENGINE: socket = '', ROADSTEAD_TEST_HOST_IMAGE: image = '' } = process.env;
const can_run = isNamed('Commands in containers are', {
  ROADSTEAD_TEST_ENGINE: socket,
  ROADSTEAD_TEST_HOST_IMAGE: image,
});
const folder = useFolderPerTest('commands-');

/** Starts a shell command in a folder that it may write to, beside one that it may read. */
async function started(command: string, memory_mb = 256) {
  const [home, project, packages] = ['home', 'project', 'packages'].map((name) => join(folder(), name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, project, packages]) await mkdir(path, { recursive: true });
  await writeFile(join(packages, 'one'), 'of a package');
  const engine = new ContainerEngine(socket);
  const place = containerCommands({
    engine,
    image,
    ensureImage: async () => undefined,
    network: 'none',
    labels: {},
    hidden: folder(),
    doors: undefined,
    log: silentLog,
  });
  const running = place.start({
    command: ['/bin/sh', '-c', command],
    cwd: project,
    environment: { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home },
    reads: [packages],
    writes: [project, home],
    home,
    limits: { memory_mb, cpus: undefined },
  });
  const { stdout, stderr } = running.output;
  const said = Promise.all(
    [stdout, stderr].map(async (stream) => (stream === undefined ? '' : text(stream))),
  );
  return { running, said, project, packages };
}

describe.skipIf(!can_run)('commands in containers (ROADSTEAD_TEST_ENGINE)', () => {
  test('when a command runs, then it reads and writes what it may, and both outputs are told', async () => {
    const { running, said, project, packages } = await started(
      'cat ../packages/one; echo made > made; ls nowhere',
    );
    expect(await running.ended).toMatchObject({ kind: 'exited', code: expect.any(Number) as number });
    const [stdout, stderr] = await said;
    expect([stdout, stderr]).toEqual(['of a package', expect.stringContaining('nowhere')]);
    expect(await readFile(join(project, 'made'), 'utf8')).toBe('made\n');
    expect(await readFile(join(packages, 'one'), 'utf8')).toBe('of a package');
  });

  test('when a command writes where it may not, or looks around, then it can’t', async () => {
    const { running, said } = await started(
      `echo x > ../packages/one; echo x > /etc/x; ls ${folder()}; ls /root`,
    );
    await running.ended;
    const [stdout = '', stderr = ''] = await said;
    expect(stdout.split('\n').filter(Boolean).toSorted()).toEqual(['home', 'packages', 'project']);
    expect(stderr.match(/Read-only|read-only|denied|can't create|nonexistent/gi)?.length).toBeGreaterThan(1);
  });

  test('when a command is killed, then it and what it started end at once', async () => {
    const { running } = await started('sleep 600 & sleep 600');
    const ended = running.ended;
    running.kill();
    expect(await ended).toEqual({ kind: 'killed', signal: 'SIGKILL' });
  });
});
