import { execFile } from 'node:child_process';
import { access, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Problem } from '@roadstead/kit';
import { z } from 'zod';
import { newestFirst, unneededPythons } from './kept-pythons-rules.ts';
import { type Interpreter, PythonNotes } from './python-notes.ts';
import { bringingVariables, type Environment, passedVariables } from './operator-settings.ts';

export interface PythonsOptions {
  /** The path of uv. */
  readonly uv: (signal: AbortSignal) => Promise<string>;
  /** A uv that is there already, of any version, to look for Pythons with. */
  readonly any_uv?: () => Promise<string | undefined>;
  /** Where uv keeps the Pythons that it brings. */
  readonly folder: string;
  /** The operator's. */
  readonly environment: Environment;
}

const Answer = z.object({ executable: z.string(), version: z.string(), folder: z.string() });
/** Longer than any build takes. */
const MIN_AGE_MS = 86_400_000;
const QUESTION =
  'import json, sys; print(json.dumps({"executable": getattr(sys, "_base_executable", "") or sys.executable, ' +
  '"version": "%d.%d.%d" % sys.version_info[:3], "folder": sys.base_prefix}))';

/** The Pythons of this machine, and those that uv brings. */
export class Pythons {
  readonly #options: PythonsOptions;
  /** The Pythons found so far, by the exact version that was asked for. */
  readonly #found = new Map<string, Interpreter>();
  /** The folders of all that were given since this process began. */
  readonly #given = new Set<string>();
  /** How many look for one now, and may just have found it. */
  #looking = 0;
  readonly #notes: PythonNotes;

  constructor(options: PythonsOptions) {
    this.#options = options;
    this.#notes = new PythonNotes(options.folder, (executable) => this.#ask(executable));
  }

  /**
   * A Python for a request of uv, such as `3.12` or `>=3.11,<3.14`; brought where this machine has none.
   * @throws Problem that says which there are; `unavailable` where a retry may bring it.
   */
  async provide(request: string, signal: AbortSignal): Promise<Interpreter> {
    return await this.provideFirst([request], signal);
  }

  /**
   * A Python for the first of these requests that this machine has one for; where it has none, for the last, brought.
   * @throws Problem as `provide` does.
   */
  async provideFirst(requests: readonly string[], signal: AbortSignal): Promise<Interpreter> {
    return await this.#look(() => this.#provideFirst(requests, signal));
  }

