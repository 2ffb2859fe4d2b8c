import type { Container, Mount } from '@roadstead/containers';
import { dialVariables } from '@roadstead/contracts/host-peer';
import { outermost } from '@roadstead/fence';
import { type CommandProgram, isOfImage } from '../ports/command-place.ts';

const MB = 1024 * 1024;
/** More than graphs start, and less than would hold up a machine. */
const MAX_PROCESSES = 1024;
/** Where the door of a host is in its container. */
const DOOR_FOLDER = '/run/roadstead';
/** Sockets have short paths, which a folder of ours may not give. */
const TEMPORARY = '/tmp';

export interface ProgramContainerOptions {
  /** The image that the program runs in: what it needs of a system, and nothing of ours. */
  readonly image: string;
  /** The network of the engine that it joins. */
  readonly network: string;
  /** `uid:gid`. */
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The path of what it has in place of `/etc/passwd`. */
  readonly passwd: string;
}

export interface HostContainerOptions extends Omit<ProgramContainerOptions, 'passwd'> {
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

/** Folders of programs, which builds have on their PATH. */
const PROGRAMS_OF_SYSTEM = /^(?:\/usr|\/usr\/local)?\/(?:bin|sbin|lib|lib64)$/;

/** What a command of a build reads beside the programs of a system, which are those of the image; but uv is this machine's, wherever it is. */
export const withoutPrograms = (reads: readonly string[]): string[] =>
  reads.map((path) => (PROGRAMS_OF_SYSTEM.test(path) ? `${path}/uv` : path));

/** The container of a graph host, which dials in at its door. */
export function hostContainer(
  { environment, ...program }: CommandProgram,
  { door, ...options }: HostContainerOptions,
): Container {
  const variables = {
    ...environment,
    TMPDIR: TEMPORARY,
    [dialVariables.socket]: `${DOOR_FOLDER}/${door.socket}`,
    [dialVariables.token]: door.token,
  };
  const { HostConfig, ...container } = programContainer(
    { ...program, environment: variables },
    { ...options, passwd: door.passwd },
  );
  const Mounts = [...HostConfig.Mounts, bind(door.folder, DOOR_FOLDER, true)];
  return { ...container, HostConfig: { ...HostConfig, Mounts } };
}

/**
 * The container of a program of users. Whatever the fence would show to it beside the system is there at the same path, and nothing else of
 * this machine; so it is started as it is here. Its home is its folder for temporary files, too.
 */
export function programContainer(
  { command, cwd, environment, reads, moved = [], writes, home, limits }: CommandProgram,
  { image, network, user, labels, passwd }: ProgramContainerOptions,
): Container {
  const [program, ...args] = command;
  const memory = (limits?.memory_mb ?? 0) * MB;
  return {
    Image: image,
    Entrypoint: [program],
    Cmd: args,
    WorkingDir: cwd,
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    User: user,
    Labels: labels,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: network,
      Mounts: [
        ...outermost([program, ...reads].filter((path) => !isOfImage(path))).map((path) =>
          bind(path, path, true),
        ),
        ...moved.map(({ from, to }) => bind(from, to, true)),
        ...[...new Set(writes)].map((path) => bind(path, path, false)),
        bind(home, TEMPORARY, false),
        bind(passwd, '/etc/passwd', true),
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

// oxlint-disable-next-line roadstead/two-positional -- as engines write it: from, to, and how
const bind = (Source: string, Target: string, ReadOnly: boolean): Mount => ({
  Type: 'bind',
  Source,
  Target,
  ReadOnly,
});
