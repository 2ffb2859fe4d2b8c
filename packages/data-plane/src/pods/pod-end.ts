import { constants } from 'node:os';
import type { HostEnd } from '@roadstead/agent-server';
import type { ContainerEnd, Pod } from '@roadstead/kubernetes';

/** The exit code of a program that the kernel ended for its memory (SIGKILL). */
const KILLED_CODE = 137;

/** How the container of a pod ended that the pod is there for; undefined while it goes on. */
export function endOf({ metadata, status = {} }: Pod, container: string): HostEnd | undefined {
  const found = status.containerStatuses?.find(({ name }) => name === container);
  const ended = found?.state?.terminated ?? found?.lastState?.terminated;
  if (status.reason === 'Evicted') return { kind: 'lost', why: whyEvicted(status.message ?? '') };
  if (status.reason === 'NodeLost') return { kind: 'lost', why: 'its node is lost.' };
  if (ended !== undefined) return endOfContainer(ended);
  if (status.phase === 'Failed')
    return { kind: 'lost', why: `its pod failed (${status.reason ?? 'no reason'}).` };
  if (metadata.deletionTimestamp !== undefined) return { kind: 'lost', why: 'its pod was deleted.' };
  return undefined;
}

/** What a node says of a pod that wrote more than a limit of its own: of its containers, of one, or of a volume. */
const BEYOND_ITS_DISK = /ephemeral local storage usage exceeds|local ephemeral storage limit|EmptyDir volume/;

const whyEvicted = (message: string) =>
  BEYOND_ITS_DISK.test(message)
    ? 'it wrote more to the disk of its node than it may, and was evicted; the operator sets the limit, by ROADSTEAD_HOST_DISK_MB.'
    : 'its node ran short of what pods share, and evicted it.';

function endOfContainer({ exitCode: code, reason }: ContainerEnd): HostEnd {
  if (reason === 'OOMKilled' && code === KILLED_CODE) return { kind: 'out of memory' };
  // It never ran: a command that is not there, or mounts that fail.
  if (reason === 'StartError' || reason === 'ContainerCannotRun')
    return { kind: 'not started', why: 'its command could not be started in its image' };
  const by = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return by === undefined ? { kind: 'exited', code } : { kind: 'killed', signal: by[0] };
}

/** Whether a container of a pod has begun to print. */
export function hasBegun({ status }: Pod, container: string): boolean {
  const found = status?.containerStatuses?.find(({ name }) => name === container);
  const { state, lastState } = found ?? {};
  return [state?.running, state?.terminated, lastState?.terminated].some((one) => one !== undefined);
}
