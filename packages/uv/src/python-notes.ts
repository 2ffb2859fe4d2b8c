import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A Python of this machine. */
export interface Interpreter {
  readonly executable: string;
  /** Its exact version, such as 3.12.1. */
  readonly version: string;
  /** The folder with its standard library and all else that it needs. */
  readonly folder: string;
}

/** Remembers, in files, where each Python was found, so that it is found again without uv. */
export class PythonNotes {
  readonly #folder: string;
  readonly #ask: (executable: string) => Promise<Interpreter>;

  constructor(folder: string, ask: (executable: string) => Promise<Interpreter>) {
    // uv looks at no folder whose name begins so.
    this.#folder = join(folder, '.found');
    this.#ask = ask;
  }

  /** The Python of a version, else one with the same two first numbers; each is asked, since it may be another by now. */
  async find(version: string): Promise<Interpreter | undefined> {
    const minor = /^\d+\.\d+\./.exec(version)?.[0];
    const names = await readdir(this.#folder).catch(() => []);
    const others = names.filter((name) => minor !== undefined && name.startsWith(minor) && name !== version);
    let other: Interpreter | undefined;
    for (const name of [...names.filter((one) => one === version), ...others.toSorted()]) {
      const found = await this.#read(name);
      if (found?.version === version) return found;
      if (minor !== undefined && found?.version.startsWith(minor) === true) other ??= found;
    }
    return other;
  }

  async #read(name: string): Promise<Interpreter | undefined> {
    try {
      return await this.#ask((await readFile(join(this.#folder, name), 'utf8')).trim());
    } catch {
      // It is gone, or no Python: then uv is asked.
      return undefined;
    }
  }

  /** A note that can't be kept is none: the Python itself is there. */
  async keep({ executable, version }: Interpreter): Promise<void> {
    const path = join(this.#folder, version);
    const unfinished = join(this.#folder, `.${randomUUID()}`);
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeFile(unfinished, `${executable}\n`);
      await rename(unfinished, path);
    } catch {
      await rm(unfinished, { force: true });
    }
  }
}
