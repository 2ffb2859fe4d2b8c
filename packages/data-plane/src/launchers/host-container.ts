import { isAbsolute } from 'node:path';
import type { HostProgram } from '@roadstead/agent-server';
import type { Container, Mount } from '@roadstead/containers';
import { dialVariables } from '@roadstead/contracts/host-peer';
import { outermost } from '@roadstead/fence';

const MB = 1024 * 1024;
/** More than graphs start, and less than would hold up a machine. */
const MAX_PROCESSES = 1024;
/** Where the door of a host is in its container. */
const DOOR_FOLDER = '/run/roadstead';
/** Sockets have short paths, which a folder of ours may not give. */
const TEMPORARY = '/tmp';

export interface HostContainerOptions {
  /** The image that the host's program runs in: what it needs of a system, and nothing of ours. */
  readonly image: string;
  /** The network of the engine that it joins. */
  readonly network: string;
  /** `uid:gid`. */
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly door: {
    readonly folder: string;
    readonly socket: string;
    readonly passwd: string;
    readonly token: string;
  };
}

/** Folders that an image has itself: with this machine's in their place its programs would not run. */
const OF_SYSTEM = ['/', '/bin', '/etc', '/lib', '/lib64', '/sbin', '/usr', '/var'];

/** What a program reads that can't be shown in a container, since the image has its own there. */
export const clashesOf = (reads: readonly string[]): string[] =>
  reads.filter((path) => OF_SYSTEM.includes(path));

/**
 * The container of a graph host. Whatever the fence would show to the program beside the system is there at the same path, and
 * nothing else of this machine; so the program is started as it is here. Its home is its folder for temporary files, too.
 */
export function hostContainer(
  { command, cwd, environment, reads, writes, home, limits }: HostProgram['program'],
  { image, network, user, labels, door }: HostContainerOptions,
): Container {
  const [program, ...args] = command;
  const memory = (limits?.memory_mb ?? 0) * MB;
  const variables = {
    ...environment,
    TMPDIR: TEMPORARY,
    [dialVariables.socket]: `${DOOR_FOLDER}/${door.socket}`,
    [dialVariables.token]: door.token,
  };
  return {
    Image: image,
    Entrypoint: [program],
    Cmd: args,
    WorkingDir: cwd,
    Env: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    User: user,
    Labels: labels,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: network,
      Mounts: [
        ...outermost([program, ...reads].filter(isAbsolute)).map((path) => sameAs(path, true)),
        ...writes.map((path) => sameAs(path, false)),
        { Type: 'bind', Source: home, Target: TEMPORARY, ReadOnly: false },
        { Type: 'bind', Source: door.folder, Target: DOOR_FOLDER, ReadOnly: true },
        { Type: 'bind', Source: `${door.folder}/${door.passwd}`, Target: '/etc/passwd', ReadOnly: true },
      ],
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: Math.round((limits?.cpus ?? 0) * 1e9),
      PidsLimit: MAX_PROCESSES,
      CapDrop: ['ALL'],
      // Where SELinux labels files, containers may else read none of this machine.
      SecurityOpt: ['no-new-privileges', 'label=disable'],
      ReadonlyRootfs: true,
      Init: true,
      LogConfig: { Type: 'none' },
    },
  };
}

const sameAs = (path: string, ReadOnly: boolean): Mount => ({
  Type: 'bind',
  Source: path,
  Target: path,
  ReadOnly,
});
