import type { Container } from '@roadstead/containers';
import type { ServerImage } from '../ports/runtime.ts';
import type { ServerOrder } from '../ports/server-place.ts';

const MB = 1024 * 1024;
/** More than servers start, and less than would hold up a machine. */
const MAX_PROCESSES = 1024;
/** Its ports are reached from this machine alone: callers come by the router. */
const LOOPBACK = '127.0.0.1';

export interface ServerContainerOptions extends Omit<ServerOrder, 'names'> {
  /** The network of the engine that it joins. */
  readonly network: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What it may write, where the engine can bound that. */
  readonly disk_mb: number;
}

export const portName = ({ port }: ServerImage): string => `${port}/tcp`;

/**
 * The container of a server, as its image has it: its program, its user, its folder. It gets no capabilities and sees nothing of this
 * machine.
 */
export function serverContainer({
  image,
  environment,
  network,
  labels,
  memory_mb,
  cpus,
  disk_mb,
}: ServerContainerOptions): Container {
  const port = portName(image);
  const memory = memory_mb * MB;
  return {
    Image: image.reference,
    Env: Object.entries({ ...environment, PORT: String(image.port) }).map(
      ([name, value]) => `${name}=${value}`,
    ),
    ExposedPorts: { [port]: {} },
    Labels: { ...image.labels, ...labels },
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: network,
      PortBindings: { [port]: [{ HostIp: LOOPBACK, HostPort: '' }] },
      Mounts: [],
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: Math.round((cpus ?? 0) * 1e9),
      PidsLimit: MAX_PROCESSES,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: false,
      StorageOpt: { size: `${disk_mb}m` },
      Init: true,
      LogConfig: { Type: 'none' },
    },
  };
}
