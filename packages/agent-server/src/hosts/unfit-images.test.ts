import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { HostEnd } from './host-kind.ts';
import { HostProcess } from './host-process.ts';
import { javascriptHostOfImage } from './javascript/javascript-host.ts';
import type { HostConnections } from './launcher.ts';

const { memory_full, unfit } = javascriptHostOfImage({ has_shell: true });

/** A host in an image that ends before it has connected. */
function endedHost(printed: string, end: HostEnd): HostProcess {
  const connections = Promise.reject<HostConnections>(new Error('ended'));
  connections.catch(() => undefined);
  const stderr = Readable.from([`${printed}\n`]);
  return new HostProcess({
    launched: {
      connections,
      output: { stderr },
      pid: undefined,
      memory_full,
      unfit,
      ended: new Promise((resolve) => {
        stderr.once('end', () => resolve(end));
      }),
      kill: () => undefined,
    },
    handlers: { ask: async () => ({ result: null }), tell: () => undefined },
    onLine: () => undefined,
    mask: (text) => text,
  });
}

test.each([
  ['exec /opt/node: no such file or directory', /^The image has no glibc, .* musl/],
  ['Error: there is no agent', /^The graph host ended with exit code 1\.$/],
])('when a host in an image ends at once and printed %j, then its end says why', async (line, sentence) => {
  const host = endedHost(line, { kind: 'exited', code: 1 });
  expect(await host.exited).toMatch(sentence);
});
