/** What one program, with all that it starts, may take of the machine. */
export interface Limits {
  readonly memory_mb: number;
  /** In cores; undefined for as many as there are. */
  readonly cpus: number | undefined;
}

/** Port: holds programs to their limits. */
export interface Limiter {
  /** By the kernel, by looking at them, or not at all. */
  readonly kind: 'cgroup' | 'watch' | 'none';
  /** Whether it limits processors, too. */
  readonly limits_cpu: boolean;
  /** Before a program starts. */
  hold(limits: Limits): LimitedProgram;
}

/** One program that is held to its limits. */
export interface LimitedProgram {
  /** What runs before the program, and becomes it. */
  readonly enter: readonly string[];
  /** It runs; `onExceeded` ends it, where the kernel does not. */
  watch(pid: number, onExceeded: () => void): void;
  /** Ends what may have left its process group. */
  kill(): void;
  /** After its end; true when it was ended for the memory that it took. */
  release(): boolean;
}

const free: LimitedProgram = {
  enter: [],
  watch: () => undefined,
  kill: () => undefined,
  release: () => false,
};

export const unlimited: Limiter = { kind: 'none', limits_cpu: false, hold: () => free };