  async #look<T>(work: () => Promise<T>): Promise<T> {
    this.#looking += 1;
    try {
      return await work();
    } finally {
      this.#looking -= 1;
    }
  }

  async #provideFirst(requests: readonly string[], signal: AbortSignal): Promise<Interpreter> {
    for (const request of requests) {
      const found = await this.#find(request, signal);
      if (found !== undefined) return found;
    }
    const request = requests.at(-1) ?? '3';
    const why = await this.#bring(request, signal);
    const brought = why === undefined ? await this.#find(request, signal) : undefined;
    if (brought !== undefined) return brought;
    const there = await this.installed(signal);
    throw new Problem(
      why !== undefined && isOutage(why) ? 'unavailable' : 'invalid',
      `Python ${request} is asked for, and this machine has ${there.length === 0 ? 'none' : there.join(', ')}.`,
      { hint: `Install it on this machine, or let uv bring it${why === undefined ? '' : ` (${why})`}.` },
    );
  }

  /**
   * The Python that something was built with: this very version, else another with the same two first numbers, which runs the
   * same packages and bytecode. One that was found before needs no uv, and no network.
   * @throws Problem that says which there are.
   */
  async provideFor(version: string, signal: AbortSignal): Promise<Interpreter> {
    return await this.#look(() => this.#provideFor(version, signal));
  }

  async #provideFor(version: string, signal: AbortSignal): Promise<Interpreter> {
    const known = this.#found.get(version);
    if (known !== undefined && (await isThere(known.executable))) return known;
    const noted = await this.#notes.find(version);
    const found = noted?.version === version ? noted : await this.#findFor(version, { noted, signal });
    this.#found.set(version, found);
    this.#given.add(found.folder);
    return found;
  }

  async #findFor(
    version: string,
    { noted, signal }: { readonly noted: Interpreter | undefined; readonly signal: AbortSignal },
  ): Promise<Interpreter> {
    try {
      const minor = version.split('.').slice(0, 2).join('.');
      return (await this.#find(version, signal)) ?? (await this.provide(minor, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (noted === undefined) throw error;
      return noted;
    }
  }

  async #find(request: string, signal: AbortSignal): Promise<Interpreter | undefined> {
    const path = await this.#run(
      ['python', 'find', '--system', '--no-config', '--no-python-downloads', request],
      signal,
    );
    if (path.text === undefined) return undefined;
    const found = await this.#ask(path.text.trim(), signal);
    this.#given.add(found.folder);
    await this.#notes.keep(found);
    return found;
  }

  /** Asks an interpreter what it is. */
  async #ask(program: string, signal?: AbortSignal): Promise<Interpreter> {
    const asked = promisify(execFile)(program, ['-I', '-S', '-c', QUESTION], {
      cwd: '/',
      env: this.#variables(),
      ...(signal === undefined ? {} : { signal }),
    });
    const { stdout } = await asked;
    const { executable, folder, version } = Answer.parse(JSON.parse(stdout));
    // A program behind the fence sees the folder, and no links to it.
    return { executable: await realpath(executable), folder: await realpath(folder), version };
  }

  /** Answers why it was not brought, or nothing. */
  async #bring(request: string, signal: AbortSignal): Promise<string | undefined> {
    if (/^(never|manual)$/.test(this.#options.environment['UV_PYTHON_DOWNLOADS'] ?? ''))
      return 'UV_PYTHON_DOWNLOADS forbids it now';
    await mkdir(this.#options.folder, { recursive: true });
    const { error } = await this.#run(
      ['python', 'install', '--no-config', '--no-bin', '--no-progress', request],
      signal,
    );
    return error;
  }

  /** The versions that this machine has, newest first. */
  async installed(signal: AbortSignal): Promise<string[]> {
    const { text = '[]' } = await this.#run(
      ['python', 'list', '--only-installed', '--no-config', '--output-format', 'json'],
      signal,
    );
    const listed = z.array(z.object({ version: z.string() })).parse(JSON.parse(text));
    return [...new Set(listed.map(({ version }) => version))];
  }

  /**
   * Removes the Pythons that uv brought and nothing needs: neither these versions of artifacts, nor anybody whom this process
   * gave one, nor a build whose Python came a moment ago. While somebody looks for one, nothing is removed.
   */
  async prune(versions: ReadonlySet<string>, now = Date.now()): Promise<void> {
    const { folder } = this.#options;
    const place = await realpath(folder).catch(() => undefined);
    if (place === undefined) return;
    // uv looks at no folder whose name begins so. A killed process may have left it.
    const gone = join(place, '.gone');
    await rm(gone, { recursive: true, force: true });
    const entries = await readdir(place, { withFileTypes: true });
    const folders = entries.filter((one) => one.isDirectory()).map(({ name }) => name);
    await mkdir(gone);
    for (const name of unneededPythons(folders, versions)) {
      const path = join(place, name);
      const { ctimeMs } = await stat(path);
      const isFree = this.#looking === 0 && !this.#given.has(path);
      if (isFree && now - ctimeMs > MIN_AGE_MS) await rename(path, join(gone, name));
    }
    await rm(gone, { recursive: true });
    for (const { name } of entries.filter((one) => one.isSymbolicLink()))
      if (!(await isThere(join(place, name)))) await rm(join(place, name), { force: true });
  }

  async #run(
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly text?: string; readonly error?: string }> {
    const { uv: provide, any_uv } = this.#options;
    const uv = (args[1] === 'install' ? undefined : await any_uv?.()) ?? (await provide(signal));
    const env = { ...this.#variables(), PATH: await this.#path() };
    return await promisify(execFile)(uv, args, { cwd: '/', env, signal, maxBuffer: 16_777_216 }).then(
      ({ stdout }) => ({ text: stdout }),
      (error: NodeJS.ErrnoException & { readonly stderr?: string }) => {
        signal.throwIfAborted();
        if (error.stderr === undefined) throw error;
        return { error: lastWords(error.stderr) };
      },
    );
  }

  #variables(): Record<string, string> {
    const { folder, environment } = this.#options;
    const { HOME = '/', PATH = '' } = environment;
    const way_out = Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && /^(https?_proxy|no_proxy|all_proxy|ssl_cert_(file|dir))$/i.test(name)
        ? [[name, value] as const]
        : [],
    );
    return {
      ...Object.fromEntries(way_out),
      ...passedVariables(environment),
      ...bringingVariables(environment),
      HOME,
      PATH,
      UV_PYTHON_INSTALL_DIR: folder,
      UV_CACHE_DIR: join(folder, '.cache'),
    };
  }

  /** The operator's PATH, with all versions of the managers on it: their own programs run one version at a time. */
  async #path(): Promise<string> {
    const path = this.#options.environment['PATH'] ?? '';
    const folders: string[] = [];
    for (const versions of path.split(':').flatMap(versionsOfManager))
      for (const name of (await readdir(versions).catch(() => [])).toSorted(newestFirst))
        folders.push(join(versions, name, 'bin'));
    return [path, ...folders].join(':');
  }
}

/** The folder of versions of a manager of Pythons, by one of its folders on the PATH. */
const MANAGERS: readonly (readonly [RegExp, string])[] = [
  [/^(.*\/\.?pyenv)\/(shims|bin)\/?$/, 'versions'],
  [/^(.*\/\.asdf)\/(shims|bin)\/?$/, 'installs/python'],
  [/^(.*\/mise)\/shims\/?$/, 'installs/python'],
];

const versionsOfManager = (folder: string): string[] =>
  MANAGERS.flatMap(([form, below]) => {
    const root = form.exec(folder)?.[1];
    return root === undefined ? [] : [join(root, below)];
  });

/** Whether the words of uv say that a host did not answer as it should. */
const isOutage = (why: string) =>
  /request failed after|error sending request|dns error|timed out|failed to fetch/i.test(why);

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

const MAX_LINES = 2;
const MAX_WORDS = 300;

/** The reason among what uv wrote, as words within a sentence. */
function lastWords(text: string): string {
  const lines = text.split('\n').flatMap((line) => /^\s*(?:error|cause): (.+)$/.exec(line)?.[1] ?? []);
  return (lines.slice(0, MAX_LINES).join(', ') || text.trim()).slice(0, MAX_WORDS).replace(/[.\s]+$/, '');
}
