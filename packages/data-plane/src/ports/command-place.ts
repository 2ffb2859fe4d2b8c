import { isAbsolute } from 'node:path';
import type { Readable } from 'node:stream';
import type { HostEnd, MovedFile, StartHindrance } from '@roadstead/agent-server';
import type { Fence, FencedProgram } from '@roadstead/fence';

/** Port: where the commands of builds run. Whatever a command starts ends with it; all of it ends with us, or as our next life begins. */
export interface CommandPlace {
  /** Where its programs come from, such as `on this machine`. */
  readonly where: string;
  /** A failure to start is the end of the command. */
  start(program: CommandProgram): RunningCommand;
}

export interface CommandProgram extends Omit<FencedProgram, 'pipes'> {
  /** What it has in an image beside what it reads. */
  readonly moved?: readonly MovedFile[] | undefined;
  /** Told what keeps it from its start, where there is a long way to that. */
  readonly onHindrance?: StartHindrance | undefined;
}

export interface RunningCommand {
  readonly output: Readonly<Partial<Record<'stdout' | 'stderr', Readable>>>;
  /** Resolves after its last output. */
  readonly ended: Promise<HostEnd>;
  kill(): void;
}

/** Commands as processes of this machine, in the fence. */
export const fencedCommands = (fence: Fence): CommandPlace => ({
  where: 'on this machine',
  start: (program) => {
    const running = fence.start({ ...program, pipes: 2 });
    const { stdout, stderr } = running.child;
    return {
      output: { ...(stdout && { stdout }), ...(stderr && { stderr }) },
      ended: running.ended,
      kill: () => running.kill(),
    };
  },
});

/** A program that an image has itself: one that is found by its name, and the shell. */
export const isOfImage = (program: string): boolean => !isAbsolute(program) || program === '/bin/sh';
