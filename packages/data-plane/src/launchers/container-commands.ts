import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostEnd } from '@roadstead/agent-server';
import type { ContainerEngine } from '@roadstead/containers';
import type { Log } from '@roadstead/kit';
import type { CommandPlace, CommandProgram, RunningCommand } from '../ports/command-place.ts';
import { ContainerProcess } from './container-process.ts';
import { programContainer, withoutPrograms } from './host-container.ts';
import { containerUser, giveFolder, readsFor } from './host-files.ts';
import { writePasswd } from './passwd.ts';

export interface ContainerCommandsOptions {
  readonly engine: ContainerEngine;
  readonly image: string;
  readonly network: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Our data folder, of which a command sees its own parts alone. */
  readonly hidden: string;
  readonly log: Log;
}

/** Runs each command of a build in a container, which sees what the fence would show it, and the system of an image. */
export const containerCommands = (options: ContainerCommandsOptions): CommandPlace => ({
  where: 'in the image of ROADSTEAD_HOST_IMAGE',
  start: (program) => {
    const running = new ContainerProcess({ ...options, what: 'build' });
    return {
      output: running.output,
      ended: ended(running, program, options),
      kill: () => running.kill(),
    } satisfies RunningCommand;
  },
});

// oxlint-disable-next-line roadstead/two-positional -- what runs, what it runs, and how
async function ended(
  running: ContainerProcess,
  program: CommandProgram,
  { image, network, labels, hidden }: ContainerCommandsOptions,
): Promise<HostEnd> {
  const own = await mkdtemp(join(tmpdir(), 'roadstead-build-'));
  try {
    const { given, name: user } = containerUser();
    const passwd = await writePasswd(own, given);
    const shown = await readsFor({ ...program, reads: withoutPrograms(program.reads) }, hidden);
    for (const path of program.writes) await giveFolder(path, given);
    // We write there between commands.
    await giveFolder(program.home, given, { is_partly_given: true });
    const container = programContainer({ ...program, ...shown }, { image, network, labels, user, passwd });
    // An engine that comes back finds it, or says how it ended.
    return await running.run(container, { isHeard: () => true });
  } catch (error) {
    return running.failed(error);
  } finally {
    running.endOutput();
    await rm(own, { recursive: true, force: true });
  }
}
