import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ContainerEngine } from '@roadstead/containers';
import { OWN_IMAGE, ROADSTEAD_VERSION } from '@roadstead/contracts';
import { silentLog } from '@roadstead/kit';
import { useFolder } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { ContainerLauncher } from '../../packages/data-plane/src/launchers/container-launcher.ts';
import { runtimeSuite } from '../../packages/data-plane/src/testing/runtime-suite.ts';
import { openTestRuntime } from '../../packages/data-plane/src/testing/test-runtime.ts';
import { base, can_build, docker, inImage, inspect, roadstead, socket } from './engine.ts';

/** The image of Roadstead: made, looked at, started, and taken for graph hosts. */

const MAX_BYTES = 350e6;
const folder = useFolder('own-image-');

describe.skipIf(!can_build)(
  'the image of Roadstead (ROADSTEAD_TEST_ENGINE, ROADSTEAD_TEST_BASE_IMAGE)',
  () => {
    let built: { image: string; id: string; size_bytes: number };
    beforeAll(() => {
      built = JSON.parse(
        roadstead('image', 'build', '--base', base, '--engine', 'docker', '--json'),
      ) as typeof built;
    }, 1_200_000);

    test('when it is made, then it is small, has its name, and nobody is root in it', () => {
      const { Id, Size, Config } = inspect(OWN_IMAGE);
      expect(built).toEqual({ image: OWN_IMAGE, id: Id, size_bytes: Size });
      expect(Size).toBeLessThanOrEqual(MAX_BYTES);
      expect(Config.User).toBe('10001:10001');
      expect(Config.Volumes).toBeNull();
      expect(inImage(OWN_IMAGE, 'id -un')).toBe('roadstead');
    });

    test('when it is looked at, then what builds want is there, and nothing compiles or escalates', () => {
      expect(docker('run', '--rm', '--network', 'none', OWN_IMAGE, '--version')).toBe(ROADSTEAD_VERSION);
      for (const program of ['node', 'npm', 'git', 'uv'])
        expect(inImage(OWN_IMAGE, `${program} --version`)).toMatch(/\d+\.\d+/);
      expect(inImage(OWN_IMAGE, 'ssh -V 2>&1')).toMatch(/^OpenSSH/);
      expect(inImage(OWN_IMAGE, 'test -s /etc/ssl/certs/ca-certificates.crt && echo there')).toBe('there');
      const compilers = 'for one in cc gcc g++ c++ clang cpp as ld make; do command -v $one; done; true';
      expect(inImage(OWN_IMAGE, compilers)).toBe('');
      expect(inImage(OWN_IMAGE, 'find / -xdev -type f -perm /6000 2> /dev/null || true')).toBe('');
    });

    test('when it is made again from the same, without what was kept, then its layers are the same', () => {
      const context = join(folder(), 'context');
      roadstead('image', 'build', '--context', context, '--quiet');
      const again = `roadstead-test:${randomUUID()}`;
      docker('build', '--no-cache', '--quiet', '--build-arg', `BASE=${base}`, '--tag', again, context);
      try {
        expect(inspect(again).RootFS.Layers).toEqual(inspect(OWN_IMAGE).RootFS.Layers);
      } finally {
        docker('image', 'rm', again);
      }
    });

    test('when it is run with a root that nobody writes to, then it serves, stops, and comes back', async () => {
      const name = `roadstead-test-${randomUUID()}`;
      const volume = docker('volume', 'create');
      const start = () =>
        docker(
          ...`run --detach --name ${name} --network none --read-only --tmpfs /tmp`.split(' '),
          ...`--cap-drop ALL --security-opt no-new-privileges --volume ${volume}:/var/lib/roadstead`.split(
            ' ',
          ),
          OWN_IMAGE,
        );
      const inside = (script: string) => docker('exec', name, 'node', '--input-type=module', '-e', script);
      const ask = (path: string) => {
        const url = `http://127.0.0.1:4100${path}`;
        const read = `await import('node:fs').then((fs) => fs.readFileSync('/var/lib/roadstead/data/api-key', 'utf8').trim())`;
        try {
          return inside(
            `const key = ${read}; const one = await fetch('${url}', { headers: { 'x-api-key': key } }); console.log(one.status, await one.text())`,
          );
        } catch {
          return `away: ${docker('logs', name)}`;
        }
      };
      try {
        start();
        await expect.poll(() => ask('/ok'), { timeout: 180_000, interval: 1000 }).toMatch(/^200 /);
        const deployments = ask('/v2/deployments');
        expect(deployments).toMatch(/^200 /);
        docker('stop', '--time', '90', name);
        expect(docker('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0');
        docker('rm', name);
        start();
        await expect.poll(() => ask('/ok'), { timeout: 180_000, interval: 1000 }).toMatch(/^200 /);
        expect(ask('/v2/deployments')).toBe(deployments);
      } finally {
        docker('rm', '--force', name);
        docker('volume', 'rm', volume);
      }
    });

    runtimeSuite('hosts in the image of Roadstead', () =>
      openTestRuntime(
        async (data_folder) =>
          new ContainerLauncher({
            engine: new ContainerEngine(socket),
            image: OWN_IMAGE,
            ensureImage: async () => undefined,
            network: 'host',
            owner: randomUUID(),
            hidden: join(data_folder, 'scratch'),
            doors: undefined,
            log: silentLog,
          }),
      ),
    );
  },
);
