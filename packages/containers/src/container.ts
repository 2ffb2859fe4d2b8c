/** A container as the API of Docker describes it on create: what of it is used here. */
export interface Container {
  readonly Image: string;
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly WorkingDir?: string;
  /** `NAME=value`. */
  readonly Env: readonly string[];
  /** Ports that it listens on, such as `8000/tcp`. */
  readonly ExposedPorts?: Readonly<Record<string, object>>;
  /** `uid:gid`; unset, the image's own. */
  readonly User?: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly AttachStdout: true;
  readonly AttachStderr: true;
  readonly HostConfig: {
    readonly NetworkMode: string;
    /** Where its ports are reached on this machine. */
    readonly PortBindings?: Readonly<Record<string, readonly PortBinding[]>>;
    readonly Mounts: readonly Mount[];
    /** Bytes; with `MemorySwap` the same, nothing of it is swapped. */
    readonly Memory: number;
    readonly MemorySwap: number;
    /** Billionths of a core; 0 for all there are. */
    readonly NanoCpus: number;
    readonly PidsLimit: number;
    readonly CapDrop: readonly string[];
    readonly SecurityOpt: readonly string[];
    readonly ReadonlyRootfs: boolean;
    /** What it may write, such as `4096m`; few drivers of storage can bound that. */
    readonly StorageOpt?: { readonly size: string };
    /** Whether a process of the engine's begins it, which takes up what others leave. */
    readonly Init: boolean;
    readonly LogConfig: { readonly Type: 'none' };
  };
}

/** Without a port the engine chooses one that is free. */
interface PortBinding {
  readonly HostIp: string;
  readonly HostPort?: string;
}

export interface Mount {
  readonly Type: 'bind';
  readonly Source: string;
  readonly Target: string;
  readonly ReadOnly: boolean;
}
