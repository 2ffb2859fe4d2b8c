import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostEnd } from '@roadstead/agent-server';
import { EngineAway, isEngineAway } from '../images/engine-away.ts';
import type { CommandPlace, CommandProgram, RunningCommand } from '../ports/command-place.ts';
import { type ContainerPlace, ContainerProcess } from './container-process.ts';
import { programContainer, withoutPrograms } from './host-container.ts';
import { containerUser, giveFolder, readsFor } from './host-files.ts';
import { writePasswd } from './passwd.ts';

/** Runs each command of a build in a container, which sees what the fence would show it, and the system of an image. */
export const containerCommands = (options: ContainerPlace): CommandPlace => ({
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
  { image, ensureImage, network, labels, hidden, doors = tmpdir() }: ContainerPlace,
): Promise<HostEnd> {
  let own: string | undefined;
  try {
    own = await mkdtemp(join(doors, 'roadstead-build-'));
    const { given, name: user } = containerUser();
    const passwd = await writePasswd(own, given);
    // This Node, as npm is run by whichever is first on the PATH: what it installs is for the Node that runs hosts.
    const reads = [...withoutPrograms(program.reads), process.execPath];
    const shown = await readsFor({ ...program, reads }, hidden);
    for (const path of program.writes) await giveFolder(path, given);
    // We write there between commands.
    await giveFolder(program.home, given, { is_partly_given: true });
    const container = programContainer({ ...program, ...shown }, { image, network, labels, user, passwd });
    // An engine that comes back finds it, or says how it ended.
    return await running.run(container, {
      isHeard: () => true,
      ensureImage: (signal) => ensureImage(image, signal),
    });
  } catch (error) {
    // It is tried again once the engine is back.
    if (isEngineAway(error) && !running.isKilled) throw new EngineAway(error);
    return running.failed(error);
  } finally {
    running.endOutput();
    if (own !== undefined) await rm(own, { recursive: true, force: true });
  }
}
