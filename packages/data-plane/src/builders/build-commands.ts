import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createMask, type StartHindrance } from '@roadstead/agent-server';
import type { Limits } from '@roadstead/fence';
import { BuildOutput } from './build-output.ts';
import { runCommand } from './commands.ts';
import { type Alias, createFolderMask, withoutCredentials } from './output-mask-rules.ts';
import type { OnLine } from '../ports/builder.ts';
import type { CommandPlace } from '../ports/command-place.ts';

type Variables = Readonly<Record<string, string>>;

/** The programs, folders and variables that the tools of one language need in a build. */
export interface CommandSetup {
  readonly variables: Variables;
  /** Folders of programs, before those of the operator. */
  readonly path: readonly string[];
  readonly reads: readonly string[];
  /** Folders beside the project and HOME. */
  readonly writes: readonly string[];
  /** Files below HOME. */
  readonly files: Readonly<Record<string, string>>;
  /** Values that must not appear in any log. */
  readonly secrets: readonly string[];
}

export const emptySetup: CommandSetup = {
  variables: {},
  path: [],
  reads: [],
  writes: [],
  files: {},
  secrets: [],
};

export interface CommandsOptions {
  /** The folder of the project. */
  readonly work: string;
  /** HOME and TMPDIR of the commands. */
  readonly home: string;
  /** Folders of ours that must not appear in any log. */
  readonly aliases: readonly Alias[];
  /** Where the commands run. */
  readonly place: CommandPlace;
  /** The limits of each command. */
  readonly limits: Limits;
  readonly onLine: OnLine;
  /** Told what keeps one of them from its start. */
  readonly onHindrance?: StartHindrance | undefined;
  readonly signal: AbortSignal;
}

/** Runs commands of a build, in the folder that each is given. */
export type Run = (command: string, place: CommandFolder) => Promise<void>;

interface CommandFolder {
  readonly cwd: string;
  /** The folder that it may write to beside its HOME. */
  readonly writes: string;
}

/** The commands of a build, which get what any build needs and what was added for its languages. */
export class BuildCommands {
  readonly #options: CommandsOptions;
  readonly #setups: CommandSetup[] = [];
  readonly #output: BuildOutput;

  constructor(options: CommandsOptions) {
    const { home, work, aliases, onLine } = options;
    const hide = createMask(() => [this.#secrets()]);
    const named = createFolderMask([{ folder: home, alias: '~' }, { folder: work, alias: '.' }, ...aliases]);
    this.#options = options;
    this.#output = new BuildOutput({ onLine, mask: (text) => named(withoutCredentials(hide(text))) });
  }

  /** Later setups win; their programs come first. */
  async add(setup: CommandSetup): Promise<void> {
    const { home } = this.#options;
    for (const [name, text] of Object.entries(setup.files)) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), text, { mode: 0o600 });
    }
    this.#setups.unshift(setup);
  }

  readonly run: Run = async (command, { cwd, writes }) => {
    const { home, limits, place, onHindrance, signal } = this.#options;
    await runCommand({
      command,
      cwd,
      environment: this.#environment(),
      reads: this.#setups.flatMap(({ reads }) => reads),
      writes: [writes, home, ...this.#setups.flatMap((setup) => setup.writes)],
      home,
      limits,
      place,
      output: this.#output,
      onHindrance,
      signal,
    });
  };

  #environment(): Variables {
    const { home } = this.#options;
    return {
      ...(Object.assign({}, ...this.#setups.toReversed().map(({ variables }) => variables)) as Variables),
      PATH: this.#setups.flatMap(({ path }) => path).join(':'),
      HOME: home,
      TMPDIR: home,
      LANG: 'C.UTF-8',
      CI: 'true',
    };
  }

  #secrets(): Variables {
    const values = this.#setups.flatMap(({ secrets }) => secrets);
    return Object.fromEntries(values.map((value, at) => [`secret ${at}`, value]));
  }
}
