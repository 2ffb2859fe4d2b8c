import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listen, toNodeListener } from '@roadstead/http';
import { kept } from '@roadstead/testing/processes';
import { expect, test } from 'vitest';
import { startFixture, WORKSPACE } from '../testing/fixture.ts';
import { openRepository } from '../testing/registry-client.ts';

/** The suite by which the OCI judges registries, in Go, with everything that it can ask for. */

const run = promisify(execFile);
const MINUTES_10 = 600_000;
const MODULE = 'github.com/opencontainers/distribution-spec/conformance';
const source = fileURLToPath(new URL('conformance', import.meta.url));

/** Built once; why it can't be, in words. */
async function builtSuite(): Promise<string | { readonly program: string }> {
  try {
    const files = ['go.mod', 'go.sum'].map((file) => readFile(join(source, file)));
    const digest = createHash('sha256').update(Buffer.concat(await Promise.all(files)));
    const folder = await kept(`oci-${digest.digest('hex').slice(0, 12)}`, (part) =>
      run('go', ['build', '-buildvcs=false', '-o', join(part, 'suite'), MODULE], {
        cwd: source,
        timeout: MINUTES_10,
      }),
    );
    return { program: join(folder, 'suite') };
  } catch (error) {
    return `Go can't be tried: ${error instanceof Error ? error.message.slice(0, 300) : 'it is not there'}`;
  }
}

/** What is optional is asked for as well; a manifest without its layers is refused on purpose. */
const asked = {
  OCI_VERSION: '1.1',
  OCI_TLS: 'disabled',
  OCI_API_BLOBS_DIGEST_HEADER: 'true',
  OCI_API_BLOBS_UPLOAD_CANCEL: 'true',
  OCI_API_MANIFESTS_DIGEST_HEADER: 'true',
  OCI_API_MANIFESTS_TAG_PARAM: 'true',
  OCI_DATA_SPARSE: 'false',
};

test('when the conformance suite of the OCI asks, then nothing fails and nothing is skipped', async ({
  skip,
}) => {
  const suite = await builtSuite();
  if (typeof suite === 'string') {
    process.stderr.write(`${suite}\n`);
    return skip(suite);
  }
  await using fixture = await startFixture({
    images: { registry_url: undefined, max_bytes: 1_000_000_000, kept_days: 30 },
  });
  const { registry } = await openRepository(fixture);
  await using server = await listen(
    toNodeListener((request) => fixture.fetch(request)),
    {
      host: '127.0.0.1',
      port: 0,
    },
  );
  await using folder = await mkdtempDisposable(join(tmpdir(), 'roadstead-oci-'));
  const env = {
    ...asked,
    HOME: folder.path,
    OCI_REGISTRY: `127.0.0.1:${server.port}`,
    OCI_REPO1: registry.repository,
    OCI_REPO2: registry.as({ image: 'another' }).repository,
    OCI_USERNAME: 'anybody',
    OCI_PASSWORD: `rs_admin_${WORKSPACE}`,
    OCI_RESULTS_DIR: join(folder.path, 'results'),
  };
  const ended = await run(suite.program, [], {
    env,
    cwd: folder.path,
    timeout: MINUTES_10,
    maxBuffer: 1e8,
  }).catch((error: { stdout: string; stderr: string }) => error);
  const counted = (what: string) =>
    Number(new RegExp(`^\\s+${what}\\.+:\\s+(\\d+)$`, 'm').exec(ended.stdout)?.[1]);
  const failures = ended.stdout.split('\n').filter((line) => /: (?:FAIL|Error|Skip)$| - /.test(line));
  expect(['FAIL', 'Error', 'Skip'].map(counted), [...failures, ended.stderr].join('\n')).toEqual([0, 0, 0]);
  expect(counted('Pass')).toBeGreaterThan(500);
});
