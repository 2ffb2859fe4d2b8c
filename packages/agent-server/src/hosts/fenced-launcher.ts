import type { Duplex } from 'node:stream';
import { descriptors } from '@roadstead/contracts/host-peer';
import type { Fence } from '@roadstead/fence';
import { type HostProgram, hostProgram } from './host-program.ts';
import type { LaunchedHost, Launcher } from './launcher.ts';

/** Starts hosts as processes of this machine, in the fence. */
export const fencedLauncher = (fence: Fence): Launcher => ({
  launch: (order) => launchFenced(fence, hostProgram(order)),
  // What the fence starts ends with us.
  removeOrphans: async () => undefined,
});

/** Starts a program that speaks the host protocol over its descriptors. */
export function launchFenced(fence: Fence, { kind, program }: HostProgram): LaunchedHost {
  const fenced = fence.start({ ...program, pipes: 5 });
  const { stdout, stderr, stdio } = fenced.child;
  const connection = (descriptor: number) => (stdio as readonly unknown[])[descriptor] as Duplex;
  return {
    connections: Promise.resolve({
      channel: connection(descriptors.channel),
      app: connection(descriptors.app),
      loopback: connection(descriptors.loopback),
    }),
    output: { ...(stdout && { stdout }), ...(stderr && { stderr }) },
    pid: fenced.pid,
    memory_full: kind.memory_full,
    ended: fenced.ended,
    kill: () => fenced.kill(),
  };
}
