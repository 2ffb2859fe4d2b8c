import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Artifacts } from '../artifacts/artifacts.ts';
import { isFolder } from '../artifacts/artifact-files.ts';
import { removeTree } from '../folders/remove-tree.ts';
import { copyTree } from './development.ts';

/** The folder of an artifact where a build puts Python. */
const OWN = '.roadstead';

interface Save {
  /** The digest of what its packages were installed from. */
  readonly inputs: string;
  /** Its artifact. */
  readonly digest: string;
}

/**
 * The packages of Python that one save of `roadstead dev` takes from the save before, as long as the files that name them stay
 * the same. It is known to this process only: after a restart they are installed once more.
 */
export class KeptPython {
  readonly #artifacts: Artifacts;
  readonly #saves = new Map<string, Save>();

  constructor(artifacts: Artifacts) {
    this.#artifacts = artifacts;
  }

  /** Links the packages of the save before beside a source; false where there are none, or others are wanted. */
  async link(
    deployment_id: string,
    { inputs, work }: { readonly inputs: string; readonly work: string },
  ): Promise<boolean> {
    const before = this.#saves.get(deployment_id);
    if (before?.inputs !== inputs) return false;
    const from = join(this.#artifacts.pathOf(before.digest), OWN);
    const to = join(work, OWN);
    await removeTree(to);
    // An artifact that nobody needs may be removed at any time.
    if (!(await isFolder(from))) return false;
    return await copyTree(from, to).then(
      () => true,
      () => false,
    );
  }

  note(deployment_id: string, save: Save): void {
    this.#saves.set(deployment_id, save);
  }
}

/** Files that may say what is installed, or how. */
const TELLING =
  /(^|\/)(pyproject\.toml|setup\.(py|cfg)|uv\.(lock|toml)|pip\.(conf|ini)|[^/]*requirements[^/]*(\/[^/]*)?\.(txt|in))$/;
/** A line of a requirements file that includes another one, or limits by it. */
const INCLUDED = /^\s*(?:-[rc]\s*|--(?:requirement|constraint)[\s=]\s*)([^\s#]+)/gm;

/** A digest of all files of a source that may say which packages it needs. */
export async function pythonInputs(
  project: string,
  settings: { readonly config_path: string; readonly pip_config_file?: string | undefined },
): Promise<string> {
  const entries = await readdir(project, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((one) => one.isFile())
    .map((one) => relative(project, join(one.parentPath, one.name)));
  const wanted = new Set(
    files.filter((path) => Object.values(settings).includes(path) || TELLING.test(path)).toSorted(),
  );
  const hash = createHash('sha256');
  // A set also visits what is added on the way.
  for (const path of wanted) {
    const bytes = await readFile(join(project, path));
    hash.update(`${path}\0`).update(bytes);
    if (!/\.(txt|in)$/.test(path)) continue;
    for (const [, name = ''] of bytes.toString().matchAll(INCLUDED)) {
      const included = join(dirname(path), name);
      if (files.includes(included)) wanted.add(included);
    }
  }
  return hash.digest('hex');
}
