/** The share of the machine that one program may use, with everything that it starts. */
export interface Limits {
  readonly memory_mb: number;
  /** In cores; undefined for as many as there are. */
  readonly cpus: number | undefined;
}

/** Port: limits programs. */
export interface Limiter {
  /** Enforced by the kernel, by watching, or not at all. */
  readonly kind: 'cgroup' | 'watch' | 'none';
  /** Whether it limits processors as well. */
  readonly limits_cpu: boolean;
  /** Called before a program starts. */
  hold(limits: Limits): LimitedProgram;
}

/** One program under its limits. */
export interface LimitedProgram {
  /** The command that runs before the program, and becomes it. */
  readonly enter: readonly string[];
  /** Called when it runs; `onExceeded` ends it, where the kernel does not. */
  watch(pid: number, onExceeded: () => void): void;
  /** Ends processes that may have left its process group. */
  kill(): void;
  /** Called after its end; true when it was killed for its memory. */
  release(): boolean;
}

const free: LimitedProgram = {
  enter: [],
  watch: () => undefined,
  kill: () => undefined,
  release: () => false,
};

export const unlimited: Limiter = { kind: 'none', limits_cpu: false, hold: () => free };
